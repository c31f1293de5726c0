"""What a dump holds of the real scheduler's decisions: conditions, events and nominations, by pod.

Read from the objects as written, as nothing of it is part of what the engine schedules by. They come from anywhere, so
every value is looked at before it is used; what is of another shape counts as not told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from scheduler_core.explain.agreement.messages import MAX_MESSAGE
from scheduler_core.manifests.items import PREEMPTED, SCHEDULER_EVENTS

Source = Literal["", "condition", "event"]


class PodTold(msgspec.Struct, frozen=True, kw_only=True):
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


def told_by(pods: Iterable[Mapping[str, Any]], events: Iterable[Mapping[str, Any]] = ()) -> dict[str, PodTold]:
    """{namespace/name: what was told} of every pod. Events of other pods, and of pods of the same name with another
    uid, are passed over; of several the latest counts, and it counts more than the condition, which has no time."""
    found: dict[str, PodTold] = {}
    uids: dict[str, str] = {}
    for raw in pods:
        metadata = _mapping(raw.get("metadata"))
        key = f"{_text(metadata.get('namespace')) or 'default'}/{_text(metadata.get('name'))}"
        found[key], uids[key] = _of_status(_mapping(raw.get("status"))), _text(metadata.get("uid"))
    latest: dict[tuple[str, str], float] = {}
    for raw in events:
        about = _mapping(raw.get("involvedObject")) or _mapping(raw.get("regarding"))
        key = f"{_text(about.get('namespace')) or 'default'}/{_text(about.get('name'))}"
        uid, reason = _text(about.get("uid")), raw.get("reason")
        if key not in found or reason not in SCHEDULER_EVENTS or (uid and uids[key] and uid != uids[key]):
            continue
        at = _event_time(raw)
        if (at or 0.0) >= latest.get((key, reason), 0.0):
            latest[key, reason] = at or 0.0
            found[key] = _with_event(found[key], reason, _message(raw), at)
    return found


def _of_status(status: Mapping[str, Any]) -> PodTold:
    nominated = _text(status.get("nominatedNodeName"))
    conditions = status.get("conditions")
    for raw in conditions if isinstance(conditions, list) else ():
        condition = _mapping(raw)
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            return PodTold(
                message=_text(condition.get("message")),
                reason=_text(condition.get("reason")),
                source="condition",
                at=seconds_of(condition.get("lastTransitionTime")),
                nominated=nominated,
            )
    return PodTold(nominated=nominated)


def _with_event(told: PodTold, reason: str, message: str, at: float | None) -> PodTold:
    if reason == PREEMPTED:
        return msgspec.structs.replace(told, preempted=message)
    if not message:
        return told
    return msgspec.structs.replace(told, message=message, source="event", at=at)


def _message(event: Mapping[str, Any]) -> str:
    return _text(event.get("message")) or _text(event.get("note"))


def _event_time(event: Mapping[str, Any]) -> float | None:
    """When it was seen last: of a series, of core/v1, of events.k8s.io/v1."""
    times = (
        _mapping(event.get("series")).get("lastObservedTime"),
        event.get("lastTimestamp"),
        event.get("deprecatedLastTimestamp"),
        event.get("eventTime"),
        _mapping(event.get("metadata")).get("creationTimestamp"),
    )
    return next((at for at in map(seconds_of, times) if at is not None), None)


def seconds_of(text: object) -> float | None:
    """Seconds since the Unix epoch of an RFC 3339 time; None where it is none."""
    if not isinstance(text, str) or len(text) > 40:
        return None
    try:
        at = datetime.fromisoformat(text)
        return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str:
    return value[:MAX_MESSAGE] if isinstance(value, str) else ""
