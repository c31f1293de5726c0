"""The answers about room, drains and nodes that are not needed, as the page reads them."""

from __future__ import annotations

import pytest

from dashboard.answers.answering.capacity import DrainedAnswer, MoreAnswer, UnneededAnswer
from dashboard.answers.answering.capacity_state import PodOffer, RestingNode
from dashboard.capacity.choice import CapacityChoice
from dashboard.capacity.other_pages import DrainPage, RoomPage, SparePage, code_word
from scheduler_core.capacity.fitting import FittingAnswer
from scheduler_core.capacity.leaving import Blocked, NodeNeed, NodesDrained, PodMove
from scheduler_core.capacity.unplaced import UnplacedPod

OFFER = PodOffer(pod="shop/api-0", owner="ReplicaSet/api", pods=3, requests={"cpu": 500})


def page(kind, answer, **choice):
    return kind(answer, CapacityChoice(**choice), lambda **changes: str(changes))


def test_a_pod_that_is_named_and_not_offered_can_be_chosen_all_the_same():
    fitting = FittingAnswer(pod="shop/x", count=3, by_node={"a": 1, "b": 2}, by_shape=(), in_time=False)
    asked = PodOffer(pod="shop/x", owner="", pods=1, requests={})
    room = page(RoomPage, MoreAnswer(fitting=fitting, asked=asked, offers=(OFFER,), n_offers=1))
    assert [(pod, is_chosen) for pod, _, is_chosen in room.offers] == [("shop/x", True), ("shop/api-0", False)]
    assert (room.count, room.nodes[0], room.more_nodes > 0) == ("at least 3", ("b", 2), False)


def test_a_cluster_without_pods_has_nothing_to_ask_for():
    room = page(RoomPage, MoreAnswer(fitting=None, asked=None, offers=(), n_offers=0))
    assert (room.tile[0], room.offers, room.nodes, room.then) == ("no pod", [], [], "")


def test_each_evicted_pod_says_what_becomes_of_it():
    drain = NodesDrained(
        nodes=("a",),
        moves=(PodMove("s/x", "a", "b"),),
        pending=(UnplacedPod("s/y", ("SHORT_CPU",), ("cpu",)),),
        blocked=(Blocked("s/z", "EVICT_BUDGET", "s/z", "budget"),),
        order={"s/z": "a", "s/x": "a", "s/y": "a"},
    )
    shown = page(DrainPage, DrainedAnswer(drain=drain, nodes=(), n_nodes=4), node=("a",))
    assert [(row.pod, row.word) for row in shown.rows] == [
        ("s/z", "not evicted"), ("s/x", "to b"), ("s/y", "stays pending"),
    ]  # fmt: skip
    assert (shown.tile[0], shown.more) == ("no", 4)
    assert page(DrainPage, DrainedAnswer(drain=None, nodes=(), n_nodes=0)).tile[0] == "drain"


def spare(**choice):
    free = RestingNode(name="a", group="", pods=0, need=NodeNeed(name="a", needed=False))
    full = RestingNode(
        name="b", group="", pods=1, need=NodeNeed(name="b", needed=True, codes=("EVICT_KEPT",), pod="s/x")
    )
    answer = UnneededAnswer(free=(free,), needed=(full,), n_free=3, codes={"EVICT_KEPT": 5}, done=8, total=9)
    return page(SparePage, answer, **choice)


def test_nodes_that_are_not_needed_come_first_and_a_reason_filters_the_others():
    assert ([row.line.name for row in spare().rows], spare().more, bool(spare().progress)) == (["a", "b"], 6, True)
    one = spare(why="EVICT_KEPT")
    assert ([row.line.name for row in one.rows], one.more) == (["b"], 4)
    assert one.reasons[0][4]


@pytest.mark.parametrize(
    ("code", "word"), [("SHORT_CPU", "short of cpu"), ("EVICT_BUDGET", "budget"), ("NOT_OFFERED", "not offered")]
)
def test_a_reason_has_a_word(code, word):
    assert code_word(code) == word
