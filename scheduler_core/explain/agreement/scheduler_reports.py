"""What a dump holds of the real scheduler's decisions: conditions, events and nominations, by pod.

Read from the objects as written, as nothing of it is part of what the engine schedules by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from scheduler_core.explain.agreement.events import SchedulerEvent
from scheduler_core.explain.agreement.raw_values import mapping_of, seconds_of, text_of
from scheduler_core.explain.messages.parsing import MAX_MESSAGE
from scheduler_core.manifests.kinds.registry import PREEMPTED

Source = Literal["", "condition", "event"]


class SchedulerReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the real scheduler said of a pod, last. ``reason`` is the condition's (Unschedulable, SchedulingGated,
    SchedulerError); ``at``: seconds since the Unix epoch, of the last message where an event tells it, else of the
    condition's change to False, which later messages leave. ``nominated``: the node of status.nominatedNodeName;
    ``preempted``: the message of an event Preempted."""

    message: str = ""
    reason: str = ""
    source: Source = ""
    at: float | None = None
    nominated: str = ""
    preempted: str = ""


def scheduler_reports(
    pods: Iterable[Mapping[str, Any]], events: Iterable[SchedulerEvent] = ()
) -> dict[str, SchedulerReport]:
    """{namespace/name: what was told} of every pod. Events of other pods, and of pods of the same name with another
    uid, are passed over; of several the latest counts, and it counts more than the condition, which has no time.

    A message that was cut to the length of an event counts only where the condition has none.
    """
    reports: dict[str, SchedulerReport] = {}
    uids: dict[str, str] = {}
    for raw in pods:
        metadata = mapping_of(raw.get("metadata"))
        key = f"{_text(metadata.get('namespace')) or 'default'}/{_text(metadata.get('name'))}"
        reports[key], uids[key] = _of_status(mapping_of(raw.get("status"))), _text(metadata.get("uid"))
    latest: dict[tuple[str, str], float] = {}
    for event in events:
        key = event.pod
        if key not in reports or (event.uid and uids[key] and event.uid != uids[key]):
            continue
        if (event.at or 0.0) >= latest.get((key, event.reason), 0.0):
            latest[key, event.reason] = event.at or 0.0
            reports[key] = _with_event(reports[key], event)
    return reports


def _of_status(status: Mapping[str, Any]) -> SchedulerReport:
    nominated = _text(status.get("nominatedNodeName"))
    conditions = status.get("conditions")
    for raw in conditions if isinstance(conditions, list) else ():
        condition = mapping_of(raw)
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            return SchedulerReport(
                message=_text(condition.get("message")),
                reason=_text(condition.get("reason")),
                source="condition",
                at=seconds_of(condition.get("lastTransitionTime")),
                nominated=nominated,
            )
    return SchedulerReport(nominated=nominated)


def _with_event(report: SchedulerReport, event: SchedulerEvent) -> SchedulerReport:
    if event.reason == PREEMPTED:
        return msgspec.structs.replace(report, preempted=event.message)
    if not event.message or (event.is_cut and report.message):
        return report
    return msgspec.structs.replace(report, message=event.message, source="event", at=event.at)


def _text(value: object) -> str:
    return text_of(value, MAX_MESSAGE)
