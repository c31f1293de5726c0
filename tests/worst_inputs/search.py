"""The search: each family is made larger until the reader refuses it, then the border is approached."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tests.worst_inputs.measuring import Cost, cost_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.worst_inputs.readers import Reader
    from tests.worst_inputs.texts import Family

FIRST, GROWTH, APPROACHES = 16, 8, 3
ENOUGH_SECONDS = 20.0
"""What costs so much is bad enough to stop there."""


class Tried(NamedTuple):
    """An input of a family, and what reading it cost."""

    family: str
    n: int
    cost: Cost


def tried(reader: Reader, most: int, approaches: int = APPROACHES) -> Iterator[Tried]:
    """Yield what was tried of a reader's families, of at most so many bytes."""
    for name, family in reader.families.items():
        for n, cost in _of_family(reader, family, min(most, reader.most_bytes), approaches):
            yield Tried(name, n, cost)


def _of_family(reader: Reader, family: Family, most: int, approaches: int) -> Iterator[tuple[int, Cost]]:
    """Yield ever larger inputs, refused ones too, since reading on may cost; then those near the two borders: where the
    reader begins to refuse, and where the bytes end."""
    accepted, refused, last, n = 0, 0, 0, FIRST
    while True:
        cost = _cost(reader, family, n)
        if cost.n_bytes > most:
            break
        yield n, cost
        last = n
        if cost.is_accepted:
            accepted, refused = n, 0
        refused = refused or (0 if cost.is_accepted else n)
        if cost.seconds > ENOUGH_SECONDS or n > most:
            return
        n *= GROWTH
    borders = [(last, n, True)] + ([(accepted, refused, False)] if accepted and refused else [])
    for low, high, is_of_bytes in borders:
        yield from _near(reader, family, (low, high), most, approaches, is_of_bytes=is_of_bytes)


def _near(
    reader: Reader, family: Family, between: tuple[int, int], most: int, approaches: int, *, is_of_bytes: bool
) -> Iterator[tuple[int, Cost]]:
    low, high = between
    for _ in range(approaches):
        n = (low + high) // 2
        if n in (low, high):
            return
        cost = _cost(reader, family, n)
        is_below = cost.n_bytes <= most
        if is_below:
            yield n, cost
        if is_below and (is_of_bytes or cost.is_accepted):
            low = n
        else:
            high = n


def _cost(reader: Reader, family: Family, n: int) -> Cost:
    def make() -> bytes:
        made = family(n)
        return made if isinstance(made, bytes) else made.encode()

    return cost_of(make, reader.read)
