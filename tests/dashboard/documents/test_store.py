"""Documents in the database: what comes back."""

from __future__ import annotations

from dashboard.clusters.revisions.object_store import Saving
from dashboard.documents import store
from tests.dashboard.clusters.conftest import pod


def test_a_timeline_comes_back_with_the_text_that_somebody_typed(timeline):
    raw = {"entries": [{"at": "10s", "action": "add", "object": pod("a")}]}
    revision = store.save_timeline(timeline, raw, Saving(None), "entries: # typed")
    assert store.read_timeline(revision) == raw
    assert store.read_typed_text(revision) == "entries: # typed"
    assert (revision.n_entries, revision.number) == (1, 2)


def test_entries_that_nobody_typed_have_no_text(timeline):
    assert store.read_typed_text(store.save_timeline(timeline, {"entries": []}, Saving(None))) == ""
