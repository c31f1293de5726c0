"""Which pods go first in a scale-down."""

from __future__ import annotations

import pytest

from scheduler_core.controllers.rollouts.pods_seen import SECOND_US, SeenPod
from scheduler_core.controllers.rollouts.victims import DELETION_COST, victims
from scheduler_core.testing.builders import make_pod

NOW = 100 * SECOND_US


def seen(name: str, node: str = "n1", ready: int | None = 0, made: int = 0, cost: str = "") -> SeenPod:
    notes = {DELETION_COST: cost} if cost else {}
    pod = make_pod(name, uid=name, node_name=node, annotations=notes)
    return SeenPod(pod, made * SECOND_US, None if ready is None else ready * SECOND_US)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(seen("b", node=""), seen("a", ready=None), id="no node before not Ready"),
        pytest.param(seen("b", ready=None), seen("a", cost="-10"), id="not Ready before a low cost"),
        pytest.param(seen("b", cost="-10"), seen("a", cost="-2"), id="lower cost"),
        pytest.param(seen("b"), seen("a", cost="5"), id="no cost is 0"),
        pytest.param(seen("a", cost="+5"), seen("b", cost="2"), id="a cost with a sign is none"),
        pytest.param(seen("b", ready=90), seen("a", ready=80), id="younger by a power of two"),
        pytest.param(seen("a", ready=76), seen("b", ready=72), id="24 and 28 s are equal, then by uid"),
        pytest.param(seen("b", made=90), seen("a", made=10), id="made later"),
    ],
)
def test_the_first_goes_before_the_second(first: SeenPod, second: SeenPod) -> None:
    for pods in ([first, second], [second, first]):
        assert victims(pods, 1, NOW) == [first]


def test_of_a_deployment_the_node_with_more_of_its_pods_is_left_first() -> None:
    a, b = seen("a", node="n1", ready=90), seen("b", node="n2")
    assert victims([a, b], 1, NOW, {"n1": 1, "n2": 3}) == [b]
    assert victims([a, b], 1, NOW) == [a]


def test_as_many_as_there_are_all_go() -> None:
    pods = [seen("a"), seen("b")]
    assert victims(pods, 5, NOW) == pods
