"""The usual way of writing an edit comes first."""

from __future__ import annotations

import pytest

from dashboard.documents.configurations.table import edits
from dashboard.documents.configurations.table.page import defaults
from dashboard.documents.configurations.table.ways import DOCUMENT, ways_to_write


@pytest.mark.parametrize(
    ("edit", "writes"),
    [
        (edits.Weigh(plugin="NodeAffinity", weight=3), {}),
        (edits.Percentage(value=5), {"percentageOfNodesToScore": 5}),
        (edits.Rename(name="batch"), {"schedulerName": "batch"}),
    ],
)
def test_the_first_way_writes_the_least(edit, writes):
    root = {}
    next(ways_to_write(edit, defaults()))(root)
    assert root == {**DOCUMENT, "profiles": [{"schedulerName": "default-scheduler", **writes}]}


def test_the_last_way_writes_the_point_out():
    edit = edits.SwitchPlugin(plugin="NodePorts", point="preFilter", on=False)
    root = {"profiles": [{"plugins": {"preFilter": {"enabled": [{"name": "FromElsewhere"}]}}}]}
    *_, last = ways_to_write(edit, defaults())
    last(root)
    lists = root["profiles"][0]["plugins"]["preFilter"]
    names = [entry["name"] for entry in lists["enabled"]]
    assert lists["disabled"] == [{"name": "*"}]
    assert "NodePorts" not in names
    assert names[0] == "NodeAffinity"
    assert names[-1] == "FromElsewhere"
