"""The objects that an action is for."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dashboard.clusters.drafts.contents import contents_of_draft
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.workbench.picks import filtered, keys_in, picks_in
from dashboard.common.problems import BadQuery, Conflict
from tests.dashboard.clusters.drafts.draft_helpers import new_draft


@pytest.fixture
def contents(editor, cluster):
    return contents_of_draft(new_draft(editor, cluster))


def test_objects_are_named_by_lines():
    assert keys_in("Node//a\nPod/shop/web\n") == [Key("Node", "", "a"), Key("Pod", "shop", "web")]
    for text in ("Node", "Node/a", "//a", "Pod/shop/"):
        with pytest.raises(BadQuery):
            keys_in(text)


def test_a_filter_stands_for_all_that_it_finds_as_long_as_these_are_as_many(contents):
    assert filtered(contents, ":node") == [Key("Node", "", "node-a"), Key("Node", "", "node-b")]
    page = SimpleNamespace(contents=contents)
    assert len(picks_in(page, {"filter": ":po -l app=web", "count": "2"})) == 2
    with pytest.raises(Conflict, match="finds 2 objects by now, not the 3"):
        picks_in(page, {"filter": ":po -l app=web", "count": "3"})
    with pytest.raises(BadQuery, match="no kind"):
        filtered(contents, ":gizmo")
