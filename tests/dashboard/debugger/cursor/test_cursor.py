"""Addresses of a cursor."""

from __future__ import annotations

import pytest

from dashboard.debugger.cursor.cursor import Cursor, View, cursor_of
from dashboard.debugger.page import CursorPage
from dashboard.runs import execution
from dashboard.runs.actions import find_run
from dashboard.runs.storage import recordings
from tests.dashboard.run_helpers import cluster_of

VIEWS = [View(), View(tab="why", sort="NodeName", page=3, node="n-1", q="a&b=1 c"), View(pod="team/p", map="cpu")]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("named", [None, 7])
def test_addresses_put_together_at_once_are_those_of_each(run, view, named):
    cursor = Cursor(run, "team", 12, None, view, named=named)
    for name, changes in (("pod", {"tab": "story"}), ("node", {"plugin": "", "page": 2})):
        url = cursor.urls(name, **changes)
        for value in ("default/web-1", "a b&c=%00", "\N{LATIN SMALL LETTER U WITH DIAERESIS}'\"<"):
            assert url(value) == cursor.url(**{name: value}, **changes)


def test_another_moment_keeps_only_what_lasts(run):
    cursor = Cursor(run, "team", 12, None, View(tab="why", node="n-1", page=3, pod="team/p"))
    assert cursor.url(cycle=4).endswith("?cycle=4&tab=why&node=n-1")
    assert cursor.url(node="").endswith("?seq=12&tab=why&pod=team%2Fp")
    with pytest.raises(TypeError):
        cursor.url(nodes="n-1")


def test_a_cycle_committed_after_the_run_was_read_opens(execute, workspace, monkeypatch):
    monkeypatch.setattr(execution, "SLICE_CYCLES", 3)
    run = execute(cluster_of(3, 12))
    earlier = find_run(workspace, run.number)
    with recordings.reading(run.pk) as reader:
        # As they were when the reader last looked.
        del reader.store._headers[1:]
        earlier.head.seq = reader.head_seq()
    assert earlier.head.seq < run.head.seq
    page = CursorPage(cursor_of(earlier, "team", {"cycle": str(run.head.cycle)}))
    assert page.moment.state.cycle == run.head.cycle
    assert page.attempt.cycle.row.number == run.head.cycle
