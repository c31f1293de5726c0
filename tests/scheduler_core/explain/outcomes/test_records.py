"""Where a pod's wait went: parts that follow each other, and add up to it."""

from __future__ import annotations

import pytest

from scheduler_core.explain.outcomes import records as rec
from scheduler_core.explain.outcomes.records import PART_OF_LANE, PARTS, PodRecord, Spent, added
from scheduler_core.queue.types import LANES
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine.scenarios import everything, teaching
from tests.scheduler_core.explain.outcomes.runs import summed_up, tallied
from tests.scheduler_core.explain.outcomes.summed_runs import inputs_of
from tests.scheduler_core.recording.test_against_engine import SEEDS, generated

SECOND = 1_000_000
RUNS = [teaching, everything, *(lambda seed=seed: generated(seed) for seed in SEEDS)]


def moved(at, target, source=""):
    return ev.QueueMove(at=at, pod="a/p", source=source, target=target, event="any")


def parts(spent):
    return {part: micros for part, micros in zip(PARTS, spent, strict=True) if micros}


def test_every_lane_is_a_part():
    assert set(PART_OF_LANE) == set(LANES)
    assert set(PART_OF_LANE.values()) < set(PARTS)


def test_each_part_goes_on_until_the_next_event():
    spent = Spent()
    spent.moved(moved(2, "gated"))
    spent.moved(moved(5, "active"))
    spent.moved(moved(9, "in_flight"))
    spent.enter(rec.BINDING, 10)
    spent.moved(moved(15, "", "in_flight"))  # it leaves the queue, and is bound at the same moment
    assert parts(spent.until(15)) == {rec.GATED: 3, rec.ACTIVE: 4, rec.CYCLE: 1, rec.BINDING: 5}
    spent.enter("", 15)
    assert spent.until(99) == spent.until(15)


def test_what_is_in_no_queue_and_has_no_node_is_outside():
    spent = Spent()
    spent.moved(moved(0, "active"))
    spent.moved(moved(1, "", "active"))
    spent.moved(moved(4, "active"))
    assert parts(spent.until(4)) == {rec.ACTIVE: 1, rec.OUTSIDE: 3}


def test_parts_of_several_pods_are_added_one_by_one():
    assert added([(1,) * len(PARTS), (2,) * len(PARTS)]) == (3,) * len(PARTS)
    assert added([]) == (0,) * len(PARTS)


def test_a_wait_ends_with_the_binding_with_the_pod_or_is_not_over():
    assert PodRecord("a/p").wait(9) == -1
    assert PodRecord("a/p", came=2).wait(9) == 7
    assert PodRecord("a/p", came=2, exists=False, gone_at=5).wait(9) == 3
    assert PodRecord("a/p", came=2, bound_at=4, exists=False, gone_at=5).wait(9) == 2


@pytest.mark.slow
@pytest.mark.parametrize("cycles", [None, 3, 17])
@pytest.mark.parametrize("inputs", RUNS)
def test_the_parts_add_up_to_the_wait(inputs, cycles):
    _, tally = tallied(inputs(), cycles)
    came = [one for one in tally.records if one.came >= 0]
    assert came
    for one in came:
        assert sum(one.spent.until(tally.state.at)) == one.wait(tally.state.at), one.pod


def test_a_pod_that_came_gated_waited_there_then_in_the_queue():
    pods = [make_pod("free"), make_pod("held", scheduling_gates=("example.com/hold",))]
    released = TimelineEntry(4 * SECOND, "put", make_pod("held"))
    outcomes = summed_up(inputs_of([make_node("n")], pods, timeline=Timeline.of([released])))
    spent = {one.pod: parts(one.spent) for one in outcomes.pods}
    assert spent["default/held"] == {rec.GATED: 4 * SECOND, rec.BINDING: 5_000}
    assert spent["default/free"] == {rec.BINDING: 5_000}
    assert not any(one.still_waits for one in outcomes.pods)
    (line,) = outcomes.by_priority
    assert (line.pods, sum(line.spent)) == (2, 4 * SECOND + 10_000)
