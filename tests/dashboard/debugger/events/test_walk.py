"""Windows into the list of events join without holes and tear no cycle apart."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard.debugger.events.listing import BLOCK, window_around, window_beside
from dashboard.debugger.events.panel import events_panel, more_events
from tests.dashboard.debugger.events.rows_shown import numbers

pytestmark = pytest.mark.django_db


def test_a_list_of_all_kinds_has_every_event_once(run, cursor_at):
    kinds = "object,queue,wake,cycle,refused,preemption,eviction,bound,error,calls"
    panel = events_panel(cursor_at(seq=1, kinds=kinds))
    seen, more = numbers(panel.items), panel.after
    while more is not None:
        page = more_events(cursor_at(seq=1, kinds=kinds), seen[-1], None)
        seen, more = seen + numbers(page.items), page.after
    assert seen == list(range(1, run.head.seq + 1))


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
