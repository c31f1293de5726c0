"""Edits from manifests and values alone."""

from __future__ import annotations

import pytest

from dashboard.clusters.by_hand.changes import HandValues, make_edits, operation_name
from dashboard.clusters.drafts.opened import StoredObject
from dashboard.clusters.revisions.object_keys import Key, object_key
from dashboard.common.problems import Problem
from tests.dashboard.clusters.conftest import node

A, B = Key("Node", "", "a"), Key("Node", "", "b")


def test_each_object_has_its_edit_and_none_is_changed_in_place():
    stored = {A: StoredObject(b"a", node("a")), B: StoredObject(b"b", node("b"))}
    edits = make_edits("cordon", stored, HandValues())
    assert [(one.key, one.seen) for one in edits] == [(A, b"a"), (B, b"b")]
    assert [one.manifest["spec"] for one in edits] == [{"unschedulable": True}] * 2
    assert stored[A].manifest["spec"] == {}


def test_copies_take_names_that_the_draft_has_not():
    edits = make_edits(
        "duplicate", {A: StoredObject(b"a", node("a"))}, HandValues(number=2, pattern="n-#"), [Key("Node", "", "n-1")]
    )
    assert [object_key(one.manifest).name for one in edits] == ["n-2", "n-3"]
    assert [one.key for one in edits] == [None, None]


def test_too_many_copies_are_refused():
    with pytest.raises(Problem, match="from 1 to 5,000"):
        make_edits("duplicate", {A: StoredObject(b"a", node("a"))}, HandValues(number=5_001))


@pytest.mark.parametrize(
    ("what", "keys", "values", "sentence"),
    [
        ("delete", [A, B], {}, "Delete Node a and 1 more"),
        ("cordon", [A] * 5_000, {}, "Cordon a and 4,999 more"),
        ("taint", [A, B], {"key": "gpu"}, "Taint gpu:NoSchedule on a and 1 more"),
        ("untaint", [A], {"key": "gpu", "effect": ""}, "Remove taint gpu from a"),
        ("label", [A, B], {"key": "pool", "value": "x"}, "Label pool=x on a and 1 more"),
        ("resize", [A], {"amounts": {"cpu": "4", "memory": "8Gi"}}, "Resize a to 4 cpu, 8Gi memory"),
        ("bind", [Key("Pod", "default", "p")], {"place": "a"}, "Bind default/p to a"),
    ],
)
def test_words(what, keys, values, sentence):
    assert operation_name(what, keys, HandValues(**values)) == sentence
