"""Every step inside of a request's range keeps the winner, and one step outside does not: decided by the engine."""

from __future__ import annotations

import os
from itertools import count
from random import Random

import pytest

from scheduler_core.api.resources import pod_requests
from scheduler_core.explain.rivals.requests import edited, request_ranges, scale_step, steps_for
from scheduler_core.explain.sessions import Changes, at_cycle
from tests.scheduler_core.crowded import crowded, from_scratch, pod_of, recorded
from tests.scheduler_core.engine.scenarios import teaching

LONG = os.environ.get("TEST_ANSWERS") == "long"
CYCLES = 500 if LONG else 5
INSIDE = 12


@pytest.fixture(scope="module")
def demo():
    inputs = teaching()
    return recorded(inputs), inputs


@pytest.mark.slow
@pytest.mark.parametrize("cycle", [5, 9])
def test_the_plain_engine_decides_so_on_both_sides_of_each_end(demo, cycle):
    reader, inputs = demo
    trials, key = at_cycle(reader, inputs, cycle), pod_of(reader, cycle)
    best, pod = trials.attempt(key).tied, trials.pod(key)
    ranges = request_ranges(trials, key)

    def tied(resource, amount):
        return from_scratch(trials, key, edited=edited(pod, resource, amount)).attempt(key).tied

    assert [one.resource for one in ranges] == ["cpu", "memory"]
    for one in ranges:
        assert one.least <= one.request <= one.most
        assert tied(one.resource, one.least) == tied(one.resource, one.most) == best
        if one.least > one.lowest:
            assert tied(one.resource, one.least - one.step) == one.below != best
        if one.most < one.limit:
            assert tied(one.resource, one.most + one.step) == one.above != best


def placed(n):
    """(trials, pod) of so many random cycles of generated clusters in which a node was found."""
    for seed in count(700):
        inputs, draw = crowded(seed), Random(seed)
        reader = recorded(inputs)
        for cycle in draw.sample(range(1, reader.last_cycle() + 1), min(6, reader.last_cycle())):
            trials, key = at_cycle(reader, inputs, cycle), pod_of(reader, cycle)
            if trials.attempt(key).is_scheduled:
                yield trials, key
                n -= 1
                if not n:
                    return


@pytest.mark.slow
def test_on_generated_clusters_each_range_ends_where_the_winner_changes_and_not_before():
    flips = ranges = 0
    for trials, key in placed(CYCLES):
        best, pod, draw = trials.attempt(key).tied, trials.pod(key), Random(key)
        for one in request_ranges(trials, key):

            def tied(amount, resource=one.resource, pod=pod, trials=trials, key=key):
                return trials.attempt(key, Changes(pod=edited(pod, resource, amount))).tied

            assert one.in_time
            steps = range(one.least, one.most + 1, one.step)
            assert one.request in steps
            ranges += 1
            for amount in draw.sample(steps, min(INSIDE, len(steps))) if not LONG else steps:
                assert tied(amount) == best
            for beyond, tied_there in ((one.least - one.step, one.below), (one.most + one.step, one.above)):
                if one.lowest <= beyond <= one.limit:
                    assert tied(beyond) == tied_there != best
                    flips += 1
                else:
                    assert tied_there == ()
    assert ranges > CYCLES / 2
    assert flips > CYCLES / 2


def test_without_time_nothing_is_claimed(demo):
    reader, inputs = demo
    ranges = request_ranges(at_cycle(reader, inputs, 5), pod_of(reader, 5), lambda: True)
    assert all((one.least, one.most, one.in_time) == (one.request, one.request, False) for one in ranges)
    assert len(ranges) == 2


def test_with_little_time_the_nearest_steps_of_each_resource_are_tried(demo):
    reader, inputs = demo
    calls = iter(range(100))
    ranges = request_ranges(at_cycle(reader, inputs, 5), pod_of(reader, 5), lambda: next(calls) == 3)
    assert {one.n_tried for one in ranges} == {6}
    assert not any(one.in_time for one in ranges)


def test_a_pod_that_found_no_node_has_no_ranges(demo):
    reader, inputs = demo
    assert request_ranges(at_cycle(reader, inputs, 62), "data/warehouse-0") == ()


def test_the_scale_goes_beyond_the_largest_node_or_as_far_as_its_steps(demo):
    reader, inputs = demo
    for one in request_ranges(at_cycle(reader, inputs, 5), pod_of(reader, 5), lambda: True):
        largest = max(node.allocatable[one.resource] for node in inputs.objects.nodes)
        assert one.limit > min(largest, one.request + one.step * steps_for(7))
        assert one.is_whole == (one.limit > largest)
        assert (one.limit - one.request) % one.step == 0 == (one.request - one.lowest) % one.step


def test_steps_are_round_fewer_where_nodes_are_many_and_fine_beside_the_request():
    assert [scale_step("cpu", 16_000, 64_000, n) for n in (7, 1500, 5000)] == [500, 500, 1000]
    assert scale_step("cpu", 3152, 128_000, 1500) == 200
    assert scale_step("cpu", 100, 4000, 4) == 10
    assert scale_step("memory", 200 << 30, 256 << 30, 5000) == 4 << 30
    assert scale_step("memory", 1 << 20, 64 << 30, 7) == 1 << 20
    assert scale_step("example.com/gpu", 1, 8, 7) == 1


def test_an_edited_pod_asks_for_exactly_the_amount(demo):
    reader, inputs = demo
    pod = at_cycle(reader, inputs, 5).pod(pod_of(reader, 5))
    for amount in (0, 100, 600, 2345):
        assert pod_requests(edited(pod, "cpu", amount)).get("cpu", 0) == amount
