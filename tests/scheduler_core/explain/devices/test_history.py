"""What happened to a claim, as the run recorded it."""

from __future__ import annotations

from scheduler_core.explain.devices.history import changes_of_claim
from tests.scheduler_core.explain.devices.worlds import claim_named, scene, scene_at


def test_a_claim_is_made_gets_devices_loses_them_and_is_deleted():
    reader, _ = scene()
    key = claim_named(scene_at(9), "serve-0").key
    changes = changes_of_claim(reader, key, reader.head_seq())
    assert [one.says.partition(",")[0].partition(";")[0] for one in changes] == [
        "deleted",
        "lost its devices",
        "got 1 device on gpu-1",
        "made",
    ]
    assert [one.seq for one in changes] == sorted((one.seq for one in changes), reverse=True)
    assert len(changes_of_claim(reader, key, changes[-1].seq + 1)) == 1


def test_a_claim_of_the_input_is_reserved_by_one_pod_after_the_other():
    reader, _ = scene()
    changes = changes_of_claim(reader, "ml/embedding", reader.head_seq())
    assert [one.says for one in changes] == ["reserved for embed-1", "got 1 device on gpu-5; reserved for embed-0"]
