"""Who took the room of the scarce resource, by owner and priority."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import amount, grouped, percent
from dashboard.debugger.inputs.grouping import bare

if TYPE_CHECKING:
    from dashboard.answers.answering.room import RoomAnswer

SHOWN = 4


@dataclass(frozen=True)
class TakerRow:
    """Pods of one owner and priority: `text` says what they hold together; `cycle` is the first that placed one."""

    owner: str
    pods: int
    text: str
    cycles: str
    cycle: int


@dataclass(frozen=True)
class RoomList:
    """The answer for one resource: the largest takers of `more` more, and the sums that they add up to."""

    takers: list[TakerRow]
    more: int
    pods: int
    sums: str
    where: str


def room_list(answer: RoomAnswer, resource: str) -> RoomList:
    """Return the owners that hold most of the resource, largest first; those that hold none are left out."""
    holding = sorted(
        (one for one in answer.takers if one.requested.get(resource)),
        key=lambda one: (-one.requested[resource], one.owner),
    )
    takers = [
        TakerRow(
            owner=one.owner,
            pods=one.pods,
            text=f"{amount(one.requested[resource], resource)} {bare(resource)}, priority {grouped(one.priority)}",
            cycles=_cycles(one.first_cycle, one.last_cycle),
            cycle=one.first_cycle,
        )
        for one in holding[:SHOWN]
    ]
    return RoomList(
        takers=takers,
        more=len(holding) - len(takers) + answer.n_takers - len(answer.takers),
        pods=sum(one.pods for one in holding),
        sums=_sums(answer, resource),
        where="the one node" if answer.n_nodes == 1 else f"{grouped(answer.n_nodes)} nodes",
    )


def _cycles(first: int, last: int) -> str:
    return f"cycle {grouped(first)}" if first == last else f"cycles {grouped(first)} to {grouped(last)}"


def _sums(answer: RoomAnswer, resource: str) -> str:
    """ "700 of 2,000 gpu-milli requested, 99 %; 100 before the run" """
    now, whole = answer.now.get(resource, 0), answer.allocatable.get(resource, 0)
    text = f"{amount(now, resource)} of {amount(whole, resource)} {bare(resource)} requested, {percent(now, whole)}"
    before, left = answer.before.get(resource, 0), answer.left.get(resource, 0)
    if before:
        text += f"; {amount(before, resource)} from before the run"
    return text + (f"; {amount(left, resource)} of that left since" if left else "")
