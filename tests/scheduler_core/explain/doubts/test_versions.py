"""Doubts about the version that decides, and about what it has on by default and is not played."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from scheduler_core.engine.policies import Policies
from scheduler_core.explain.doubts.answer import BOUND, doubts_about, doubts_of_run, with_doubts
from scheduler_core.explain.doubts.versions import _MATTERS, CHANGE_NOT_PLAYED
from scheduler_core.simulate import RunInputs, Timeline, timeline_from_raw
from scheduler_core.versions.unplayed import UNPLAYED, Matters
from tests.scheduler_core.explain.doubts.inputs import Raw, inputs, made, node, pod


@pytest.mark.parametrize(
    ("kubelets", "kubernetes", "concerns"),
    [
        (["v1.34.2"], "", []),
        (["v1.34.2", "v1.33.0"], "1.34", []),
        (["v1.33.1"], "1.33", []),
        (["v1.33.1"], "", ["placement"]),
        (["v1.36.2"], "1.37", ["message"]),
        (["v1.29.0+k3s1"], "1.33", ["placement"]),
        (["v1.40.0"], "1.37", ["placement"]),
        (["odd"], "1.36", []),
        ([], "1.36", []),
    ],
)
def test_the_clusters_version_is_held_against_the_one_that_decides(
    kubelets: list[str], kubernetes: str, concerns: list[str]
) -> None:
    nodes = [node(f"n{i}", version) for i, version in enumerate(kubelets)]
    answers = doubts_of_run(inputs(*nodes, pod(), policies=Policies(kubernetes=kubernetes)), waits=True)
    assert [(one.code, one.concerns) for one in answers] == [("OTHER_VERSION", concern) for concern in concerns]


def test_where_texts_differ_alone_the_messages_of_pods_that_wait_are_concerned() -> None:
    given = inputs(node("n", "v1.37.0"), pod(), policies=Policies(kubernetes="1.36"))
    assert [one.concerns for one in doubts_of_run(given, waits=True)] == ["message"]
    assert doubts_about(given, given.objects.pods[0], waits=False) == ()


def not_played(*raws: Raw, waits: bool = True, **fields: Any) -> list[str]:
    """Return the changes that are doubts of a run of these objects under 1.37."""
    given = inputs(*raws, policies=Policies(kubernetes="1.37"), **fields)
    return _names(given, waits)


def _names(given: RunInputs, waits: bool) -> list[str]:
    said = [one.text for one in doubts_of_run(given, waits=waits) if one.code == CHANGE_NOT_PLAYED]
    return [row.name for row in UNPLAYED if any(row.sentence.removesuffix(".") in text for text in said)]


CLAIM = [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]
TERM = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"a": "b"}}}
BESIDE = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [TERM]}}


def claim(volume: str) -> Raw:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "volumeName": volume}
    return made("v1", "PersistentVolumeClaim", "c", "a", spec={k: v for k, v in spec.items() if v})


def deletion() -> Timeline:
    gone = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}
    return timeline_from_raw({"entries": [{"at": 1, "action": "delete", "object": gone}]})


@pytest.mark.parametrize(
    ("raws", "name"),
    [
        ([pod(volumes=CLAIM), claim("")], "nomination_for_binding"),
        ([pod(volumes=CLAIM), claim("")], "storage_capacity_scores"),
        ([pod(volumes=CLAIM), claim("pv")], "nodes_without_driver"),
        ([pod(volumes=CLAIM, priority=7), pod(name="q", node="n"), claim("")], "victims_in_binding_back_off"),
        ([pod(resourceClaims=[{"name": "x", "resourceClaimName": "y"}])], "device_taint_rules"),
        ([pod(volumes=[{"name": "v", "image": {"reference": "r"}}])], "image_volumes_mended"),
        ([pod(affinity=BESIDE)], "affinity_hint_mended"),
    ],
)
def test_a_change_is_a_doubt_where_the_input_has_what_it_matters_for(raws: list[Raw], name: str) -> None:
    assert name in not_played(*raws)
    assert name not in not_played(pod())


def test_what_waits_for_nothing_has_no_doubt() -> None:
    assert "storage_capacity_scores" not in not_played(pod(volumes=CLAIM), claim("pv"))
    assert "room_of_deleted_binding" in not_played(pod(), timeline=deletion(), schedule="timeline")
    assert not_played(pod(node="n"), node("n")) == [], "nothing is decided"


def test_runs_that_name_no_version_say_nothing_of_its_changes() -> None:
    assert _names(inputs(pod(volumes=CLAIM), claim("")), waits=True) == []


def test_they_take_nothing_from_the_sentence_that_every_pod_is_bound() -> None:
    doubts = doubts_of_run(inputs(pod(volumes=CLAIM), claim(""), policies=Policies(kubernetes="1.36")), waits=False)
    assert [one.code for one in doubts] == [CHANGE_NOT_PLAYED]
    assert with_doubts(BOUND, doubts) == BOUND


def test_each_reason_to_matter_is_looked_for_and_used() -> None:
    assert {*_MATTERS, "never"} == {*get_args(Matters)}
    assert {row.matters for row in UNPLAYED} == {*get_args(Matters)}
