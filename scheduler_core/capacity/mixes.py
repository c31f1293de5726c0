"""Which numbers of nodes are tried as a mix of groups, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from scheduler_core.capacity.groups.model import NodeGroup

MOST_GROUPS, MOST_NODES = 3, 20
"""Within these bounds all mixes are searched."""


def mixes(groups: Sequence[NodeGroup], *, by_price: bool) -> Iterator[tuple[int, ...]]:
    """Numbers of nodes by group, of at most three groups and twenty nodes, the fewest nodes or the lowest price
    first."""
    every = {
        tuple(counts.get(i, 0) for i in range(len(groups)))
        for chosen in combinations(range(len(groups)), min(MOST_GROUPS, len(groups)))
        for counts in _counts(groups, chosen)
    }

    def price(numbers: tuple[int, ...]) -> float:
        return sum((group.price or 0.0) * count for group, count in zip(groups, numbers, strict=True))

    yield from sorted(
        every, key=lambda numbers: (price(numbers) if by_price else 0, sum(numbers), price(numbers), numbers)
    )


def _counts(groups: Sequence[NodeGroup], chosen: Sequence[int]) -> Iterator[dict[int, int]]:
    def below(index: int, left: int) -> Iterator[dict[int, int]]:
        if index == len(chosen):
            yield {}
            return
        room = groups[chosen[index]].room
        for count in range(min(left, left if room is None else room) + 1):
            for rest in below(index + 1, left - count):
                yield {chosen[index]: count, **rest}

    return (counts for counts in below(0, MOST_NODES) if any(counts.values()))
