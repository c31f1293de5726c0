"""Labels read well, and none is missing."""

from __future__ import annotations

from dashboard.common.pages.numbers import plural
from dashboard.debugger.labels import OWN_EVENTS, listed, wakes
from scheduler_core.profiles.registry import in_tree


def test_lists_read_well():
    lists = [listed([*"abcde"[:n]]).split() for n in range(4)]
    assert lists == [[], ["a"], ["a", "and", "b"], ["a,", "b", "and", "c"]]
    assert plural(1500, "node") == "1,500 nodes"


def test_every_plugin_that_can_refuse_has_words_for_what_wakes_its_pods():
    refusing = {name for name, plugin in in_tree().factories.items() if hasattr(plugin, "events_to_register")}
    assert [name for name in refusing if wakes((name,)) == OWN_EVENTS] == []
    assert wakes(("Unheard",)) == OWN_EVENTS
    assert wakes(("NodePorts", "NodeResourcesFit")).count("Pod delete") == 1
