"""Which pods were preempted for which nomination.

An event Preempted names victim, preemptor and node. A pod may be nominated for the same node again: then the victim's
condition DisruptionTarget, or the event's place, says for which time. A condition without an event is of the nomination
for its node that lies nearest in the stream of the pods. Near a gap of events, who was preempted is not known.
"""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.explain.reality.event_places import EventPlaces, PodEvent
from scheduler_core.explain.reality.record import PodChangesRecord, RealDecision, VictimMark
from scheduler_core.manifests.bundle.model import BundleGap
from scheduler_core.manifests.kinds.registry import PREEMPTED

_MARK_SECONDS = 60.0
"""So far a victim's condition may be received from the nomination, where no event names the preemptor."""


class VictimFinder:
    """Gives nominations their victims."""

    def __init__(
        self,
        pods: PodChangesRecord,
        events: Sequence[PodEvent],
        places: EventPlaces,
        gaps: Sequence[BundleGap],
    ) -> None:
        self._gaps = gaps
        self._decisions, self._came = pods.decisions, pods.came
        self._marks = {(one.pod, one.uid): one for one in pods.marks}
        self._events, self._places = [one for one in events if one.event.reason == PREEMPTED], places
        self._by_preemptor: dict[tuple[str, str], list[RealDecision]] = {}
        self._by_node: dict[str, list[RealDecision]] = {}
        for decided in pods.decisions:
            if decided.nominated:
                self._by_node.setdefault(decided.nominated, []).append(decided)
                for name in {decided.uid, decided.pod}:
                    self._by_preemptor.setdefault((name, decided.nominated), []).append(decided)

    def give(self) -> None:
        """Give each nomination its victims. Its state is the one before the first of them was marked, which some
        versions do ahead of the pod's own status."""
        victims: dict[int, set[tuple[str, str]]] = {}
        unclear, named = set[int](), set[tuple[str, str]]()
        for one in self._events:
            if not one.event.preemptor[0]:
                continue
            named.add((one.event.pod, one.event.uid))
            of = self._by_preemptor.get(one.event.preemptor, [])
            decided = self._of_named(one, of)
            if decided is None:
                unclear.update(id(other) for other in of)
            else:
                victims.setdefault(id(decided), set()).add((one.event.pod, one.event.uid))
        for mark in self._marks.values():
            decided = self._nearest(mark)
            if (mark.pod, mark.uid) not in named and decided is not None:
                victims.setdefault(id(decided), set()).add((mark.pod, mark.uid))
        previous = dict(self._came)
        for decided in self._decisions:
            if decided.nominated and id(decided) not in unclear:
                self._set(decided, victims.get(id(decided), set()), previous.get(decided.uid, -1))
            previous[decided.uid] = decided.change

    def _is_in_gap(self, at: float) -> bool:
        """Whether events of preemptions at a moment may be missing."""
        return any(
            gap.since - _MARK_SECONDS <= at and (gap.until is None or at <= gap.until + _MARK_SECONDS)
            for gap in self._gaps
            if gap.code not in ("NO_CONFIGURATION", "OTHER")
        )

    def _of_named(self, one: PodEvent, of: Sequence[RealDecision]) -> RealDecision | None:
        """The nomination that an event is of, None where nothing says which of several."""
        if len(of) <= 1:
            return of[0] if of else None
        mark = self._marks.get((one.event.pod, one.event.uid))
        place = mark.change if mark is not None else self._places.place(one)
        if place is None:
            return None
        return next((decided for decided in of if decided.ended is None or place < decided.ended), of[-1])

    def _nearest(self, mark: VictimMark) -> RealDecision | None:
        near = [one for one in self._by_node.get(mark.node, ()) if abs(one.at - mark.at) <= _MARK_SECONDS]
        return min(near, key=lambda one: abs(one.change - mark.change), default=None)

    def _set(self, decided: RealDecision, victims: set[tuple[str, str]], previous: int) -> None:
        """``previous``: the change of the pod's decision before, or with which it came; no mark of this one's victims
        precedes it."""
        if not self._is_in_gap(decided.at):
            decided.victims = tuple(sorted({pod for pod, _ in victims}))
        marks = [self._marks[one].change for one in victims if one in self._marks]
        decided.change = min([decided.change, *(at for at in marks if at > previous)])
