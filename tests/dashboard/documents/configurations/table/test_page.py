"""The table of a configuration as its page shows it."""

from __future__ import annotations

import json

from dashboard.documents.configurations.table.edits import decoded
from dashboard.documents.configurations.table.effective import effective
from dashboard.documents.configurations.table.page import ConfigTable, TableSelection, defaults
from dashboard.documents.yaml_templates import CONFIGURATION_TEMPLATES
from scheduler_core.profiles.defaults import DEFAULT_MULTI_POINT
from tests.dashboard.documents.configurations.table.random_edits import configuration_of

TWO = effective(configuration_of(CONFIGURATION_TEMPLATES["two-profiles"].text))


def table(**selection):
    return ConfigTable(TWO, defaults(), "the defaults", TableSelection(**selection))


def row(page, name):
    return next(one for one in page.rows if one.name == name)


def test_rows_come_in_the_order_of_kube_scheduler_whatever_is_on():
    names = [one.name for one in table(profile=1).rows]
    assert names[: len(DEFAULT_MULTI_POINT)] == [ref.name for ref in DEFAULT_MULTI_POINT]
    assert not row(table(), "Coscheduling").is_used
    assert row(table(), "NodeName").is_used


def test_a_cell_is_where_the_plugin_takes_part_and_turns_itself_around():
    page = table(profile=1)
    cells = {cell.point: cell for cell in row(page, "NodeResourcesBalancedAllocation").cells if cell is not None}
    assert list(cells) == ["preScore", "score"]
    assert cells["preScore"].is_on
    assert (cells["score"].is_on, cells["score"].differs, cells["score"].weight) == (False, True, None)
    edit = decoded(cells["score"].edit)
    assert (edit.profile, edit.plugin, edit.point, edit.on) == (1, "NodeResourcesBalancedAllocation", "score", True)
    assert json.loads(cells["preScore"].edit)["on"] is False


def test_differences_are_counted_at_the_row_and_at_the_tab():
    page = table(profile=1)
    assert row(page, "NodeResourcesBalancedAllocation").n_differences == 1
    assert [(name, n > 0) for _, name, n in page.tabs] == [("default-scheduler", False), ("batch-scheduler", True)]


def test_one_thing_is_selected_a_plugin_or_a_point_or_the_settings():
    assert table(plugin="NodeResourcesFit").plugin == "NodeResourcesFit"
    assert table(plugin="<script>").plugin == ""
    point = table(plugin="NodeResourcesFit", point="filter")
    assert (point.plugin, point.point, point.order[0].name) == ("", "filter", "NodeUnschedulable")
    assert table(point="nowhere").order == []
    assert table(profile=-1).shows_settings
    assert table(profile=99).number == 0
