"""Jumps along a run agree with what one finds by looking at all of its cycles."""

from __future__ import annotations

import pytest

from dashboard.debugger.cursor import jumps as jumps_module
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.cursor.jumps import Jump, Jumps
from dashboard.debugger.cursor.queries import attempt_numbers
from dashboard.debugger.cursor.selection import selection_of
from dashboard.runs.models import Cycle, Victim
from tests.dashboard.run_helpers import node, pod


@pytest.fixture
def jumps(run):
    """A function that returns the jumps from an address."""

    def jumps(**query):
        cursor = cursor_of(run, "team", {name: str(value) for name, value in query.items()})
        return jumps_from(cursor)

    return jumps


def jumps_from(cursor):
    selection = selection_of(cursor)
    return Jumps(cursor, selection, attempt_numbers(cursor.run, selection.pod, selection.uid))


def around(rows, seq):
    """Return the jump from a cursor among cycles, by their ends."""
    behind = [row.number for row in rows if row.last_seq + 1 < seq]
    ahead = [row.number for row in rows if row.last_seq + 1 > seq]
    return Jump(max(behind, default=None), min(ahead, default=None))


@pytest.mark.slow
def test_jumps_from_every_event_find_the_nearest_cycle_of_the_kind(run, jumps):
    rows = list(Cycle.objects.filter(run_id=run.pk).order_by("number"))
    failed = [row for row in rows if row.outcome in ("unschedulable", "error")]
    evicting = set(Victim.objects.filter(run_id=run.pk, reprieved=False).values_list("cycle", flat=True))
    chosen = next(row.node for row in rows if row.node)
    about = [row for row in rows if row.node == chosen]
    emptied = set(Victim.objects.filter(run_id=run.pk, reprieved=False, node=chosen).values_list("cycle", flat=True))
    assert failed
    assert evicting
    for seq in range(run.head.seq + 1):
        jump_targets = jumps(seq=seq, node=chosen)
        assert jump_targets.failure == around(failed, seq), seq
        assert jump_targets.preemption == around([row for row in rows if row.number in evicting], seq), seq
        numbers = {row.number for row in about} | emptied
        assert jump_targets.node == around([row for row in rows if row.number in numbers], seq), seq


@pytest.mark.parametrize("most", [500, 1])
def test_attempts_are_those_of_the_selected_pod_around_the_one_shown(run, jumps, monkeypatch, most):
    # Of more attempts than are read for the page, those around are looked up.
    monkeypatch.setattr(jumps_module, "ATTEMPTS", most)
    rows = list(Cycle.objects.filter(run_id=run.pk, pod="default/big-0").order_by("number"))
    assert len(rows) > 1
    assert jumps(cycle=rows[0].number).attempt == Jump(None, rows[1].number)
    assert jumps(cycle=rows[1].number).attempt.back == rows[0].number
    # The pod is selected, and the cursor is at another one's cycle.
    assert jumps(seq=rows[1].first_seq, pod="default/big-0").attempt == Jump(None, rows[1].number)
    assert jumps(seq=0, pod="default/big-0").attempt == Jump(None, rows[0].number)


def test_without_a_pod_or_a_node_there_is_nowhere_to_go(jumps):
    assert jumps(seq=0).attempt == jumps(seq=0).node == Jump(None, None)


def test_each_jump_asks_at_most_three_times_and_reads_one_row(run, jumps, django_assert_max_num_queries):
    row = Cycle.objects.filter(run_id=run.pk).order_by("-number").first()
    for name, most in (("attempt", 2), ("node", 5), ("failure", 5), ("preemption", 3)):
        around_place = jumps(cycle=row.number, node=row.node or "full-a")
        with django_assert_max_num_queries(most):
            getattr(around_place, name)


def test_what_the_run_has_counted_none_of_is_not_looked_for(execute, django_assert_num_queries):
    run = execute([node("n1", "4"), *(pod(f"small-{n}", "100m") for n in range(3))], slug="calm", schedule="pending")
    cursor = cursor_of(run, "team", {"cycle": "2"})
    jumps = jumps_from(cursor)
    assert jumps.attempt == Jump(None, None)
    with django_assert_num_queries(0):
        assert jumps.failure == jumps.preemption == Jump(None, None)
