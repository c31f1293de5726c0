"""The real scheduler's decisions in a dump: conditions, events and nominations, by pod.

Read from the objects as written, since the engine does not schedule by any of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from scheduler_core.explain.agreement.events import SchedulerEvent
from scheduler_core.explain.agreement.raw_values import as_mapping, as_text, parse_seconds
from scheduler_core.explain.messages.parsing import MAX_MESSAGE
from scheduler_core.manifests.kinds.registry import FAILED_SCHEDULING, PREEMPTED

Source = Literal["", "condition", "event"]


class SchedulerReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the real scheduler said of a pod, last. ``reason`` is the condition's (Unschedulable, SchedulingGated,
    SchedulerError); ``at``: seconds since the Unix epoch of the last attempt that is known, by an event or by the
    condition's change to False, which later messages leave. ``nominated``: the node of status.nominatedNodeName;
    ``preempted``: the message of an event Preempted. ``bound_at``: when a pod with a node was bound, by its condition,
    else its start or its creation, between which the binding lies."""

    message: str = ""
    reason: str = ""
    source: Source = ""
    at: float | None = None
    nominated: str = ""
    preempted: str = ""
    bound_at: float | None = None

    @property
    def shown_source(self) -> str:
        """What the message comes from, in a word: the event, or the condition's reason."""
        return "FailedScheduling" if self.source == "event" else self.reason or "PodScheduled"


def scheduler_reports(
    pods: Iterable[Mapping[str, Any]], events: Iterable[SchedulerEvent] = ()
) -> dict[str, SchedulerReport]:
    """{namespace/name: what was reported} of every pod. Events of other pods, and of pods of the same name with another
    uid, are passed over.

    The condition's message counts more than an event's: it is whole and of the last attempt, where an event is cut to a
    length and one of a series keeps its first message while its time moves on. Where there is no condition the latest
    event counts.
    """
    reports: dict[str, SchedulerReport] = {}
    uids: dict[str, str] = {}
    for raw in pods:
        metadata = as_mapping(raw.get("metadata"))
        key = f"{_text(metadata.get('namespace')) or 'default'}/{_text(metadata.get('name'))}"
        reports[key], uids[key] = _of_pod(raw), _text(metadata.get("uid"))
    latest: dict[tuple[str, str], float] = {}
    for event in events:
        key = event.pod
        if event.kind != "Pod" or event.reason not in (FAILED_SCHEDULING, PREEMPTED) or key not in reports:
            continue
        if event.autoscaler:  # Karpenter has events of this reason, too
            continue
        if event.uid and uids[key] and event.uid != uids[key]:
            continue
        if (event.at or 0.0) >= latest.get((key, event.reason), 0.0):
            latest[key, event.reason] = event.at or 0.0
            reports[key] = _with_event(reports[key], event)
    return reports


def _of_pod(raw: Mapping[str, Any]) -> SchedulerReport:
    status = as_mapping(raw.get("status"))
    nominated, condition = _text(status.get("nominatedNodeName")), _pod_scheduled(status)
    changed = parse_seconds(condition.get("lastTransitionTime"))
    if as_mapping(raw.get("spec")).get("nodeName"):
        created = as_mapping(raw.get("metadata")).get("creationTimestamp")
        times = (changed, parse_seconds(status.get("startTime")), parse_seconds(created))
        return SchedulerReport(nominated=nominated, bound_at=next((at for at in times if at is not None), None))
    if condition.get("status") != "False":
        return SchedulerReport(nominated=nominated)
    return SchedulerReport(
        message=_text(condition.get("message")),
        reason=_text(condition.get("reason")),
        source="condition",
        at=changed,
        nominated=nominated,
    )


def _pod_scheduled(status: Mapping[str, Any]) -> Mapping[str, Any]:
    conditions = status.get("conditions")
    read = map(as_mapping, conditions if isinstance(conditions, list) else ())
    return next((condition for condition in read if condition.get("type") == "PodScheduled"), {})


def _with_event(report: SchedulerReport, event: SchedulerEvent) -> SchedulerReport:
    if event.reason == PREEMPTED:
        return msgspec.structs.replace(report, preempted=event.message)
    if report.source == "condition" and report.message:
        times = [at for at in (report.at, event.at) if at is not None]
        return msgspec.structs.replace(report, at=max(times, default=None))
    if not event.message:
        return report
    return msgspec.structs.replace(report, message=event.message, source="event", at=event.at)


def _text(value: object) -> str:
    return as_text(value, MAX_MESSAGE)
