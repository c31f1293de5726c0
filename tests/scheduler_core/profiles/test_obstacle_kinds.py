"""Titles and kinds looked up by plugin and by code."""

from __future__ import annotations

from scheduler_core.framework.contracts.obstacles import KINDS, ObstacleKind, refused_by
from scheduler_core.framework.contracts.plugin import EnqueueExtension, FilterPlugin, NoArgs
from scheduler_core.profiles.obstacle_kinds import find_kind, kinds_by_plugin, plugin_title, waking_events
from scheduler_core.profiles.registry import IN_TREE, LEGACY, in_tree

OWN = ObstacleKind("QUIET_NODES_FULL", "not quiet", "cluster")


class QuietNodes(FilterPlugin[NoArgs]):
    name, Args, title, obstacles = "QuietNodes", NoArgs, "Not quiet", (OWN,)


def test_a_plugin_that_may_refuse_has_a_title_and_kinds():
    declared = kinds_by_plugin()
    for plugin in (*IN_TREE, *LEGACY):
        has = (plugin_title(plugin.name) != plugin.name, bool(plugin.obstacles), plugin.name in declared)
        assert has in ((True,) * 3, (False,) * 3), f"{plugin.__name__} has a title and obstacles, or neither"


def test_a_plugin_from_outside_is_known_by_its_registry():
    registry = in_tree().with_plugin("QuietNodes", QuietNodes)
    assert plugin_title("QuietNodes", registry) == "Not quiet"
    assert kinds_by_plugin(registry)["QuietNodes"] == (OWN,)
    assert find_kind("QUIET_NODES_FULL", registry) == OWN
    assert plugin_title("QuietNodes") == "QuietNodes"


def test_kinds_of_codes():
    assert find_kind("SHORT_CPU") is KINDS["SHORT_CPU"]
    assert find_kind("Other_REFUSED") == refused_by("Other")
    assert find_kind("WHATEVER").means == "WHATEVER"


def test_a_plugin_that_registers_for_events_says_which():
    for plugin in (*IN_TREE, *LEGACY):
        assert bool(waking_events(plugin.name)) == issubclass(plugin, EnqueueExtension), (
            f"{plugin.__name__} has both `wakes` and events_to_register, or neither"
        )
    assert waking_events("Unknown") == ()


def test_a_factory_that_is_no_class_has_neither():
    registry = in_tree().with_plugin("Made", lambda args, handle: None)
    assert plugin_title("Made", registry) == "Made"
    assert "Made" not in kinds_by_plugin(registry)
