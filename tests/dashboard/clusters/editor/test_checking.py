"""Text of an editor judged in its cluster."""

from __future__ import annotations

import json

import pytest

from dashboard.clusters.editor import checking
from dashboard.clusters.editor.checking import check_text
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.contents import contents_of
from dashboard.clusters.revisions.object_keys import Key
from tests.dashboard.clusters.conftest import pod, priority_class


def newest(cluster):
    return actions.newest_revision(cluster)


def test_text_is_judged_in_the_context_of_its_cluster(cluster):
    objects = contents_of(newest(cluster)).by_key
    text = json.dumps(pod("p", priorityClassName="high"))
    assert check_text(text, objects).findings == []
    assert [f.field for f in check_text(text).findings] == ["spec.priorityClassName"]
    renamed = priority_class("high", 5)
    assert check_text(json.dumps(renamed), objects, Key("PriorityClass", "", "high")).errors == []
    assert "given twice" in check_text(json.dumps(renamed), objects).errors[0].message


@pytest.mark.parametrize("text", ["", "# nothing", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"])
def test_a_text_without_an_object_is_an_error(text):
    assert len(check_text(text).errors) == 1


def test_a_text_of_too_many_values_is_refused_with_the_line(monkeypatch):
    monkeypatch.setattr(checking, "MAX_TEXT_VALUES", 50)
    (error,) = check_text("items:\n" + "- a\n" * 60).errors
    assert (error.line, error.message[:28]) == (49, "more than 50 YAML nodes in o")
