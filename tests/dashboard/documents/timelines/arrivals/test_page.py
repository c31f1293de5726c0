"""Strip, table and choices of a revision."""

from __future__ import annotations

from dashboard.documents.timelines.arrivals.actions import undo
from dashboard.documents.timelines.arrivals.choice import ArrivalChoice
from dashboard.documents.timelines.arrivals.page import ArrivalsPage
from tests.dashboard.documents.timelines.arrivals.some_entries import entry, rush, stored


def page(revision, query=None, **choice):
    """Return the page of a revision."""
    return ArrivalsPage(revision, ArrivalChoice(**choice), query or {})


def test_a_page_counts_what_the_timeline_has(editor):
    shown = page(stored(editor.member, rush()))
    assert (shown.total, shown.last, shown.n_ends) == (5, "10s", 1)
    assert [(one.value, one.n) for one in shown.owners] == [("app=web", 4), ("app=job", 1)]
    assert [(one.value, one.n) for one in shown.namespaces] == [("default", 4), ("batch", 1)]
    assert [at for _, at in shown.table.items] == ["1s", "2s", "2s", "4s", "10s"]
    assert shown.actions == ("add", "update", "delete")
    assert shown.undoes == shown.address == ""
    assert shown.can_change


def test_the_table_has_what_is_chosen_in_pages(editor):
    revision = stored(editor.member, [entry(f"{i}s", f"web-{i}") for i in range(120)])
    shown = page(revision, {"page": "2"}, start=10_000_000)
    assert len(shown.chosen) == shown.table.total == 110
    assert shown.table.items[0][1] == "60s"
    assert shown.address == "from=10s&page=2"
    assert sum(map(sum, shown.strip.counts(shown.chosen))) == 110


def test_a_value_that_nothing_has_is_still_offered_where_it_is_chosen(editor):
    shown = page(stored(editor.member, rush()), owner="gone", namespace="gone")
    assert (shown.owners[-1], shown.namespaces[-1]) == (("gone", 0), ("gone", 0))
    assert shown.table.items == []


def test_only_the_newest_revision_of_a_timeline_in_use_can_be_changed(editor):
    revision = stored(editor.member, rush())
    timeline = revision.timeline
    timeline.revisions.create(number=2, parent=revision, sha256=revision.sha256, n_entries=5, message="Shift it")
    assert not page(revision).can_change
    assert (page(revision).address, page(revision).all_query) == ("r=1", "?r=1")
    newest = timeline.revisions.get(number=2)
    assert (page(newest).undoes, page(newest).all_query) == ("Shift it", "")
    undo(editor.member, timeline, 2)
    assert page(timeline.revisions.first()).undoes == "Undo: Shift it"
