"""The real scheduler's record of a bundle, put together of what changes and events say."""

from __future__ import annotations

from scheduler_core.explain.reality.event_places import EventPlaces, pod_events
from scheduler_core.explain.reality.failures import of_events
from scheduler_core.explain.reality.record import PodChangesRecord, RealRecord
from scheduler_core.explain.reality.victims import VictimFinder
from scheduler_core.manifests.bundle.reading import Bundle
from scheduler_core.manifests.kinds.registry import PREEMPTED

_EVENT = "Event"


def real_record(bundle: Bundle) -> RealRecord:
    """The record of a bundle. Raises LoadError for a line that cannot be read."""
    pods, events = PodChangesRecord(bundle), pod_events(bundle)
    bound = {one.uid: one.change for one in pods.decisions if one.node and not (one.came_bound or one.relisted)}
    places = EventPlaces(bundle, events, bound)
    events = [one for one in events if not places.is_earlier(one)]
    decisions = pods.decisions + of_events(bundle, events, places, pods.decisions)
    VictimFinder(pods, events, places, [gap for gap in bundle.gaps if gap.kind in ("", _EVENT)]).give()
    preempted = {(mark.pod, mark.uid) for mark in pods.marks}
    preempted |= {(one.event.pod, one.event.uid) for one in events if one.event.reason == PREEMPTED and one.event.uid}
    return RealRecord(tuple(sorted(decisions, key=lambda one: (one.change, bool(one.node)))), frozenset(preempted))
