"""What the autoscaler of the real cluster said of pods, as its events have it: the cluster autoscaler's, Karpenter's.

Beside an answer of the engine it is another's word: of another moment, and of rules that are not played.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from scheduler_core.api.objects import Pod
from scheduler_core.explain.agreement.events import SchedulerEvent


def autoscaler_words(events: Iterable[SchedulerEvent], pods: Iterable[Pod]) -> dict[str, str]:
    """{namespace/name: the last thing that an autoscaler said of it, with its time} of these pods. An event of a pod of
    the same name with another uid is passed over."""
    uids = {pod.key: pod.uid for pod in pods}
    last: dict[str, SchedulerEvent] = {}
    for event in events:
        uid = uids.get(event.pod)
        if uid is None or not event.autoscaler or (uid and event.uid and uid != event.uid):
            continue
        if (before := last.get(event.pod)) is None or (event.at or 0.0) >= (before.at or 0.0):
            last[event.pod] = event
    return {pod: _said(event) for pod, event in last.items()}


def _said(event: SchedulerEvent) -> str:
    when = "" if event.at is None else f" at {datetime.fromtimestamp(event.at, UTC):%Y-%m-%dT%H:%M:%SZ}"
    return f"{event.autoscaler} said{when}: {event.reason}{f': {event.message}' if event.message else ''}"
