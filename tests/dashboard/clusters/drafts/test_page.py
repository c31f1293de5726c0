"""A draft in the frame of its cluster: its contents in the tables, its bar with chips, undo and what others do."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from dashboard.clusters.drafts.changes import ChangeChip
from dashboard.clusters.drafts.operations import undo
from dashboard.clusters.drafts.page import BarUrls, DraftBar, changed_here, chip_folds
from tests.dashboard.clusters.conftest import node
from tests.dashboard.clusters.drafts.draft_helpers import (
    HERE,
    NODE_A,
    change,
    fresh,
    new_draft,
    page_of,
    remove,
)


@pytest.fixture
def draft(editor, owner, cluster):
    return new_draft(editor, cluster, owner)


@pytest.mark.parametrize("path", ["", "nodes/", "pods/", "objects/", "history/"])
def test_pages_in_a_draft_show_the_bar_and_stay_in_it(editor, draft, path):
    change(editor, draft, node("node-c"), "Add Node node-c")
    page = page_of(editor, f"{path}?draft={draft.pk}")
    assert 'title="added: Node node-c"' in page
    assert 'title="Undo: Add Node node-c"' in page
    assert f"{HERE}nodes/?draft={draft.pk}" in page


def test_tables_show_what_the_draft_holds(editor, draft):
    change(editor, draft, node("node-c"))
    remove(editor, draft, NODE_A)
    page = page_of(editor, f"nodes/?draft={draft.pk}")
    assert "node-c" in page
    assert ">node-a<" not in page
    assert ">node-c<" not in page_of(editor, "nodes/")


def test_many_objects_that_change_alike_share_a_chip(editor, draft):
    for number in range(5):
        change(editor, draft, node(f"new-{number}"))
    assert "new-0 … 4" in page_of(editor, f"?draft={draft.pk}")
    assert "5 of 5" in page_of(editor, f"drafts/{draft.pk}/?kind=Node&what=added")


def test_what_has_no_chip_is_counted_for_each_width():
    chips = [ChangeChip("+", "added", count, "", {}) for count in (1, 2, 3, 4, 5, 6, 7)]
    assert chip_folds(chips) == (3 + 4 + 5 + 6 + 7, 5 + 6 + 7, 7)
    assert chip_folds(chips[:3]) == chip_folds([]) == (0, 0, 0)
    assert chip_folds(chips[:4]) == (3 + 4, 0, 0)


def test_others_operations_appear_in_the_bar(editor, owner, draft):
    assert editor.get(f"{HERE}drafts/{draft.pk}/bar?seen=0").status_code == 204
    change(owner, draft, node("node-c"), "Add node-c")
    bar = editor.get(f"{HERE}drafts/{draft.pk}/bar?seen=0").content.decode()
    assert "Asha: Add node-c" in bar
    assert "bar?seen=1" in bar
    undo(owner.user, fresh(draft))
    answer = editor.get(f"{HERE}drafts/{draft.pk}/bar?seen=1")
    assert "Asha: undid" in answer.content.decode()
    assert answer["HX-Trigger"] == "draftchanged"


def test_a_page_that_stays_is_told_what_was_done_and_how_it_is_undone():
    answer = changed_here("Cordon node-a", "/undo")
    assert answer.status_code == 204
    events = json.loads(answer["HX-Trigger"])
    assert events == {"draftchanged": True, "handdone": {"text": "Cordon node-a", "undo": "/undo"}}


@pytest.mark.parametrize(
    ("names", "sentence"),
    [([], ""), (["Asha"], "Asha"), (["Asha", "Jonas"], "Asha and Jonas"), (["A", "B", "C"], "A, B and C")],
)
def test_words_of_who_else_has_the_draft_open(names, sentence):
    people = [SimpleNamespace(label=name) for name in names]
    urls = BarUrls("", "", "", "", "")
    bar = DraftBar(urls, [], chip_folds([]), 0, None, None, None, people, None)
    assert (bar.others, bar.is_shared) == (sentence, bool(names))
