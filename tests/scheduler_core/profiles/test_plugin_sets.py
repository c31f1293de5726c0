"""Which plugins run where, in which order and with which weight: defaults merged with a profile (mergePlugins,
expandMultiPointPlugins, getScoreWeights)."""

from __future__ import annotations

import pytest

from scheduler_core.manifests import config_from_raw
from scheduler_core.profiles.build import takes_part
from scheduler_core.profiles.plugin_sets import plugins_by_point, score_weights
from scheduler_core.profiles.registry import in_tree
from tests.scheduler_core.decided import config, disabled, enabled


def merged(**plugins):
    """(names by extension point, weights) of a profile with these plugin sets."""
    configuration, findings = config_from_raw(config(plugins=plugins), known_plugins=list(in_tree().factories))
    assert configuration is not None, findings
    (profile,) = configuration.profiles
    points = plugins_by_point(profile, lambda name, point: takes_part(in_tree(), name, point))
    return {point: [ref.name for ref in refs] for point, refs in points.items()}, score_weights(profile, points)


def with_weight(name: str, weight: int):
    return {"enabled": [{"name": name, "weight": weight}]}


DEFAULT_SCORES = {
    "TaintToleration": 3, "NodeAffinity": 2, "NodeResourcesFit": 1, "VolumeBinding": 1, "PodTopologySpread": 2,
    "InterPodAffinity": 2, "NodeResourcesBalancedAllocation": 1, "ImageLocality": 1,
}  # fmt: skip


def test_without_any_set_the_defaults_apply():
    points, weights = merged()
    assert weights == DEFAULT_SCORES
    assert points["score"] == list(DEFAULT_SCORES)
    assert points["postFilter"] == ["DynamicResources", "DefaultPreemption"]


def test_multi_point_enabled_with_a_weight_replaces_the_default_in_its_place():
    points, weights = merged(multiPoint=with_weight("NodeAffinity", 7))
    assert points["score"] == list(DEFAULT_SCORES)
    assert weights == {**DEFAULT_SCORES, "NodeAffinity": 7}


def test_multi_point_enabled_without_a_weight_weighs_1():
    _, weights = merged(multiPoint=enabled("TaintToleration"))
    assert weights == {**DEFAULT_SCORES, "TaintToleration": 1}


def test_an_own_weight_at_score_takes_precedence_and_the_plugin_comes_first():
    points, weights = merged(score=with_weight("ImageLocality", 9), multiPoint=with_weight("ImageLocality", 4))
    assert weights["ImageLocality"] == 9
    assert points["score"][0] == "ImageLocality"


def test_an_own_entry_at_score_without_a_weight_weighs_1_whatever_multi_point_says():
    _, weights = merged(score=enabled("TaintToleration"))
    assert weights["TaintToleration"] == 1


@pytest.mark.parametrize(
    ("point", "plugin"),
    [
        ("preEnqueue", "SchedulingGates"), ("preFilter", "NodePorts"), ("filter", "TaintToleration"),
        ("postFilter", "DefaultPreemption"), ("preScore", "NodeAffinity"), ("score", "ImageLocality"),
        ("reserve", "VolumeBinding"), ("preBind", "VolumeBinding"),
    ],
)  # fmt: skip
def test_a_plugin_disabled_at_one_point_stays_at_the_others(point, plugin):
    points, _ = merged(**{point: disabled(plugin)})
    before, _ = merged()
    assert {p for p in before if points[p] != before[p]} == {point}
    assert points[point] == [name for name in before[point] if name != plugin]


def test_disabled_at_multi_point_it_is_nowhere():
    points, weights = merged(multiPoint=disabled("NodeResourcesFit"))
    assert all("NodeResourcesFit" not in names for names in points.values())
    assert "NodeResourcesFit" not in weights


def test_a_star_at_a_point_leaves_only_what_is_enabled_there():
    points, _ = merged(filter={**disabled("*"), **enabled("NodeName")})
    assert points["filter"] == ["NodeName"]
    assert points["preFilter"] == merged()[0]["preFilter"]
