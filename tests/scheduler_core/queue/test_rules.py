"""The older queue: move requests, names of events, 60 s (the rules of the seed on PriorityQueue)."""

from __future__ import annotations

import pytest

from scheduler_core.queue.types import (
    ACTIVE,
    BACKOFF,
    ERROR_BACKOFF,
    IN_FLIGHT,
    MOVE_CYCLE_SETTINGS,
    SECOND,
    UNSCHEDULABLE,
)
from tests.scheduler_core.queue.queue_helpers import NODE_ADD, NODE_LABEL, Harness, node, pod


@pytest.fixture
def house():
    return Harness(MOVE_CYCLE_SETTINGS)


def test_a_move_request_during_the_attempt_sends_the_pod_to_backoff(house):
    house.add(pod("a"))
    queued = house.queue.pop()
    house.queue.move_all(NODE_ADD, None, node("small"))
    assert house.queue.add_unschedulable_if_not_present(queued, ("Affinity",), (), pod("a")) == BACKOFF


def test_a_move_request_of_an_earlier_cycle_does_not(house):
    house.add(pod("a"), pod("b"))
    queued = house.queue.pop()
    house.queue.move_all(NODE_ADD, None, node("small"))
    house.queue.done(queued)
    assert house.fail("b", "Fit") == UNSCHEDULABLE


def test_without_a_move_request_even_an_error_ends_in_unschedulable(house):
    house.add(pod("a"))
    assert house.fail("a") == UNSCHEDULABLE


def test_events_count_by_name_and_hints_are_not_asked(house):
    house.add(pod("a"), pod("b"))
    house.fail("a", "Fit")
    house.fail("b", "Affinity")
    house.advance(2)
    house.queue.move_all(NODE_ADD, None, node("small"))
    assert (house.names(ACTIVE), house.names(UNSCHEDULABLE)) == (["a"], ["b"])
    house.queue.move_all(NODE_LABEL, node("x"), node("x"))
    assert house.names(ACTIVE) == ["a", "b"]


def test_backoff_ends_on_the_dot_and_is_never_popped_early(house):
    house.add(pod("a"))
    house.clock = 300_000
    house.fail("a", "Fit")
    house.queue.move_all(NODE_ADD, None, node("x"))
    assert house.queue.get("default/a").backoff_until == 1_300_000
    assert house.popped() is None
    assert house.queue.next_backoff_flush() == 2 * SECOND
    house.clock = 1_300_000
    house.queue.flush_backoff_completed()
    assert house.popped() == "a"


def test_errors_share_the_one_backoff_queue(house):
    house.add(pod("a"))
    queued = house.queue.pop()
    house.queue.move_all(NODE_ADD, None, node("x"))
    assert house.queue.add_unschedulable_if_not_present(queued, (), (), pod("a")) == BACKOFF
    assert house.names(ERROR_BACKOFF) == []


def test_backoff_grows_with_the_attempts(house):
    house.add(pod("a"))
    for seconds in (1, 2, 4, 8, 10, 10):
        at = house.clock
        house.fail("a", "Fit")
        house.queue.move_all(NODE_ADD, None, node("x"))
        assert house.queue.get("default/a").backoff_until - at == seconds * SECOND
        house.advance(seconds)
        house.queue.flush_backoff_completed()


def test_pods_stay_unschedulable_for_sixty_seconds_at_the_longest(house):
    house.add(pod("a"))
    house.fail("a", "Fit")
    assert house.queue.next_unschedulable_flush() == 90 * SECOND
    house.clock = 90 * SECOND
    house.queue.flush_unschedulable_leftover()
    assert house.names(ACTIVE) == ["a"]


def test_a_time_out_of_gated_pods_alone_is_a_move_request(house):
    house.add(pod("g", scheduling_gates=("g",)), pod("a"))
    queued = house.queue.pop()
    assert house.queue.next_unschedulable_flush() == 90 * SECOND
    house.clock = 90 * SECOND
    house.queue.flush_unschedulable_leftover()
    assert house.queue.next_unschedulable_flush() is None
    assert house.queue.add_unschedulable_if_not_present(queued, ("Fit",)) == BACKOFF


def test_any_update_but_of_the_status_moves_an_unschedulable_pod(house):
    house.add(pod("a"))
    house.fail("a", "Fit")
    house.queue.update(pod("a"), pod("a", nominated_node_name="n"))
    assert house.names(UNSCHEDULABLE) == ["a"]
    house.queue.update(pod("a", nominated_node_name="n"), pod("a", labels={"x": "y"}))
    assert house.names(BACKOFF) == ["a"]


def test_an_activation_that_finds_nobody_is_a_move_request(house):
    house.add(pod("a"))
    queued = house.queue.pop()
    house.queue.activate([pod("a")])
    assert house.queue.add_unschedulable_if_not_present(queued, ("Fit",), (), pod("a")) == BACKOFF


def test_an_update_of_a_pod_in_flight_waits_for_the_end_of_the_attempt(house):
    house.add(pod("a"))
    house.queue.pop()
    house.queue.update(pod("a"), pod("a", labels={"x": "y"}))
    assert (house.names(ACTIVE), house.names(IN_FLIGHT)) == ([], ["a"])
