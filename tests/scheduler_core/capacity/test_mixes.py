"""The order in which mixes of groups are tried, and their bounds."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_core.capacity.groups.model import like
from scheduler_core.capacity.mixes import MOST_NODES, mixes
from scheduler_core.testing.builders import make_node

CHEAP, DEAR = (
    replace(like(make_node(name)), price=price, maximum=maximum) for name, price, maximum in (("a", 1, 2), ("b", 5, 9))
)


def test_the_fewest_nodes_come_first_then_the_lowest_price():
    assert list(mixes([CHEAP, DEAR], by_price=False))[:4] == [(1, 0), (0, 1), (2, 0), (1, 1)]
    assert list(mixes([CHEAP, DEAR], by_price=True))[:4] == [(1, 0), (2, 0), (0, 1), (1, 1)]


def test_no_mix_is_over_the_room_of_a_group_or_the_most_nodes():
    tried = list(mixes([CHEAP, replace(DEAR, maximum=None)], by_price=False))
    assert max(counts[0] for counts in tried) == 2
    assert max(map(sum, tried)) == MOST_NODES
