"""A group in the list with its bar, and a new node."""

from __future__ import annotations

from dashboard.capacity.group_lines import BAR, MOST_TILES, GroupLine, NewNodeView
from scheduler_core.capacity.table import NewNode
from tests.dashboard.capacity.answers import FULL, HELPS, facts


def test_the_bar_has_what_is_there_what_is_added_and_the_maximum():
    line = GroupLine(facts("general", maximum=6), HELPS, 2, BAR / 6, "", False)
    assert line.parts == [("max", 0.0, 84.0), ("now", 0.0, 28.0), ("add", 28.0, 28.0)]
    assert (line.minimum_x, line.number, line.size, line.meaning) == (14.0, "+2", "2 of 1 to 6", "bound")


def test_a_group_at_its_maximum_is_full():
    line = GroupLine(facts("large", present=3, maximum=3), FULL, 0, 1.0, "", False)
    assert (line.number, line.meaning, line.alone) == ("full", "unsched", "lets none run")
    assert GroupLine(facts("new"), None, 0, 1.0, "", False).alone == "to be asked"


def test_a_new_node_shows_the_first_pods_and_counts_the_others():
    view = NewNodeView(NewNode(name="n", group="g", pods=tuple(f"a/p{n}" for n in range(MOST_TILES + 3))))
    assert (view.tiles[0], len(view.tiles), view.more) == (("p0", "a/p0"), MOST_TILES, 3)
