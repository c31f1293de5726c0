"""The table of the map's nodes."""

from __future__ import annotations

import pytest

from dashboard.debugger.panels.cluster_map import node_table
from dashboard.debugger.panels.cluster_map.node_table import node_table as table_of


def table(panel, sort="group", page=1):
    """Return the table of a panel."""
    return table_of(panel.nodes, panel.choice.chosen, sort, page)


def test_table_says_of_every_node_what_the_map_draws(panel):
    map_panel = panel("one")
    lines = table(map_panel).lines
    assert [line.name for line in lines] == map_panel.nodes.names
    by_name = {line.name: line for line in lines}
    assert (by_name["t4-0"].verdict, by_name["t4-0"].share, by_name["t4-0"].free) == ("refused", "100 %", "0")
    assert (by_name["cpu-0"].verdict, by_name["cpu-0"].share) == ("has no gpu", "none")
    assert [line.name for line in lines if line.is_winner] == [map_panel.source.cycle.winner]
    assert sum(line.is_equal for line in lines) == int(map_panel.nodes.is_equal.sum())


@pytest.mark.parametrize("column", ["group", "node", "verdict", "total", "share", "free"])
def test_each_column_sorts_both_ways(panel, column):
    map_panel = panel("one")
    there, back = table(map_panel, column), table(map_panel, f"-{column}")
    key = {
        "group": lambda line: map_panel.nodes.place_of[line.name],
        "node": lambda line: line.name,
        "verdict": lambda line: node_table.RANKS[map_panel.nodes.states[map_panel.nodes.place_of[line.name]]],
        "total": lambda line: -map_panel.nodes.totals[map_panel.nodes.place_of[line.name]],
        "share": lambda line: -map_panel.nodes.share[map_panel.nodes.place_of[line.name]],
        "free": lambda line: -(map_panel.nodes.whole - map_panel.nodes.used)[map_panel.nodes.place_of[line.name]],
    }[column]
    keys = [key(line) for line in there.lines]
    assert keys == sorted(keys)
    keys = [key(line) for line in back.lines]
    assert keys == sorted(keys, reverse=True)
    place = ["group", "node", "verdict", "total", "share", "free"].index(column)
    assert {there.columns[place].aria, back.columns[place].aria} == {"ascending", "descending"}
    assert there.columns[place].sort == f"-{column}"


def test_table_opens_at_the_page_of_the_selected_node(panel, monkeypatch):
    monkeypatch.setattr(node_table, "PAGE", 5)
    lines_page = table(panel("one", node="cpu-1"), page=0)
    assert (lines_page.place, lines_page.before, lines_page.after) == ("11 to 12 of 12", 2, 0)
    assert [line.name for line in lines_page.lines if line.is_selected] == ["cpu-1"]
    assert table(panel("one"), page=0).place == "1 to 5 of 12"
    assert table(panel("one"), page=99).place == "11 to 12 of 12"
