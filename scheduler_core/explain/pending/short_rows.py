"""The nodes of a cycle that are short of a resource, as its frame has them: how many, and how much is free there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.resources import PODS
from scheduler_core.explain.outcomes.reasons import cover, resources_of
from scheduler_core.explain.pending.model import ResourceRange
from scheduler_core.explain.pending.nodes import FoundNodes
from scheduler_core.framework.contracts.status import Code
from scheduler_core.profiles.names import FIT
from scheduler_core.recording import events as ev
from scheduler_core.recording.frames.frame import Frame

Int64 = NDArray[np.int64]


class ShortRows(msgspec.Struct, frozen=True):
    """How many nodes NodeResourcesFit was the first to refuse for one resource, and how much of it is free there."""

    count: int
    free: ResourceRange
    unresolvable: bool


def short_of_room(frame: Frame, nodes: FoundNodes, requests: Mapping[str, int]) -> list[ShortRows]:
    """The nodes by the resource that most of them lack, those too small even when empty apart; none without amounts."""
    if nodes.amounts is None:
        return []
    made = []
    for is_small in (True, False):
        rows_by_reasons = dict(_first_refused(frame, nodes, is_small))
        refusals = [ev.Refusal(FIT, 0, reasons, len(rows)) for reasons, rows in rows_by_reasons.items()]
        order = cover(refusals)
        by_resource: dict[str, list[Int64]] = {}
        for refusal, rows in zip(refusals, rows_by_reasons.values(), strict=True):
            lacking = resources_of(refusal)
            by_resource.setdefault(next((name for name in order if name in lacking), ""), []).append(rows)
        for resource, several in by_resource.items():
            if resource:
                whole, used = nodes.amounts(resource)
                rows = np.concatenate(several)
                free, asked = (whole - used)[rows], requests.get(resource, 1 if resource == PODS else 0)
                made.append(
                    ShortRows(len(rows), ResourceRange(resource, asked, int(free.min()), int(free.max())), is_small)
                )
    return made


def _first_refused(frame: Frame, nodes: FoundNodes, is_small: bool) -> Iterator[tuple[tuple[str, ...], Int64]]:
    """(reasons, rows) of the nodes that NodeResourcesFit refused first, with nominated pods counted in."""
    code = Code.UNSCHEDULABLE_AND_UNRESOLVABLE if is_small else Code.UNSCHEDULABLE
    named = np.array([bool(name) for name in nodes.names[: frame.n_rows]], dtype=np.bool_)
    there = np.concatenate([named, np.zeros(frame.n_rows - len(named), dtype=np.bool_)])
    by_short: dict[tuple[str, ...], list[int]] = {}
    over = set()
    for entry in frame.overlay:
        over.add(entry.row)
        if there[entry.row] and entry.plugin == FIT and entry.code == code:
            by_short.setdefault(tuple(entry.reasons), []).append(entry.row)
    if FIT in frame.filter_plugins:
        index = frame.filter_plugins.index(FIT)
        decided = there & (frame.decisive == index) & (frame.codes[index] == code)
        for row in np.flatnonzero(decided).tolist():
            if row not in over:
                by_short.setdefault(tuple(frame.reason_table[int(frame.reasons[index, row])]), []).append(row)
    yield from ((reasons, np.array(rows, dtype=np.int64)) for reasons, rows in by_short.items())
