"""The default plugins of each version, with their weights and extension points."""

from __future__ import annotations

import pytest

from scheduler_core.profiles.defaults import DEFAULT_MULTI_POINT, default_plugins, has_point
from scheduler_core.versions.behaviours import Behaviours
from scheduler_core.versions.semantics import behaviours_of

ALWAYS = [
    *("SchedulingGates", "PrioritySort", "NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity"),
    *("NodePorts", "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone"),
    *("PodTopologySpread", "InterPodAffinity"),
]
LATER = ["DefaultPreemption", "NodeResourcesBalancedAllocation", "ImageLocality", "DefaultBinder"]


@pytest.mark.parametrize(
    ("version", "names"),
    [
        ("1.33", [*ALWAYS, *LATER]),
        ("1.34", [*ALWAYS, "DynamicResources", *LATER]),
        ("1.35", [*ALWAYS, "DynamicResources", *LATER]),
        ("1.36", [*ALWAYS, "DynamicResources", *LATER, "NodeDeclaredFeatures"]),
    ],
)
def test_each_version_has_its_plugins_in_their_order(version, names):
    assert [ref.name for ref in default_plugins(behaviours_of(version))] == names


@pytest.mark.parametrize(("version", "weight", "scores"), [("1.34", 0, False), ("1.35", 2, True)])
def test_dynamic_resources_scores_with_weight_2_since_1_35(version, weight, scores):
    behaviours = behaviours_of(version)
    ref = next(ref for ref in default_plugins(behaviours) if ref.name == "DynamicResources")
    assert (ref.weight, has_point(behaviours, ref.name, "score")) == (weight, scores)
    assert has_point(behaviours, ref.name, "filter")


def test_without_a_version_they_are_those_of_1_34():
    assert default_plugins(behaviours_of("1.34")) == default_plugins(Behaviours()) == DEFAULT_MULTI_POINT
