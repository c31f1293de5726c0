"""The ends of a request's range were tried: the winner stays there, and one step outside it does not."""

from __future__ import annotations

import pytest

from scheduler_core.explain.remedies.edits import asking_for, asking_for_more
from scheduler_core.explain.rivals.requests import request_ranges
from scheduler_core.explain.sessions import at_cycle
from tests.scheduler_core.crowded import from_scratch, pod_of, recorded
from tests.scheduler_core.engine.scenarios import teaching


@pytest.fixture(scope="module")
def demo():
    inputs = teaching()
    return recorded(inputs), inputs


@pytest.mark.slow
@pytest.mark.parametrize("cycle", [5, 6, 9, 14])
def test_the_plain_engine_decides_so_on_both_sides_of_each_end(demo, cycle):
    reader, inputs = demo
    trials, key = at_cycle(reader, inputs, cycle), pod_of(reader, cycle)
    best, pod = trials.attempt(key).tied, trials.pod(key)
    found = request_ranges(trials, key)

    def tied(resource, amount):
        edited = asking_for(pod, resource, amount) or asking_for_more(pod, resource, amount)
        return from_scratch(trials, key, edited=edited).attempt(key).tied

    assert [one.resource for one in found] == ["cpu", "memory"]
    for one in found:
        assert one.least <= one.request <= one.most
        assert tied(one.resource, one.least) == tied(one.resource, one.most) == best
        if one.least >= one.step:
            assert tied(one.resource, one.least - one.step) == one.below != best
        if one.most < one.limit:
            assert tied(one.resource, one.most + one.step) == one.above != best


def test_without_time_nothing_is_claimed(demo):
    reader, inputs = demo
    found = request_ranges(at_cycle(reader, inputs, 5), pod_of(reader, 5), lambda: True)
    assert all((one.least, one.most, one.in_time) == (one.request, one.request, False) for one in found)
    assert len(found) == 2
