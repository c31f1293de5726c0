"""Where a pod stands, in the headers of pages at every cursor of the scene."""

from __future__ import annotations

import pytest

from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.inputs.facts import facts_of
from dashboard.debugger.outcomes import summary_cache
from dashboard.debugger.page import CursorPage
from dashboard.debugger.panels.standing import AWAY, standing_of
from dashboard.debugger.why.address import why_cursor
from dashboard.debugger.why.pending import PendingPage
from scheduler_core.explain.watches.watched_state import BOUND, GONE, OUTSIDE, PLACED, pod_state
from scheduler_core.recording.state import PermitWait, Placement, QueueEntry, RunState

PODS = ("small-0", "big-0", "never-0", "gated-0", "fill-a", "fill-b")


def expected_words(state, pod):
    """Return what a header may say, by the watch of the same pod, which folds events by itself."""
    watched = pod_state(state, pod, True)
    if watched.number == BOUND:
        return {"terminating"} if pod in state.terminating else {"bound", "bound before the run"}
    if watched.number == GONE:
        return {"preempted", "deleted", "completed", "lost with its node"}
    if watched.number == PLACED:
        return {"binding", "waiting at Permit", "decided, not bound"}
    return {"not there"} if watched.number == OUTSIDE else {watched.text.partition(",")[0]}


def page_at(run, seq, name):
    """Return the page that says why, at a cursor."""
    return PendingPage(why_cursor(run, "team", {"seq": str(seq), "pod": f"default/{name}"}), is_part=True)


@pytest.mark.slow
def test_the_headers_of_a_pod_agree_with_the_cursor_at_every_event(run):
    for seq in range(run.head.seq + 1):
        state = state_at(run, seq)
        for name in PODS:
            assert standing_of(state, f"default/{name}", "").word in expected_words(state, f"default/{name}"), (
                seq,
                name,
            )
        # The page of one after the other: what it says is the standing.
        page = page_at(run, seq, PODS[seq % len(PODS)])
        standing, cycle = page.page.pod.standing, page.page.attempt.cycle
        assert standing == standing_of(state, page.cursor.view.pod, "")
        assert (page.pill[0], page.pill[2]) == (standing.meaning, standing.glyph)
        assert page.pill[1].startswith(standing.word)
        assert page.pill[1].endswith("so far") <= standing.still_waits
        assert page.is_pending or (cycle.is_done and cycle.row.outcome == "scheduled"), seq
        untried = CursorPage(page.cursor, facts_of).pod.untried
        assert untried is None or untried.pill == standing.pill


def test_at_the_end_a_pod_has_waited_as_its_outcome_says(run):
    summary_cache.forget()
    for name in PODS:
        page = page_at(run, run.head.seq, name)
        waited = page.page.pod.waited
        assert not page.is_earlier
        assert (page.outcome.wait if page.page.pod.standing.until is not None else None) == waited, name


def test_a_pod_on_its_way_to_a_node_stands_where_it_is_held():
    state = RunState(queue={"a/p": QueueEntry("in_flight")}, placements={"a/p": Placement("n", False, 3, 5)}, at=9)
    assert (standing_of(state, "a/p", "").word, standing_of(state, "a/p", "").until) == ("binding", 9)
    state.waiting["a/p"] = PermitWait("n", ("Hold",), 20)
    assert standing_of(state, "a/p", "").word == "waiting at Permit"
    state.terminating["a/p"] = "preempted by a/q"
    assert standing_of(state, "a/p", "").pill[:2] == ("victim", "terminating")
    assert standing_of(state, "a/p", "another") == AWAY
