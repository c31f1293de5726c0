"""Labels of the table of a configuration."""

from __future__ import annotations

from dashboard.documents.configurations.table.page import PluginCell
from dashboard.documents.templatetags.configurations import numbered, point_label, point_lines, strategy_label


def test_points_are_written_as_in_the_code_of_kube_scheduler():
    assert point_label("preFilter") == "PreFilter"
    assert point_lines("preFilter") == ["Pre", "Filter"]
    assert point_lines("score") == ["Score"]


def test_a_long_strategy_has_a_short_label():
    assert strategy_label("RequestedToCapacityRatio") == "Ratio"
    assert strategy_label("MostAllocated") == "MostAllocated"


def test_the_order_is_shown_in_the_selected_column_only():
    cell = PluginCell("NodeName", "filter", place=2, weight=None, differs=False, edit="{}")
    assert numbered(cell, "filter") == 2
    assert numbered(cell, "score") == numbered(cell, "") == 0
