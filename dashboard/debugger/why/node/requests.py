"""The pod's requests on scales: in which range the same node wins, and what the engine decides for other amounts."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.why.node.address import ASKED
from scheduler_core.api.resources import CPU
from scheduler_core.explain.facts.amounts import amounts
from scheduler_core.explain.outcomes.texts import short
from scheduler_core.explain.rivals.texts import request_words, trial_words

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from scheduler_core.explain.rivals.model import RequestRange, RequestRanges, RequestTrial, TriedNode

# A scale ends this many widths of its range beyond what matters, so that the range is not a dot on it.
ROOM = 1.25


@dataclass(frozen=True)
class RequestRow:
    """A resource's request: texts of numbers in its `unit` ("Mi" where it has one), each as a field takes it.

    `value` is what is tried, `recorded` what the pod asks for; `beyond` are the amounts one step outside of the range.
    """

    resource: str
    name: str
    field: str
    unit: str
    step: str
    least: str
    most: str
    value: str
    recorded: str
    green: tuple[str, str]
    flips: list[str]
    beyond: list[str]
    text: str


@dataclass(frozen=True)
class RequestRows:
    """The rows, how many amounts the engine tried for them, and whether all of them were."""

    rows: list[RequestRow]
    n_tried: int
    in_time: bool
    seconds: float


@dataclass(frozen=True)
class TriedNodeRow:
    """A compared node in the attempt: its total, or the plugin that refused it."""

    node: str
    text: str
    title: str
    is_refused: bool


@dataclass(frozen=True)
class TrialRow:
    """What the engine decided: `asked` says with what, `note` which requests could not be changed."""

    text: str
    asked: str
    stays: bool
    nodes: list[TriedNodeRow]
    note: str


def request_rows(answer: RequestRanges, tried: Mapping[str, int], seconds: float) -> RequestRows:
    """Return the rows in the order of the resources; `tried` are amounts of the address."""
    rows = [_row(one, answer.winner, tried.get(one.resource, one.request)) for one in answer.ranges]
    n_tried, in_time = sum(one.n_tried for one in answer.ranges), all(one.in_time for one in answer.ranges)
    return RequestRows(rows, n_tried, in_time, seconds)


def _row(request_range: RequestRange, winner: str, value: int) -> RequestRow:
    divisor, unit = _unit(request_range.resource, (request_range.request, request_range.step))
    beyond = [request_range.least - request_range.step] * (request_range.least > request_range.lowest) + [
        request_range.most + request_range.step
    ] * (request_range.most < request_range.limit)
    tied_amounts = [
        amount
        for amount, (tied, unanswered) in zip(beyond, _ends(request_range), strict=True)
        if (request_range.in_time or tied) and not unanswered
    ]
    end = _end(request_range, [*beyond, request_range.request, value])

    def number(amount: int) -> str:
        return format((Decimal(amount) / divisor).normalize(), "f")

    def percent(amount: int) -> str:
        return f"{100 * min(max((amount - request_range.lowest) / max(end - request_range.lowest, 1), 0), 1):.2f}%"

    return RequestRow(
        resource=request_range.resource,
        name=short(request_range.resource),
        field=f"{ASKED}{request_range.resource}",
        unit=unit,
        step=number(request_range.step),
        least=number(request_range.lowest),
        most=number(end),
        value=number(value),
        recorded=number(request_range.request),
        green=(percent(request_range.least), percent(request_range.most)),
        flips=[percent(amount) for amount in tied_amounts],
        beyond=[number(amount) for amount in tied_amounts],
        text=request_words(request_range, winner),
    )


def _ends(request_range: RequestRange) -> list[tuple[tuple[str, ...], str]]:
    """The best nodes below and above the range, where there are such amounts, and what the tape has no answer to."""
    below, above = request_range.unanswered
    ends = [(request_range.below, below)] * (request_range.least > request_range.lowest)
    return ends + [(request_range.above, above)] * (request_range.most < request_range.limit)


def _end(request_range: RequestRange, shown: list[int]) -> int:
    """The end of the scale: some steps after what is shown; the limit where the winner stays up to it."""
    if request_range.most == request_range.limit:
        return request_range.limit
    room = max(shown) * ROOM - request_range.lowest
    return min(request_range.limit, request_range.lowest + -(-int(room) // request_range.step) * request_range.step)


def _unit(resource: str, given: Collection[int]) -> tuple[int, str]:
    """The divisor and suffix with which a field shows the amounts: for bytes, the largest unit in which all given
    amounts are whole numbers, so that no field has a long fraction.
    """
    if resource == CPU:
        return 1000, ""
    is_bytes = resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-")
    units = ((1 << 20, "Mi"), (1 << 10, "Ki")) if is_bytes else ()
    return next((unit for unit in units if all(amount % unit[0] == 0 for amount in given)), (1, ""))


def trial_row(answer: RequestTrial) -> TrialRow:
    """Return the row of the attempt."""
    asked = [f"{amounts(name, amount)[0]} {short(name)}" for name, amount in answer.requests.items()]
    asked += [f"{name} at weight {weight}" for name, weight in answer.weights.items()]
    held = ", ".join(short(name) for name in answer.held)
    return TrialRow(
        text=trial_words(answer),
        asked=", ".join(asked),
        stays=answer.stays,
        nodes=[_tried(one) for one in answer.nodes],
        note=f"The request of {held} is decided by overhead, pod-level requests or a resize in place." if held else "",
    )


def _tried(one: TriedNode) -> TriedNodeRow:
    if one.total is not None:
        return TriedNodeRow(one.node, grouped(one.total), "", is_refused=False)
    if one.plugin:
        return TriedNodeRow(one.node, f"refused by {one.plugin}", one.reason, is_refused=True)
    return TriedNodeRow(one.node, one.reason or "the only one that fits", "", is_refused=False)
