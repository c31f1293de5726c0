"""What each quantity counts: thresholds, populations, and the counter of a run's events."""

from __future__ import annotations

import pytest

from scheduler_core.recording import events as ev
from scheduler_core.recording import quantities as qu
from scheduler_core.recording.quantities import NARROW, Totals, TotalsCounter, is_narrow, is_tie, percentile
from tests.scheduler_core.explain.outcomes.runs import recorded
from tests.scheduler_core.recording.test_against_engine import SEEDS, generated

NAMES = {value for name, value in vars(qu).items() if name.isupper() and isinstance(value, str) and name != "PLACED"}


def test_each_quantity_says_what_it_counts():
    assert set(qu.MEANINGS) == NAMES
    assert len(set(qu.MEANINGS.values())) == len(NAMES)


@pytest.mark.parametrize(
    ("outcome", "equals", "margin", "expected"),
    [
        ("scheduled", 1, NARROW - 1, (False, True)),
        ("scheduled", 1, NARROW, (False, False)),
        ("scheduled", 1, None, (False, False)),
        ("scheduled", 3, 0, (True, False)),
        ("unschedulable", 3, 0, (False, False)),
        ("error", 1, 1, (False, False)),
    ],
)
def test_only_placements_are_drawn_or_won_narrowly_and_none_is_both(outcome, equals, margin, expected):
    assert (is_tie(outcome, equals), is_narrow(outcome, equals, margin)) == expected


def test_a_percentile_is_a_value_that_occurs():
    assert [percentile([1, 2, 3, 4], percent) for percent in (0, 50, 95, 100)] == [1, 2, 4, 4]
    assert percentile([], 50) == -1


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_is_counted_as_its_recorded_state_counts_it(seed):
    _, reader = recorded(generated(seed))
    counter = TotalsCounter()
    for _, event in reader.events(0, reader.head_seq()):
        counter.take(event)
    counts, totals = reader.state_at(reader.head_seq()).counts, counter.totals
    assert (totals.placements, totals.bindings) == (counts.scheduled, counts.bound)
    assert (totals.preemptions, totals.victims) == (counts.preemptions, counts.victims)
    assert totals.placements >= totals.ties + totals.narrow_wins


def test_a_choice_counts_for_its_own_cycle_alone():
    counter = TotalsCounter()
    for event in (
        ev.HostSelected(at=0, cycle=1, node="a", total=9, second="b", second_total=9, tie_count=2),
        ev.CycleFinished(at=0, cycle=1, pod="p", outcome="scheduled", node="a"),
        ev.CycleFinished(at=0, cycle=2, pod="q", outcome="scheduled", node="a"),
    ):
        counter.take(event)
    assert counter.totals == Totals(placements=2, ties=1)
