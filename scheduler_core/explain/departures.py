"""Where a pod went: what took it off its node, or ended it, by the input's own conditions, status and events.

Sources of the rules: the condition DisruptionTarget and its reasons (kubernetes.io, Disruptions), status.reason
as the kubelet sets it, and the events Preempted (kube-scheduler), Evicted (kubelet) and TaintManagerEviction (the taint
manager). Nothing of it is part of what the engine schedules by. The input is untrusted: a value of an unexpected type
counts as missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

import msgspec

from scheduler_core.explain.agreement.events import SchedulerEvent
from scheduler_core.explain.agreement.raw_values import as_mapping, as_text, parse_seconds
from scheduler_core.manifests import KNOWN_PLUGINS
from scheduler_core.manifests.kinds.metadata import as_datetime

MAX_TEXT = 4_096
Code = Literal[
    "PREEMPTED",
    "EVICTED_NODE_PRESSURE",
    "EVICTED_BY_TAINT",
    "EVICTED_BY_API",
    "NODE_GONE",
    "NODE_SHUTDOWN",
    "REFUSED_BY_KUBELET",
    "FINISHED",
    "FAILED",
    "DELETED",
]
Source = Literal["condition", "status", "event", "metadata"]

TEXTS: dict[Code, tuple[str, str]] = {
    "PREEMPTED": ("It was preempted", ""),
    "EVICTED_NODE_PRESSURE": ("The kubelet evicted it", ", as its node was short of something"),
    "EVICTED_BY_TAINT": ("The taint manager evicted it", ", as it does not tolerate a NoExecute taint of its node"),
    "EVICTED_BY_API": ("It was evicted", " by the API, as kubectl drain does"),
    "NODE_GONE": ("It was deleted", ", as its node is gone"),
    "NODE_SHUTDOWN": ("It ended", ", as its node was shut down"),
    "REFUSED_BY_KUBELET": ("The kubelet did not admit it", ""),
    "FINISHED": ("It has finished", ""),
    "FAILED": ("It has failed", ""),
    "DELETED": ("It was deleted", " by the API"),
}
"""What is said before and after the preemptor and the node."""
_OF_CONDITION: dict[str, Code] = {
    "PreemptionByScheduler": "PREEMPTED",
    "PreemptionByKubeScheduler": "PREEMPTED",
    "DeletionByTaintManager": "EVICTED_BY_TAINT",
    "EvictionByEvictionAPI": "EVICTED_BY_API",
    "DeletionByPodGC": "NODE_GONE",
}
"""Reasons of the condition DisruptionTarget; the second is that of 1.25."""
_OF_STATUS: dict[str, Code] = {
    "Evicted": "EVICTED_NODE_PRESSURE",
    "Preempting": "PREEMPTED",
    "NodeLost": "NODE_GONE",
    "Shutdown": "NODE_SHUTDOWN",
    "NodeShutdown": "NODE_SHUTDOWN",
    "Terminated": "NODE_SHUTDOWN",
    "UnexpectedAdmissionError": "REFUSED_BY_KUBELET",
}
"""Reasons in status.reason of a failed pod."""
_NO_ROOM = "OutOf"
"""The kubelet's reasons begin so where a resource does not suffice: OutOfcpu, OutOfpods. Where one of the scheduler's
filters refuses the pod at the kubelet, too, the reason is the filter's name.
"""
_EVENTS: dict[str, Code] = {
    "Preempted": "PREEMPTED",
    "Evicted": "EVICTED_NODE_PRESSURE",
    "TaintManagerEviction": "EVICTED_BY_TAINT",
}
_NO_DELETION = "Cancelling deletion"
"""The taint manager's event where the taint went in time."""


class Departure(msgspec.Struct, frozen=True, kw_only=True):
    """What took a pod, from which source of the input, and in its words.

    ``by``: the preemptor, by its uid or namespace/name, where an event says so; ``node``: the pod's; ``at``: seconds
    since the Unix epoch, None where the input has no time. ``is_over``: the pod runs no more, else it is ending.
    """

    pod: str
    code: Code
    source: Source
    by: str = ""
    node: str = ""
    at: float | None = None
    message: str = ""
    is_over: bool = True

    @property
    def moment(self) -> datetime | None:
        """When; None where the input has no time."""
        return as_datetime(self.at)

    @property
    def day(self) -> str:
        """When, as "2026-11-01 10:00:00 UTC"; "" where the input has no time."""
        return "" if self.moment is None else f"{self.moment:%Y-%m-%d %H:%M:%S} UTC"

    @property
    def shown_source(self) -> str:
        """What of the pod says it, in a word or two."""
        return "deletion timestamp" if self.source == "metadata" else self.source

    @property
    def text(self) -> str:
        """One sentence, without the time."""
        by = f" by {self.by}" if self.by else ""
        node = f" on {self.node}" if self.node else ""
        said = f" ({self.message})" if self.message else ""
        begin, end = TEXTS[self.code]
        return f"{begin}{by}{node}{end}{said}."


def find_departure(pod: str, raw: Mapping[str, Any] | None, events: Iterable[SchedulerEvent] = ()) -> Departure | None:
    """What took the pod (namespace/name) by its manifest and the events of its name; None where nothing did.

    ``raw`` is None for a pod of which only events are left. A condition says more than status.reason, and both more
    than an event, whose preemptor is added.
    """
    if raw is None:
        return _of_events(pod, events)
    status = as_mapping(raw.get("status"))
    node = _text(as_mapping(raw.get("spec")).get("nodeName"))
    departure = _of_condition(pod, status, node) or _of_phase(pod, status, node)
    deletion = as_mapping(raw.get("metadata")).get("deletionTimestamp")
    if departure is None and deletion is not None:
        departure = Departure(pod=pod, code="DELETED", source="metadata", node=node, at=parse_seconds(deletion))
    if departure is None:
        return None
    is_over = status.get("phase") in ("Succeeded", "Failed")
    event = _of_events(pod, events) if departure.code == "PREEMPTED" else None
    return msgspec.structs.replace(departure, is_over=is_over, by=event.by if event is not None else "")


def _of_condition(pod: str, status: Mapping[str, Any], node: str) -> Departure | None:
    conditions = status.get("conditions")
    for condition in map(as_mapping, conditions if isinstance(conditions, list) else ()):
        if condition.get("type") != "DisruptionTarget" or condition.get("status") != "True":
            continue
        reason = _text(condition.get("reason"))
        code = _OF_CONDITION.get(reason)
        if reason == "TerminationByKubelet":
            code = _OF_STATUS.get(_text(status.get("reason")), "EVICTED_NODE_PRESSURE")
        if code is not None:
            at, message = parse_seconds(condition.get("lastTransitionTime")), _text(condition.get("message"))
            return Departure(pod=pod, code=code, source="condition", node=node, at=at, message=message)
    return None


def _of_phase(pod: str, status: Mapping[str, Any], node: str) -> Departure | None:
    phase, reason = status.get("phase"), _text(status.get("reason"))
    if phase not in ("Succeeded", "Failed"):
        return None
    code: Code = "FINISHED" if phase == "Succeeded" else _OF_STATUS.get(reason, "FAILED")
    if phase == "Failed" and (reason.startswith(_NO_ROOM) or reason in KNOWN_PLUGINS):
        code = "REFUSED_BY_KUBELET"
    message = _text(status.get("message")) or reason
    return Departure(pod=pod, code=code, source="status", node=node, at=_last_end(status), message=message)


def _last_end(status: Mapping[str, Any]) -> float | None:
    """When the last container ended."""
    statuses = status.get("containerStatuses")
    ends = (
        parse_seconds(as_mapping(as_mapping(one.get("state")).get("terminated")).get("finishedAt"))
        for one in map(as_mapping, statuses if isinstance(statuses, list) else ())
    )
    return max((at for at in ends if at is not None), default=None)


def _of_events(pod: str, events: Iterable[SchedulerEvent]) -> Departure | None:
    about = [one for one in events if one.pod == pod and one.reason in _EVENTS]
    about = [one for one in about if not one.message.startswith(_NO_DELETION)]
    if not about:
        return None
    last = max(about, key=lambda one: one.at or 0.0)
    by, node = last.preemptor
    message = "" if by else last.message
    return Departure(pod=pod, code=_EVENTS[last.reason], source="event", by=by, node=node, at=last.at, message=message)


def _text(value: object) -> str:
    return as_text(value, MAX_TEXT)
