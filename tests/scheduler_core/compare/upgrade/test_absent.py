"""Behaviours that nothing of the input can be decided by."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.compare.upgrade.absent import _NEEDS, absences
from scheduler_core.compare.upgrade.attempts import attempts_of
from scheduler_core.compare.upgrade.report import versions_of
from scheduler_core.versions.behaviours import BEHAVIOURS
from scheduler_core.versions.semantics import behaviours_of
from scheduler_core.workloads.timeline import Timeline, TimelineEntry
from tests.scheduler_core.compare.upgrade.clusters import generated, inputs_of, node, pod, recorded

TAINT = {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}


def test_the_table_names_behaviours():
    assert _NEEDS.keys() <= BEHAVIOURS.keys()


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 6))])
def test_what_is_absent_decides_nothing(seed):
    inputs = versions_of(generated(seed), "1.34")
    differing = behaviours_of("1.34").difference(behaviours_of("1.36"))
    absent = absences(inputs, differing)
    assert {"device_taints", "declared_features"} <= absent.keys()
    assert "image_volumes_count" not in absent
    other = behaviours_of("1.36")
    switched = ",".join(f"{name}={str(getattr(other, name)).lower()}" for name in sorted(absent))
    assert attempts_of(recorded(versions_of(inputs, "1.34", switched=switched))) == attempts_of(recorded(inputs))


@pytest.mark.parametrize(
    ("behaviour", "thing"),
    [
        ("taint_is_named", node("m", spec={"taints": [TAINT]})),
        ("image_volumes_count", pod("b-0", "1", "1Gi", volumes=[{"name": "v", "image": {"reference": "m:1"}}])),
        ("pod_level_resources", pod("b-0", "1", "1Gi", resources={"requests": {"cpu": "2"}})),
    ],
)
def test_what_a_timeline_brings_is_there(behaviour, thing):
    without = inputs_of([node("n"), pod("a-0", "1", "1Gi")])
    assert behaviour in absences(without, (behaviour,))
    added = inputs_of([thing]).objects
    timeline = Timeline((TimelineEntry(1_000_000, "put", (added.pods or added.nodes)[0]),))
    assert not absences(msgspec.structs.replace(without, timeline=timeline), (behaviour,))
