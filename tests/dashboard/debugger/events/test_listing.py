"""The list of events: windows join without holes, cycles stay whole, silence is the run's own."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard.debugger.events.listing import CycleHead, EventRow, TimeGap
from dashboard.debugger.events.panel import events_panel
from dashboard.runs.models import QueueMove
from scheduler_core.recording.events import CycleFinished
from tests.dashboard.debugger.events.rows_shown import numbers

pytestmark = pytest.mark.django_db


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


def test_pods_that_the_same_event_woke_say_what_came_of_them(run, cursor_at):
    moves = list(QueueMove.objects.filter(run=run, event="AssignedPodDelete").order_by("seq"))
    assert len(moves) > 1
    walk = events_panel(cursor_at(seq=moves[0].seq + 1)).walk
    assert {one.pod for one in walk.siblings} <= {move.pod for move in moves[1:]}
    assert all(one.outcome in ("then bound", "failed again", "not tried again") for one in walk.siblings)
