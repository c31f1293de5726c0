"""What was missing in cycles that found no node: the resource that most nodes are short of, and how much of it.

Meant for lists of cycles: the recording is read forward once, and the sums of requests are carried along.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.resources import PODS
from scheduler_core.engine.inputs import settings_at
from scheduler_core.explain.outcomes.reasons import cover, lacking_resources
from scheduler_core.explain.pending.following import FollowedRun, FoundNodes
from scheduler_core.explain.pending.model import ResourceRange
from scheduler_core.explain.shortfalls import checked_requests
from scheduler_core.framework.contracts.status import Code
from scheduler_core.profiles.names import FIT
from scheduler_core.recording import events as ev
from scheduler_core.recording.frames.frame import Frame
from scheduler_core.recording.reader import RecordingReader

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
            lacking = lacking_resources(refusal)
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


class ShortNodes(Protocol):
    """Nodes that one thing is missing on."""

    @property
    def count(self) -> int:
        """How many nodes there are."""

    @property
    def free(self) -> ResourceRange | None:
        """How much there is of what is short, None where that is not known or nothing is."""

    @property
    def unresolvable(self) -> bool:
        """Whether the pod would be refused there whichever pods were evicted."""


class MissingRoom(msgspec.Struct, frozen=True):
    """The resource that most nodes are short of, and how much is missing on them: canonical integers (cpu in
    thousandths, others whole units), ``least`` on the best of these ``nodes``, ``most`` on the worst.

    ``asked`` is what the pod requests. Missing is what is requested beyond what is free, also on nodes too small.
    """

    resource: str
    asked: int
    least: int
    most: int
    nodes: int


def missing_on(groups: Iterable[ShortNodes]) -> MissingRoom | None:
    """What is missing on the nodes of the groups; None where none of them is short of a resource in known numbers."""
    with_room = [(group, group.free) for group in groups if group.free is not None]
    if not with_room:
        return None
    counts: Counter[str] = Counter()
    for group, free in with_room:
        counts[free.resource] += group.count
    resource = max(counts, key=lambda name: (counts[name], name))
    of_resource = [free for _, free in with_room if free.resource == resource]
    asked = of_resource[0].asked
    least, most = asked - max(one.most_free for one in of_resource), asked - min(one.least_free for one in of_resource)
    return MissingRoom(resource, asked, least, most, counts[resource])


def missing_room(groups: Collection[ShortNodes]) -> MissingRoom | None:
    """As ``missing_on``, on nodes where room could be made; on those too small where there are no others."""
    return missing_on(one for one in groups if not one.unresolvable) or missing_on(groups)


def missing_in_cycles(
    reader: RecordingReader, run: FollowedRun, cycles: Collection[int], is_over: Callable[[], bool] = lambda: False
) -> Iterator[tuple[int, MissingRoom | None]]:
    """(cycle, what was missing on the nodes that NodeResourcesFit was the first to refuse) by ascending cycle.

    None for a cycle that refused no node so. Ends early once ``is_over``. Raises RecordingError for a cycle that is not
    recorded.
    """
    for cycle in sorted(cycles):
        if is_over():
            return
        yield cycle, _missing_in(reader, run, cycle)


def _missing_in(reader: RecordingReader, run: FollowedRun, cycle: int) -> MissingRoom | None:
    first = reader.cycle_span(cycle)[0]
    frame, started = reader.frame(cycle), reader.event(first)
    assert isinstance(started, ev.CycleStarted)
    state = run.at(reader, first)
    pod = state.objects.pods.get(started.pod)
    if frame is None or pod is None:
        return None
    requests = checked_requests(pod, settings_at(run.inputs, first)[0])
    return missing_room(short_of_room(frame, state.nodes_for(pod), requests))
