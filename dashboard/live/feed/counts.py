"""Numbers in the frame of every page that the feed keeps right, such as how many reviews wait for the reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.common.registering import Registered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dashboard.accounts.models import Member

    Counter = Callable[[Sequence[Member]], Mapping[int, int]]

_counters: Registered[Counter] = Registered()


def register_count(name: str, count: Counter) -> None:
    """Have sockets tell each member their number with every change.

    `count` is asked for all members of a workspace who have a page open, at once, and returns {member id: number}.
    """
    _counters.add(name, count)


def counts_of(members: Sequence[Member]) -> dict[int, dict[str, int]]:
    """Return {member id: {name: number}} for members of one workspace."""
    counted = {name: count(members) for name, count in _counters.all().items()}
    return {one.pk: {name: numbers[one.pk] for name, numbers in counted.items()} for one in members}
