"""The list of events: windows join without holes, cycles stay whole, silence is the run's own."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard.debugger.events.chain import chain_of
from dashboard.debugger.events.listing import BLOCK, CycleHead, EventRow, TimeGap, window_around, window_beside
from dashboard.debugger.events.panel import events_panel, more_events
from dashboard.runs.models import Cycle, QueueMove
from scheduler_core.recording.events import CycleFinished

pytestmark = pytest.mark.django_db


def numbers(items):
    """The numbers of all events in a list, heads included where the list has their first event."""
    found = []
    for item in items:
        if isinstance(item, CycleHead):
            found += [item.row.number, *(row.number for row in item.rows)]
        elif isinstance(item, EventRow):
            found.append(item.number)
    return found


def test_a_list_of_all_kinds_has_every_event_once(run, cursor_at):
    kinds = "object,queue,wake,cycle,refused,preemption,eviction,bound,error,calls"
    panel = events_panel(cursor_at(seq=1, kinds=kinds))
    found, more = numbers(panel.items), panel.after
    while more is not None:
        page = more_events(cursor_at(seq=1, kinds=kinds), found[-1], None)
        found, more = found + numbers(page.items), page.after
    assert found == list(range(1, run.head.seq + 1))


def test_windows_are_whole_blocks_so_that_a_step_nearby_keeps_the_rows(index):
    everything = np.ones(len(index), bool)
    assert window_around(index, everything, 1) == window_around(index, everything, 2)


def test_windows_to_both_sides_meet(index):
    shown = np.ones(len(index), bool)
    middle = window_around(index, shown, len(index) - 1)
    if middle.n_before:
        before = window_beside(index, shown, None, middle.seqs[0])
        assert before.seqs[-1] == middle.seqs[0] - 1
    start = window_around(index, shown, 0)
    behind = window_beside(index, shown, start.seqs[-1], None)
    assert behind.seqs[:1] in ([], [start.seqs[-1] + 1])
    assert start.n_before == 0
    assert start.total == len(index)


def test_no_window_tears_a_cycle_apart(index):
    shown = np.ones(len(index), bool)
    for seq in range(0, len(index), 7):
        window = window_around(index, shown, seq)
        for edge, beside in ((window.seqs[0], window.seqs[0] - 1), (window.seqs[-1], window.seqs[-1] + 1)):
            if 0 <= beside < len(index) and index.cycles[edge]:
                assert index.cycles[beside] != index.cycles[edge]
        assert len(window.seqs) >= min(BLOCK, len(index))


def test_a_cycle_has_a_head_that_says_how_it_ended(run, cursor_at, cycle_of):
    cycle = cycle_of("big-0")
    panel = events_panel(cursor_at(cycle=cycle.number))
    head = next(item for item in panel.items if isinstance(item, CycleHead) and item.cycle == cycle.number)
    assert head.title.startswith("big-0, attempt 1 · unschedulable, nominated full-")
    assert head.title.endswith(f"{cycle.last_seq - cycle.first_seq + 1} events")
    assert head.row.number == cycle.first_seq + 1


def test_the_time_stands_where_it_changes(run, cursor_at):
    rows = [item for item in events_panel(cursor_at(seq=1, kinds="bound")).items if isinstance(item, EventRow)]
    times = [row.time for row in rows if row.time]
    assert times[0]
    assert len(times) == len(set(times))


def test_silence_is_shown_between_events_of_the_run(run, cursor_at, index):
    panel = events_panel(cursor_at(seq=1))
    gaps = [item for item in panel.items if isinstance(item, TimeGap)]
    silent = np.flatnonzero(np.diff(index.at) >= 5_000_000)
    assert len(gaps) == len(silent)


def test_the_event_at_the_cursor_is_listed_whatever_the_filter_says(run, cursor_at, recorded):
    ends = [seq for seq, event in enumerate(recorded) if isinstance(event, CycleFinished)]
    panel = events_panel(cursor_at(seq=ends[0] + 1, kinds="queue"))
    assert panel.is_extra
    assert ends[0] + 1 in numbers(panel.items)
    assert not events_panel(cursor_at(seq=ends[0] + 1, kinds="calls,refused")).is_extra


def test_rows_name_their_cause_with_the_way_to_it(run, cursor_at):
    move = QueueMove.objects.get(run=run, event="AssignedPodDelete", pod="default/big-0")
    panel = events_panel(cursor_at(seq=move.seq + 1))
    row = next(item for item in panel.items if isinstance(item, EventRow) and item.number == move.seq + 1)
    assert row.role == "is-cursor"
    assert row.cause.text.endswith("gone")
    assert f"seq={row.cause.number}" in row.cause_url
    cause = next(item for item in panel.items if isinstance(item, EventRow) and item.number == row.cause.number)
    assert cause.role == "is-cause"


def test_the_chain_leads_to_an_input_and_to_all_effects(run, index, cursor_at):
    move = QueueMove.objects.get(run=run, event="AssignedPodDelete", pod="default/big-0")
    chain = chain_of(index, move.seq)
    assert all(index.causes[later] == earlier for earlier, later in zip(chain.back, chain.back[1:], strict=False))
    assert index.causes[chain.back[0]] == chain.end == -1
    bound = Cycle.objects.get(run=run, pod="default/big-0", outcome="scheduled")
    assert bound.first_seq in chain.effects
    walk = events_panel(cursor_at(seq=move.seq + 1)).walk
    assert walk is not None
    assert walk.here.number == move.seq + 1
    assert [step.number for step in walk.back[:-1]] == [seq + 1 for seq in chain.back[-8:]]
    assert walk.back_title == f"Because of, {len(chain.back)} steps back to start of the run"


def test_a_long_chain_is_cut_and_shown_whole_when_asked(run, index, cursor_at):
    longest = max(range(len(index)), key=lambda seq: len(chain_of(index, seq).back))
    count = len(chain_of(index, longest).back)
    assert count > 8
    walk = events_panel(cursor_at(seq=longest + 1)).walk
    assert (len(walk.back) - 1, walk.n_back) == (8, count - 8)
    whole = events_panel(cursor_at(seq=longest + 1), whole=True).walk
    assert (len(whole.back) - 1, whole.n_back) == (count, 0)


def test_there_is_no_chain_before_the_first_event(run, cursor_at):
    panel = events_panel(cursor_at(seq=0))
    assert panel.walk is None
    assert numbers(panel.items)[0] == 1


def test_pods_that_the_same_event_woke_say_what_came_of_them(run, cursor_at):
    moves = list(QueueMove.objects.filter(run=run, event="AssignedPodDelete").order_by("seq"))
    assert len(moves) > 1
    walk = events_panel(cursor_at(seq=moves[0].seq + 1)).walk
    assert {one.pod for one in walk.siblings} <= {move.pod for move in moves[1:]}
    assert all(one.outcome in ("then bound", "failed again", "not tried again") for one in walk.siblings)
