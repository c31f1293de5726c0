"""What was missing in cycles that found no node: the resource that most nodes are short of, and how much of it.

Meant for lists of cycles: the recording is read forward once, and the sums of requests are carried along.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Protocol

import msgspec

from scheduler_core.engine.inputs import settings_at
from scheduler_core.explain.pending.following import FollowedRun
from scheduler_core.explain.pending.model import ResourceRange
from scheduler_core.explain.pending.short_rows import short_of_room
from scheduler_core.explain.shortfalls import checked_requests
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import RecordingReader


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


def missing_room(groups: Iterable[ShortNodes]) -> MissingRoom | None:
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


def missing_of(groups: Collection[ShortNodes]) -> MissingRoom | None:
    """As ``missing_room``, on nodes where room could be made; on those too small where there are no others."""
    return missing_room(one for one in groups if not one.unresolvable) or missing_room(groups)


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
    return missing_of(short_of_room(frame, state.nodes_for(pod), requests))
