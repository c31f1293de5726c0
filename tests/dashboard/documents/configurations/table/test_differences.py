"""What a profile has otherwise than another."""

from __future__ import annotations

from dashboard.documents.configurations.table import edits
from dashboard.documents.configurations.table.differences import counterpart, differences, settings_differences
from dashboard.documents.configurations.table.effective import effective
from dashboard.documents.configurations.table.page import defaults
from dashboard.documents.configurations.table.writing import edited
from tests.dashboard.documents.configurations.table.random_edits import configuration_of

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def lines(text, base=None):
    now = effective(configuration_of(text))
    profile = now.profiles[0]
    own = differences(profile, counterpart(profile, base or defaults()))
    return [(one.plugin, one.place, one.was, one.now) for one in own + settings_differences(now, base or defaults())]


def test_nothing_differs_from_itself_and_defaults_written_out_are_no_difference():
    assert lines(HEAD) == []
    assert lines(HEAD + "podMaxBackoffSeconds: 10\n") == []


def test_each_edit_is_a_line_with_both_values():
    text = HEAD
    for edit in (
        edits.SwitchPlugin(plugin="ImageLocality", point="score", on=False),
        edits.Weigh(plugin="NodeAffinity", weight=5),
        edits.SetArgument(plugin="NodeResourcesFit", path="scoringStrategy.type", value="MostAllocated"),
        edits.Percentage(value=50),
        edits.SetSetting(name="podMaxBackoffSeconds", value=60),
    ):
        text = edited(text, edit)
    assert lines(text) == [
        ("ImageLocality", "score", "on", "off"),
        ("NodeAffinity", "score, weight", "2", "5"),
        ("NodeResourcesFit", "scoringStrategy.type", "LeastAllocated", "MostAllocated"),
        ("", "percentageOfNodesToScore", "default", "50"),
        ("", "podMaxBackoffSeconds", "10", "60"),
    ]
    assert lines(text, effective(configuration_of(text))) == []


def test_another_order_is_one_line():
    ((plugin, place, was, now),) = lines(edited(HEAD, edits.MoveCall(plugin="NodeName", point="filter", by=-1)))
    assert (plugin, place) == ("", "filter, order")
    assert was.startswith("NodeUnschedulable, NodeName")
    assert now.startswith("NodeName, NodeUnschedulable")
