"""The events of a real cluster that say what became of pods, or why they were not made.

They are untrusted input, so every value is checked before use; one of an unexpected type counts as missing.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from typing import Any

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.explain.agreement.raw_values import as_mapping, as_text, parse_seconds
from scheduler_core.manifests.kinds.registry import (
    EVICTIONS,
    FAILED_CREATE,
    FAILED_SCHEDULING,
    KARPENTER_FAILED,
    KEPT_EVENTS,
    NOMINATED,
    OF_CLUSTER_AUTOSCALER,
    PREEMPTED,
)

MAX_MESSAGE = 1_024
"""Characters of an event's message: events.k8s.io takes no longer note, and kube-scheduler cuts its messages there."""
MAX_EVENTS = 20_000
MAX_CHARACTERS = 4 << 20
_BY = re.compile(r"Preempted by (?:pod )?(\S+) on node (\S+)")
"""The preemptor by its uid (preemption.go, prepareCandidate), before 1.26 by namespace/name."""


class SchedulerEvent(msgspec.Struct, frozen=True, kw_only=True):
    """``pod``: namespace/name of the pod that it is about, of Preempted the victim; ``kind`` is another one where it is
    about a workload whose pods are not made. ``at``: when it was seen last, in seconds since the Unix epoch."""

    pod: str
    reason: str
    uid: str = ""
    message: str = ""
    at: float | None = None
    kind: str = "Pod"

    @property
    def outlives_pod(self) -> bool:
        """Whether it says something of a pod that is gone, or was never made."""
        return self.reason in EVICTIONS or self.reason == FAILED_CREATE

    @property
    def autoscaler(self) -> str:
        """Whose word it is where an autoscaler said it; "" for others. Karpenter's FailedScheduling, too, says nothing
        of kube-scheduler."""
        if self.reason in OF_CLUSTER_AUTOSCALER:
            return "the cluster autoscaler"
        is_failure = self.reason == FAILED_SCHEDULING and self.message.startswith(KARPENTER_FAILED)
        return "Karpenter" if self.reason == NOMINATED or is_failure else ""

    @property
    def preemptor(self) -> tuple[str, str]:
        """(uid or namespace/name of the preemptor, node) where the message says so, else two empty texts."""
        preemption = _BY.match(self.message) if self.reason == PREEMPTED else None
        return (preemption[1], preemption[2]) if preemption else ("", "")


def scheduler_events(raws: Iterable[Mapping[str, Any]]) -> list[SchedulerEvent]:
    """The events that are read among these, the latest of each object (by name and uid), reason and speaker; newest
    first.

    Those that are more than MAX_EVENTS, or whose texts come after MAX_CHARACTERS, are left out.
    """
    latest: dict[tuple[str, ...], SchedulerEvent] = {}
    for raw in raws:
        event = scheduler_event(raw)
        if event is None:
            continue
        key = event.kind, event.pod, event.uid, event.reason, event.autoscaler
        before = latest.get(key)
        if before is None or (event.at or 0.0) >= (before.at or 0.0):
            latest[key] = event
    newest = sorted(latest.values(), key=lambda event: event.at or 0.0, reverse=True)[:MAX_EVENTS]
    room, events = MAX_CHARACTERS, []
    for event in newest:
        room -= len(event.message) + len(event.pod) + len(event.uid)
        if room < 0:
            break
        events.append(event)
    return events


def scheduler_event(raw: Mapping[str, Any], reasons: Container[str] = KEPT_EVENTS) -> SchedulerEvent | None:
    """The event, None for one of another reason or object."""
    about = as_mapping(raw.get("involvedObject")) or as_mapping(raw.get("regarding"))
    name, reason = as_text(about.get("name"), 300), as_text(raw.get("reason"), 100)
    kind = as_text(about.get("kind"), 100) or "Pod"
    if not name or reason not in reasons or (kind != "Pod" and reason != FAILED_CREATE):
        return None
    return SchedulerEvent(
        pod=f"{as_text(about.get('namespace'), 300) or 'default'}/{name}",
        reason=reason,
        uid=as_text(about.get("uid"), 300),
        message=as_text(raw.get("message"), MAX_MESSAGE) or as_text(raw.get("note"), MAX_MESSAGE),
        at=_last_seen(raw),
        kind=kind,
    )


def _last_seen(event: Mapping[str, Any]) -> float | None:
    """The time of the last occurrence: of the series, else of the fields of core/v1, else of events.k8s.io/v1."""
    times = (
        as_mapping(event.get("series")).get("lastObservedTime"),
        event.get("lastTimestamp"),
        event.get("deprecatedLastTimestamp"),
        event.get("eventTime"),
        as_mapping(event.get("metadata")).get("creationTimestamp"),
    )
    return next((at for at in map(parse_seconds, times) if at is not None), None)


class PreemptedPods:
    """Which pods were preempted for which, by the events."""

    def __init__(self, events: Iterable[SchedulerEvent]) -> None:
        events = list(events)
        self._victims = [event.pod for event in events if event.reason == PREEMPTED]
        self._by: dict[str, list[str]] = {}
        for event in events:
            if event.preemptor[0]:
                self._by.setdefault(event.preemptor[0], []).append(event.pod)

    def by(self, pod: Pod) -> tuple[str, ...]:
        """The pods (namespace/name) that were preempted for this one."""
        return tuple(self._by.get(pod.uid, ()) or self._by.get(pod.key, ()))

    def not_among(self, pods: Container[str]) -> list[str]:
        """The victims that are not among these pods, each once."""
        return [pod for pod in dict.fromkeys(self._victims) if pod not in pods]
