"""The two sets of rules by which waiting pods are tried again: queueing hints, and the older move-request cycle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Protocol

from scheduler_core.api.objects import Pod
from scheduler_core.framework.contracts.events import ClusterEvent
from scheduler_core.queue.cluster_events import (
    FORCE_ACTIVATE,
    UNSCHEDULABLE_TIMEOUT,
    UNSCHEDULED_POD_UPDATE,
    event_label,
)
from scheduler_core.queue.hints import HintTable
from scheduler_core.queue.in_flight import InFlight
from scheduler_core.queue.object_changes import is_pod_updated, pod_events
from scheduler_core.queue.types import SKIPPED, QueuedPod, Requeue, RequeueDecision


class RequeueRules(Protocol):
    """What the queue asks when something happened to a waiting pod or during an attempt.

    ``hears_all``: events that no plugin registered for count too. ``cycle`` is kept up to date by the queue;
    ``move_request_cycle`` is that of the last move request (-1: none yet).
    """

    hears_all: ClassVar[bool]
    cycle: int
    move_request_cycle: int

    def judge(self, queued: QueuedPod, event: ClusterEvent, old: Any, new: Any) -> RequeueDecision:
        """Where a cluster event sends an unschedulable pod."""

    def after_failure(self, queued: QueuedPod) -> RequeueDecision:
        """Where a pod goes after a failed attempt, given what happened during it."""

    def noted(self, event: ClusterEvent, old: Any, new: Any) -> None:
        """An event of interest was handed to the unschedulable pods."""

    def timeout_is_news(self) -> bool:
        """Whether a further run of the leftover timer can change where a pod in flight goes if its attempt fails."""

    def activation_missed(self, pod: Pod) -> None:
        """A pod was to be activated but waits nowhere; it may be in flight."""

    def absorbs_update(self, old: Pod, new: Pod) -> bool:
        """Whether the update belongs to an attempt under way and waits for its end."""

    def after_update(self, queued: QueuedPod, old: Pod, new: Pod) -> Iterator[tuple[str, RequeueDecision]]:
        """(event label, verdict) for each event in an update of an unschedulable pod, evaluated one by one."""


class HintRules:
    """kube-scheduler v1.34: hints decide, and events during an attempt are replayed after it."""

    hears_all: ClassVar[bool] = False

    def __init__(self, table: HintTable, in_flight: InFlight) -> None:
        self._table = table
        self._in_flight = in_flight
        self.cycle = 0
        self.move_request_cycle = -1

    def judge(self, queued: QueuedPod, event: ClusterEvent, old: Any, new: Any) -> RequeueDecision:
        return self._table.judge(queued, event, old, new)

    def after_failure(self, queued: QueuedPod) -> RequeueDecision:
        """The strongest answer to the events since the pop (determineSchedulingHintForInFlightPod)."""
        if not queued.unschedulable_plugins and not queued.pending_plugins:
            return RequeueDecision(Requeue.AFTER_BACKOFF)
        events = self._in_flight.events_since_pop(queued)
        if events is None:
            return RequeueDecision(Requeue.AFTER_BACKOFF)
        best = SKIPPED
        for seen in events:
            verdict = self._table.judge(queued, seen.event, seen.old, seen.new)
            if verdict.requeue > best.requeue:
                best = verdict._replace(in_flight_event=event_label(seen.event), origin=seen.origin)
                if best.requeue is Requeue.IMMEDIATELY or not queued.pending_plugins:
                    break
        return best

    def noted(self, event: ClusterEvent, old: Any, new: Any) -> None:
        self.move_request_cycle = self.cycle
        self._in_flight.record(event, old, new)

    def timeout_is_news(self) -> bool:
        """One time-out seen by all pods in flight is enough: it has no objects, so hints cannot distinguish several."""
        return not self._in_flight.saw_since_last_pop(UNSCHEDULABLE_TIMEOUT)

    def activation_missed(self, pod: Pod) -> None:
        self.move_request_cycle = self.cycle
        self._in_flight.record_for(pod, None, (FORCE_ACTIVATE,))

    def absorbs_update(self, old: Pod, new: Pod) -> bool:
        return new in self._in_flight and self._in_flight.record_for(new, old, pod_events(old, new))

    def after_update(self, queued: QueuedPod, old: Pod, new: Pod) -> Iterator[tuple[str, RequeueDecision]]:
        for event in pod_events(old, new):
            yield event_label(event), self._table.judge(queued, event, old, new)


class MoveCycleRules:
    """The queue before hints: events are names, and a move request during an attempt sends its pod to backoffQ.

    Every event is a move request: it moves the pods that no plugin refused, also where no plugin registered for it.
    """

    hears_all: ClassVar[bool] = True

    def __init__(self, table: HintTable, in_flight: InFlight) -> None:
        self._table = table
        self._in_flight = in_flight
        self.cycle = 0
        self.move_request_cycle = -1

    def judge(self, queued: QueuedPod, event: ClusterEvent, old: Any, new: Any) -> RequeueDecision:
        return self._table.judge(queued, event, old, new, use_hints=False)

    def after_failure(self, queued: QueuedPod) -> RequeueDecision:
        if self.move_request_cycle >= self.cycle:
            return RequeueDecision(Requeue.STRAIGHT_TO_BACKOFF)
        return SKIPPED

    def noted(self, event: ClusterEvent, old: Any, new: Any) -> None:
        self.move_request_cycle = self.cycle

    def timeout_is_news(self) -> bool:
        return len(self._in_flight) > 0 and self.move_request_cycle < self.cycle

    def activation_missed(self, pod: Pod) -> None:
        self.move_request_cycle = self.cycle

    def absorbs_update(self, old: Pod, new: Pod) -> bool:
        # The older queue would have queued the pod a second time here; the attempt's end uses the new version anyway.
        return new in self._in_flight

    def after_update(self, queued: QueuedPod, old: Pod, new: Pod) -> Iterator[tuple[str, RequeueDecision]]:
        if is_pod_updated(old, new):
            yield event_label(UNSCHEDULED_POD_UPDATE), RequeueDecision(Requeue.AFTER_BACKOFF)
