"""Numbers in the frame of every page that the feed keeps right, such as how many reviews wait for the reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.accounts.models import Member

_counters: dict[str, Callable[[Member], int]] = {}


def register_count(name: str, count: Callable[[Member], int]) -> None:
    """Have sockets tell each member this number with every change; called in an app's `ready`."""
    _counters[name] = count


def counts_of(member: Member) -> dict[str, int]:
    """Return {name: number} for the member."""
    return {name: count(member) for name, count in _counters.items()}
