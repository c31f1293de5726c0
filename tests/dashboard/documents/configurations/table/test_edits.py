"""Edits of the table as a page sends them."""

from __future__ import annotations

import json

import pytest

from dashboard.common.problems import BadQuery, Problem
from dashboard.documents.configurations.table import edits
from dashboard.documents.configurations.table.edits import decoded


def test_an_edit_is_decoded_by_its_kind():
    sent = {"do": "switch", "profile": 1, "plugin": "NodeName", "point": "filter", "on": False}
    assert decoded(json.dumps(sent)) == edits.SwitchPlugin(profile=1, plugin="NodeName", point="filter", on=False)


def test_a_field_of_yaml_becomes_its_value():
    sent = {"do": "argument-text", "plugin": "NodeAffinity", "path": "addedAffinity", "text": "a:\n- 1\n"}
    assert decoded(json.dumps(sent)) == edits.SetArgument(plugin="NodeAffinity", path="addedAffinity", value={"a": [1]})
    assert decoded(json.dumps({**sent, "text": " \n"})).value is None


@pytest.mark.parametrize("text", ["a: [", "a: 1\n---\nb: 2", "&a [*a]", "x: !!python/object:os.system {}"])
def test_yaml_that_is_no_value_is_refused_with_the_field(text):
    with pytest.raises(Problem, match="addedAffinity"):
        decoded(json.dumps({"do": "argument-text", "plugin": "NodeAffinity", "path": "addedAffinity", "text": text}))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"do": "explode"}',
        "[" * 100_000,
        '{"do": "weigh", "plugin": "x", "weight": 0}',
        '{"do": "weigh", "plugin": "x", "weight": 1.5}',
        '{"do": "switch", "plugin": "x", "point": "nowhere", "on": true}',
        '{"do": "rename", "name": ""}',
        '{"do": "rename", "name": "x", "more": 1}',
        '{"do": "rename", "profile": -1, "name": "x"}',
        '{"do": "move", "plugin": "x", "point": "filter", "by": 2}',
    ],
)
def test_what_is_no_edit_is_refused(text):
    with pytest.raises(BadQuery):
        decoded(text)
