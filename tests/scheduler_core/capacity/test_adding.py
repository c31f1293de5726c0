from __future__ import annotations

import pytest
from msgspec.structs import replace

from scheduler_core.capacity.adding import CHEAPEST, FEWEST, which_group
from scheduler_core.capacity.groups.model import like
from scheduler_core.testing.builders import make_node
from tests.scheduler_core.capacity.clusters import resting, web

SMALL, LARGE = make_node("small", cpu="2"), make_node("large", cpu="8")
FULL = [web("a", "2", "small"), web("b", "8", "large")]


def groups(**fields):
    return [replace(like(SMALL, "small"), **fields), replace(like(LARGE, "large"), price=5.0)]


def test_of_each_group_the_fewest_nodes_count():
    cluster = resting([SMALL, LARGE], [*FULL, *(web(f"w{i}") for i in range(8))])
    small, large = which_group(cluster, groups()).groups
    assert (small.nodes, large.nodes) == (4, 1)
    assert small.is_proved
    assert large.is_proved
    assert len(small.pods) == len(large.pods) == 8


def test_what_the_template_refuses_has_its_codes():
    cluster = resting([SMALL, LARGE], [*FULL, web("big", "4")])
    small, large = which_group(cluster, groups()).groups
    assert (small.nodes, small.pods, small.codes) == (0, (), ("SHORT_CPU",))
    assert (large.nodes, large.codes) == (1, ())


def test_a_group_at_its_maximum_says_so():
    cluster = resting([SMALL, LARGE], [*FULL, *(web(f"w{i}") for i in range(8))])
    bounded = groups(maximum=3, present=("small",))[:1]
    (small,) = which_group(cluster, bounded).groups
    assert (small.nodes, len(small.pods), small.codes) == (2, 4, ("GROUP_MAXIMUM",))


def test_limits_of_a_pool_are_bounds():
    cluster = resting([SMALL, LARGE], [*FULL, web("w")])
    (small,) = which_group(cluster, groups(limits={"cpu": 3_000}, present=("small",))[:1]).groups
    assert "GROUP_LIMITS" in small.codes


def test_a_pod_that_no_group_helps_is_unplaced():
    lost = web("lost", node_selector={"disk": "tape"})
    answer = which_group(resting([SMALL], [web("a", "2", "small"), lost]), [like(SMALL)])
    assert [(one.pod, one.codes) for one in answer.unplaced] == [("default/lost", ("SELECTOR_NO_MATCH", "SHORT_CPU"))]


@pytest.mark.parametrize(("by_price", "nodes", "proved"), [
    (False, {"small": 1, "tainted": 1}, FEWEST), (True, {"small": 1, "tainted": 1}, CHEAPEST),
])  # fmt: skip
def test_a_mix_is_the_first_that_runs_all(by_price, nodes, proved):
    tainted = make_node("tainted", cpu="8", taints=["gpu=yes:NoSchedule"], extended={"example.com/gpu": "1"})
    gpu = web("gpu", tolerations=(_toleration("gpu"),), extended={"example.com/gpu": "1"})
    cluster = resting([SMALL], [web("a", "2", "small"), web("w"), gpu])
    two = [replace(like(SMALL, "small"), price=1.0), replace(like(tainted, "tainted"), price=9.0)]
    answer = which_group(cluster, two, by_price=by_price)
    assert answer.mix is not None
    assert (answer.mix.nodes, answer.mix.proved, answer.mix.price) == (nodes, proved, 10.0)
    assert answer.unplaced == ()


def test_one_pod_is_asked_as_if_no_other_waited():
    cluster = resting([SMALL], [web("a", "2", "small"), web("one"), web("two", "2")])
    answer = which_group(cluster, [like(SMALL)], "default/one")
    assert (answer.asked, answer.groups[0].nodes) == (("default/one",), 1)


def test_a_pod_that_fits_is_not_asked_for():
    answer = which_group(resting([SMALL], [web("one")]), [like(SMALL)], "default/one")
    assert (answer.asked, answer.groups[0].nodes, answer.unplaced) == ((), 0, ())


def test_a_pod_that_does_not_wait_is_no_question():
    with pytest.raises(KeyError):
        which_group(resting([SMALL], [web("a", "1", "small")]), [like(SMALL)], "default/a")


def test_what_is_over_says_that_not_all_was_tried():
    cluster = resting([SMALL, LARGE], [*FULL, web("w")])
    answer = which_group(cluster, groups(), is_over=lambda: True)
    assert (answer.groups, answer.in_time) == ((), False)


def _toleration(key):
    from scheduler_core.api.taints import Toleration

    return Toleration(key, "Exists", "", "NoSchedule")
