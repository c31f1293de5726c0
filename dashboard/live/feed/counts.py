"""Numbers in the frame of every page that the feed keeps right, such as how many reviews wait for the reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dashboard.accounts.models import Member

_counters: dict[str, Callable[[Sequence[Member]], Mapping[int, int]]] = {}


def register_count(name: str, count: Callable[[Sequence[Member]], Mapping[int, int]]) -> None:
    """Have sockets tell each member their number with every change; called in an app's `ready`.

    `count` is asked for all members of a workspace who have a page open, at once, and returns {member id: number}.
    """
    _counters[name] = count


def counts_of(members: Sequence[Member]) -> dict[int, dict[str, int]]:
    """Return {member id: {name: number}} for members of one workspace."""
    counted = {name: count(members) for name, count in _counters.items()}
    return {one.pk: {name: numbers[one.pk] for name, numbers in counted.items()} for one in members}
