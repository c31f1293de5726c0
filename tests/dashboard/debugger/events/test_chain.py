"""The chain of causes of an event."""

from __future__ import annotations

import pytest

from dashboard.debugger.events.chain import causal_chain
from dashboard.debugger.events.panel import events_panel
from dashboard.runs.models import Cycle, QueueMove
from tests.dashboard.debugger.events.rows_shown import numbers

pytestmark = pytest.mark.django_db


def test_the_chain_leads_to_an_input_and_to_all_effects(run, index, cursor_at):
    move = QueueMove.objects.get(run=run, event="AssignedPodDelete", pod="default/big-0")
    chain = causal_chain(index, move.seq)
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
    longest = max(range(len(index)), key=lambda seq: len(causal_chain(index, seq).back))
    count = len(causal_chain(index, longest).back)
    assert count > 8
    walk = events_panel(cursor_at(seq=longest + 1)).walk
    assert (len(walk.back) - 1, walk.n_back) == (8, count - 8)
    whole = events_panel(cursor_at(seq=longest + 1), whole=True).walk
    assert (len(whole.back) - 1, whole.n_back) == (count, 0)


def test_there_is_no_chain_before_the_first_event(run, cursor_at):
    panel = events_panel(cursor_at(seq=0))
    assert panel.walk is None
    assert numbers(panel.items)[0] == 1
