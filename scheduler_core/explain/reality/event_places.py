"""Where events lie among the changes of a bundle.

An event is written after what it tells of, by another process, with times of the scheduler's clock. What orders it is
the resourceVersion, where the server keeps events with all else: some keep them in a store of their own, whose counter
is another one. Events of bindings, which changes show too, say which it is, and by how much the clocks differ.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

import msgspec

from scheduler_core.explain.agreement.events import SchedulerEvent, scheduler_event
from scheduler_core.explain.agreement.raw_values import as_mapping
from scheduler_core.manifests.bundle.model import Change
from scheduler_core.manifests.bundle.reading import Bundle
from scheduler_core.manifests.kinds.registry import FAILED_SCHEDULING, PREEMPTED, SCHEDULED

_READ = (SCHEDULED, FAILED_SCHEDULING, PREEMPTED)
NEAR_SECONDS = 15.0
"""So far the binding of an event and the change before which its version puts it were received from each other, where
both have one counter; half of the events lie nearer."""
_SHARE_EARLIER = 0.01
"""Of the events with versions before those of their bindings, where both have one counter: none but those that were
written twice."""
_SAME_CLOCK_SECONDS = 0.1
_LEAST_PAIRS = 5


class PodEvent(NamedTuple):
    """An event about a pod as it was received; ``n_times``: how often it came, as it says."""

    change: Change
    event: SchedulerEvent
    n_times: int

    @property
    def version(self) -> int:
        """Its resourceVersion, 0 where that is no number."""
        text = self.change.rv
        return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0


class EventPlaces:
    """Says before which change an event was written. ``bound``: {uid: position} of the bindings that changes show."""

    def __init__(self, bundle: Bundle, events: Sequence[PodEvent], bound: dict[str, int]) -> None:
        self._changes = bundle.changes
        self._versions = bundle.changes.versions
        of_bindings = (one for one in events if one.event.reason == SCHEDULED and one.event.uid in bound)
        pairs = [(one, bound[one.event.uid]) for one in of_bindings]
        self.has_one_counter = self._is_one_counter(events, pairs)
        self._offset = self._clock_offset(pairs)

    def place(self, one: PodEvent) -> int | None:
        """The position of the first change after the event, None where nothing says so."""
        if self.has_one_counter and one.version:
            return bisect_left(self._versions, one.version)
        if self._offset is not None and one.event.at is not None:
            return self._changes.position_at(one.event.at + self._offset)
        return None

    def is_earlier(self, one: PodEvent) -> bool:
        """Whether an event was there when the collection began, and is of no decision in it."""
        listed_first = one.change.relisted and bool(self._versions) and 0 < one.version < self._versions[0]
        return self.has_one_counter and listed_first

    def _is_one_counter(self, events: Sequence[PodEvent], pairs: Sequence[tuple[PodEvent, int]]) -> bool:
        numbered = [(one, at) for one, at in pairs if one.version and self._versions[at]]
        if numbered:
            earlier = sum(one.version < self._versions[at] for one, at in numbered)
            apart = [abs(self._received(one) - self._changes.received(at)) for one, at in numbered]
            beyond = sum(one.version > self._versions[-1] for one, _ in numbered)
            is_ordered = earlier <= _SHARE_EARLIER * len(numbered) and beyond <= max(1, len(numbered) // 2)
            return is_ordered and median(apart) <= NEAR_SECONDS
        # No binding was seen: what is left is that all was received by one process.
        watched = [one for one in events if one.version and not one.change.relisted]
        if not watched or not self._versions:
            return False
        return median(abs(self._received(one) - one.change.t) for one in watched) <= NEAR_SECONDS

    def _received(self, one: PodEvent) -> float:
        """When the change was received before which the event's version puts it; the last one, after all."""
        return self._changes.received(min(bisect_left(self._versions, one.version), len(self._versions) - 1))

    def _clock_offset(self, pairs: Sequence[tuple[PodEvent, int]]) -> float | None:
        """The collector's clock less that of the events, None where the bindings do not agree on it."""
        offsets = [self._changes.received(at) - one.event.at for one, at in pairs if one.event.at is not None]
        if len(offsets) < _LEAST_PAIRS or max(offsets) - min(offsets) > _SAME_CLOCK_SECONDS:
            return None
        return median(offsets)


def pod_events(bundle: Bundle) -> list[PodEvent]:
    """The events about pods in the order of their versions, of equal or none in that of their receipt."""
    events = []
    for change in bundle.events():
        if change.type == "DELETED":
            continue
        raw = msgspec.json.decode(change.object)
        event = scheduler_event(raw, _READ)
        if event is not None and event.kind == "Pod" and not event.autoscaler:
            count = as_mapping(raw.get("series")).get("count") or raw.get("count")
            events.append(PodEvent(change, event, count if isinstance(count, int) else 1))
    return sorted(events, key=lambda one: one.version)
