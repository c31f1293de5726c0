"""The list: what is counted apart, when it is full, and what the run before offers."""

from __future__ import annotations

import pytest

from dashboard.debugger.watches.panel import watch_panel
from dashboard.runs.actions import Launch, create_run
from dashboard.runs.watches import MAX_WATCHES, add_watch

pytestmark = pytest.mark.slow


def test_hits_of_queries_are_counted_apart(viewer, run, watch):
    watch("count of tie")
    watch("pods on full-a")
    lines = watch_panel(viewer.member, run).lines
    assert [(one.watch.text, one.is_counted) for one in lines] == [("count of tie", True), ("pods on full-a", False)]


def test_the_next_run_of_the_cluster_is_offered_what_was_watched_until_it_has_its_own(viewer, editor, run, watch):
    watch("pods on full-a")
    again = create_run(editor.member, Launch(run.revision))
    assert watch_panel(viewer.member, run).earlier is None
    assert watch_panel(viewer.member, again).earlier.texts == ("pods on full-a",)
    assert watch_panel(editor.member, again).earlier is None
    html = viewer.get(f"/w/team/runs/{again.number}/?seq=0").content.decode()
    assert f"Watch the 1 of run {run.number}" in html
    viewer.post(f"/w/team/runs/{again.number}/watches/take-over/")
    assert [one.watch.text for one in watch_panel(viewer.member, again).lines] == ["pods on full-a"]


def test_it_says_when_it_is_full(viewer, run, watch):
    for number in range(MAX_WATCHES):
        assert not watch_panel(viewer.member, run).is_full
        add_watch(viewer.member, run, f"pods on node-{number}")
    assert watch_panel(viewer.member, run).is_full
