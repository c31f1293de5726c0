"""What is selected at a cursor, and which cursor an address opens."""

from __future__ import annotations

import pytest

from dashboard.common.problems import BadQuery
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.cursor.selection import opened, selection_of
from dashboard.runs.models import Cycle, Run, State


def selected(run, **query):
    """Return the selection of an address."""
    return selection_of(cursor_of(run, "team", {name: str(value) for name, value in query.items()}))


@pytest.fixture
def attempts(run):
    """The cycles of the pod that was tried most often."""
    cycles = list(Cycle.objects.filter(run_id=run.pk, pod="default/big-0").order_by("number"))
    assert len(cycles) > 1
    return cycles


def test_without_a_pod_it_is_the_one_of_the_cursor_s_cycle(run):
    for cycle in Cycle.objects.filter(run_id=run.pk):
        selection = selected(run, cycle=cycle.number)
        assert (selection.pod, selection.cycle, selection.is_explicit) == (cycle.pod, cycle.number, False)
        assert not selection.is_last_decision
    before = selected(run, seq=0)
    assert (before.pod, before.attempt, before.is_last_decision) == ("", None, False)


def test_a_selected_pod_is_shown_by_its_last_attempt_at_or_before_the_cursor(run, attempts):
    for seq in range(run.head.seq + 1):
        selection = selected(run, seq=seq, pod="default/big-0")
        started = [cycle for cycle in attempts if cycle.first_seq < seq]
        assert selection.attempt == (started[-1] if started else None)
        inside = bool(started) and seq <= started[-1].last_seq + 1
        assert selection.is_last_decision == (bool(started) and not inside)


def test_the_address_of_a_click_opens_the_pod_s_last_attempt(run, attempts):
    last = attempts[-1]
    cursor = opened(run, "team", {"seq": str(run.head.seq), "select": last.pod, "tab": "why", "node": "full-a"})
    assert cursor.url().endswith(f"?cycle={last.number}&tab=why&node=full-a&pod=default%2Fbig-0")
    assert cursor.seq == last.last_seq + 1
    first = attempts[0]
    cursor = opened(run, "team", {"seq": str(last.first_seq), "select": last.pod})
    assert cursor.named == first.number


def test_a_click_on_a_pod_that_was_not_tried_keeps_the_moment(run):
    cursor = opened(run, "team", {"seq": "3", "select": "default/gated-0"})
    assert cursor.url().endswith("?seq=3&pod=default%2Fgated-0")
    assert selection_of(cursor).attempt is None


def test_an_address_without_a_moment_opens_the_head_of_a_run_that_goes_on(run):
    Run.everything.filter(pk=run.pk).update(state=State.RUNNING)
    run.refresh_from_db()
    cursor = opened(run, "team", {"tab": "why"})
    assert (cursor.seq, cursor.is_plain, cursor.view.tab) == (run.head.seq, True, "why")


def test_a_run_without_any_failure_opens_at_the_end_of_its_first_cycle(plain_run):
    assert opened(plain_run, "team", {}).named == 1


def test_a_name_that_is_too_long_is_refused(run):
    with pytest.raises(BadQuery):
        opened(run, "team", {"select": "x" * 500})


def test_a_step_by_event_keeps_the_selected_pod_and_one_to_a_cycle_does_not(run):
    cursor = cursor_of(run, "team", {"seq": "9", "pod": "team/p", "uid": "u"})
    assert cursor.url(seq=10).endswith("?seq=10&pod=team%2Fp&uid=u")
    assert cursor.url(cycle=2).endswith("?cycle=2")
    for pod in ("team/p", "a b&c/d"):
        assert cursor.pod_urls()(pod) == cursor.pod_url(pod)
