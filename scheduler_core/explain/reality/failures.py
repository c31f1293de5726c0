"""Events of failed attempts beside the conditions of the same pods.

The condition of a pod changes with each message that is not the one before, so that an event with a message that a
condition had is that of its attempt, or of a later one with the same outcome. Which of the pod's conditions with this
message it belongs to is said by its place; where it has none, it is the last.
"""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.explain.agreement.events import MAX_MESSAGE
from scheduler_core.explain.reality.event_places import EventPlaces, PodEvent
from scheduler_core.explain.reality.record import RealDecision
from scheduler_core.manifests.bundle.reading import Bundle
from scheduler_core.manifests.kinds.registry import FAILED_SCHEDULING


def of_events(
    bundle: Bundle, events: Sequence[PodEvent], places: EventPlaces, decisions: Sequence[RealDecision]
) -> list[RealDecision]:
    """The failures that events alone show; the others count as repeats of those of ``decisions`` that have them."""
    failures = _FailureMatcher(bundle, places, decisions)
    for one in events:
        if one.event.reason == FAILED_SCHEDULING and one.event.message:
            failures.note(one)
    return failures.alone


class _FailureMatcher:
    def __init__(self, bundle: Bundle, places: EventPlaces, decisions: Sequence[RealDecision]) -> None:
        self.alone: list[RealDecision] = []
        self._bundle, self._places = bundle, places
        self._of_pod: dict[str, list[RealDecision]] = {}
        for one in decisions:
            if one.message:
                self._of_pod.setdefault(one.uid, []).append(one)
        self._with_event: set[int] = set()
        self._counts: dict[tuple[str, str], int] = {}

    def note(self, one: PodEvent) -> None:
        """Take in the next event of a failure."""
        event, of_pod = one.event, self._of_pod.setdefault(one.event.uid, [])
        place = self._places.place(one)
        same = [decided for decided in of_pod if _is_same(event.message, decided.message)]
        n_times = self._times(one)
        if same:
            decided = _owner(same, place)
        else:
            decided = self._new(one, place)
            of_pod.append(decided)
        if id(decided) not in self._with_event:
            self._with_event.add(id(decided))
            n_times -= 1
        decided.repeats += n_times

    def _times(self, one: PodEvent) -> int:
        """How often it came since it was seen last."""
        key = one.event.uid, one.event.message
        before = self._counts.get(key, 0)
        self._counts[key] = max(before, one.n_times)
        # What was there before the collection is in the first count, and no event of it.
        return max(1, one.n_times - before) if before else 1

    def _new(self, one: PodEvent, place: int | None) -> RealDecision:
        changes = self._bundle.changes
        at = one.change.t
        if place is not None and len(changes):
            at = changes.received(min(place, len(changes) - 1))
        decided = RealDecision(
            at=at,
            change=changes.position_at(one.change.t) if place is None else place,
            pod=one.event.pod,
            uid=one.event.uid,
            message=one.event.message,
            relisted=one.change.relisted,
            of_event=True,
            is_unplaced=place is None,
        )
        self.alone.append(decided)
        return decided


def _owner(same: Sequence[RealDecision], place: int | None) -> RealDecision:
    """The decision that an event at a place belongs to: the last one before it, else the first."""
    before = [one for one in same if place is None or one.change <= place]
    return before[-1] if before else same[0]


def _is_same(event: str, condition: str) -> bool:
    """Whether an event's message, which is cut to a length, is that of the condition."""
    return event == condition or (len(event) >= MAX_MESSAGE - 1 and condition.startswith(event[:-4]))
