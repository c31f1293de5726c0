"""What decided which pods a preemption evicts: priority and start of those that go and of those that stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.labels import listed, split_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scheduler_core.explain.victims import VictimFate

SHOWN_NODES = 4
BY_ORDER = "order"
RULES = {
    "priority": "Decided by priority: pods of higher priority stay.",
    "start": "Decided by start: of equal priority those that started first stay.",
    BY_ORDER: "Equal in priority and start: their order is kube-scheduler's own, and left to chance.",
}


@dataclass(frozen=True)
class LeavingPod:
    """A pod on the node: its `priority` and `start`, on which nodes a replacement `may_be`, "" for none, and the one
    that it would go to then; `scheduler` decides that where the configuration does not have it."""

    key: str
    name: str
    goes: bool
    priority: int
    start: str
    may_be: str
    goes_to: str
    scheduler: str


@dataclass(frozen=True)
class VictimList:
    """The pods of the node that is cleared; `decided_by` is priority, start or order, "" where all of them go."""

    node: str
    rows: tuple[LeavingPod, ...]
    decided_by: str

    @property
    def rule(self) -> str:
        """Return what told them apart, as a sentence; "" where nothing had to."""
        return RULES.get(self.decided_by, "")

    @property
    def is_chance(self) -> bool:
        """Return whether nothing but kube-scheduler's own order told them apart."""
        return self.decided_by == BY_ORDER


def victim_list(fates: Sequence[VictimFate]) -> VictimList:
    """Return the answer in rows, those that go first."""
    first = fates[0] if fates else None
    rows = tuple(map(_row, fates))
    return VictimList(first.node if first else "", rows, first.decided_by if first else "")


def _row(one: VictimFate) -> LeavingPod:
    return LeavingPod(
        key=one.pod,
        name=split_key(one.pod)[1],
        goes=one.goes,
        priority=one.priority,
        start=one.start.replace("T", " ").partition("+")[0],
        may_be=_nodes(one.may_be_on),
        goes_to=one.fits_on,
        scheduler=one.scheduler,
    )


def _nodes(names: Sequence[str]) -> str:
    if len(names) <= SHOWN_NODES:
        return f"{listed(list(names))} only" if len(names) == 1 else listed(list(names))
    return f"{', '.join(names[:SHOWN_NODES])} and {grouped(len(names) - SHOWN_NODES)} more"
