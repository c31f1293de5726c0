"""Titles and kinds looked up by plugin and by code."""

from __future__ import annotations

from scheduler_core.framework.contracts.obstacles import KINDS, ObstacleKind, refused_by
from scheduler_core.framework.contracts.plugin import EnqueueExtension, FilterPlugin, NoArgs
from scheduler_core.profiles.obstacle_kinds import kind_of, kinds_by_plugin, title_of, wakes_of
from scheduler_core.profiles.registry import IN_TREE, in_tree

OWN = ObstacleKind("QUIET_NODES_FULL", "not quiet", "cluster")


class QuietNodes(FilterPlugin[NoArgs]):
    name, Args, title, obstacles = "QuietNodes", NoArgs, "Not quiet", (OWN,)


def test_a_plugin_that_may_refuse_has_a_title_and_kinds():
    declared = kinds_by_plugin()
    for plugin in IN_TREE:
        assert (title_of(plugin.name) != plugin.name) == bool(plugin.obstacles) == (plugin.name in declared)


def test_a_plugin_from_outside_is_known_by_its_registry():
    registry = in_tree().with_plugin("QuietNodes", QuietNodes)
    assert title_of("QuietNodes", registry) == "Not quiet"
    assert kinds_by_plugin(registry)["QuietNodes"] == (OWN,)
    assert kind_of("QUIET_NODES_FULL", registry) == OWN
    assert title_of("QuietNodes") == "QuietNodes"


def test_kinds_of_codes():
    assert kind_of("SHORT_CPU") is KINDS["SHORT_CPU"]
    assert kind_of("Other_REFUSED") == refused_by("Other")
    assert kind_of("WHATEVER").means == "WHATEVER"


def test_a_plugin_that_registers_for_events_says_which():
    waking = {plugin.name for plugin in IN_TREE if issubclass(plugin, EnqueueExtension)}
    assert {plugin.name for plugin in IN_TREE if wakes_of(plugin.name)} == waking
    assert wakes_of("Unknown") == ()


def test_a_factory_that_is_no_class_has_neither():
    registry = in_tree().with_plugin("Made", lambda args, handle: None)
    assert title_of("Made", registry) == "Made"
    assert "Made" not in kinds_by_plugin(registry)
