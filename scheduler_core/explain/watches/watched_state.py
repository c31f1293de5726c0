"""The parts of the cluster that watches read, as of the event that a scan has reached, and what an event may change."""

from __future__ import annotations

from typing import Any

from scheduler_core.api.quantity import INT64_MAX
from scheduler_core.api.resources import PODS
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.outcomes.objects import RunObjects
from scheduler_core.explain.outcomes.usage import ClusterUsage
from scheduler_core.explain.watches.model import LANES_OF, Watch, WatchKind, WatchValue
from scheduler_core.recording import events as ev
from scheduler_core.recording.state import REDUCERS, QueueEntry, RunState

GONE, OUTSIDE, GATED, UNSCHEDULABLE, BACKOFF, ACTIVE, IN_FLIGHT, PLACED, BOUND = range(9)
"""The levels by which the line of a pod's state is drawn: the higher, the nearer to being bound."""

_OF_LANE = {
    "gated": (GATED, "gated"),
    "unschedulable": (UNSCHEDULABLE, "unschedulable"),
    "backoff": (BACKOFF, "in backoffQ"),
    "error_backoff": (BACKOFF, "in backoffQ after an error"),
    "active": (ACTIVE, "in activeQ"),
    "in_flight": (IN_FLIGHT, "in flight"),
}


def pod_state(state: RunState, pod: str, is_there: bool) -> WatchValue:
    """The state of a pod that is, or was, one of the cluster (``is_there``), read of ``queue``, ``placements``,
    ``waiting``, ``terminating`` and ``gone`` alone."""
    placement, entry = state.placements.get(pod), state.queue.get(pod)
    if placement is not None and placement.bound:
        if pod in state.terminating:
            return WatchValue(BOUND, f"terminating on {placement.node}")
        return WatchValue(BOUND, f"bound to {placement.node}{_in_cycle(placement.cycle)}")
    if placement is not None:
        waits = "waits on Permit for" if pod in state.waiting else "assumed on"
        return WatchValue(PLACED, f"{waits} {placement.node}{_in_cycle(placement.cycle)}")
    if entry is not None:
        level, lane = _OF_LANE[entry.lane]
        return WatchValue(level, f"{lane}{_attempts(entry)}")
    if pod in state.gone:
        return WatchValue(GONE, f"gone: {state.gone[pod]}" if state.gone[pod] else "gone: deleted")
    if not is_there:
        return WatchValue(None, "no such pod")
    return WatchValue(OUTSIDE, "terminating" if pod in state.terminating else "not in the queue")


def _in_cycle(cycle: int) -> str:
    return f" in cycle {cycle:,}" if cycle else ""


def _attempts(entry: QueueEntry) -> str:
    return f", {entry.attempts:,} attempt{'' if entry.attempts == 1 else 's'}" if entry.attempts else ""


READ: tuple[type[ev.AnyEvent], ...] = (
    ev.ObjectChanged,
    ev.QueueMove,
    ev.Reserved,
    ev.Unreserved,
    ev.Bound,
    ev.PermitWaiting,
    ev.PermitDecided,
)
"""The events that change what watches read."""
NO_NODE = WatchValue(None, "no such node")
NOT_SIZED = WatchValue(None, "unknown: what a pod there requests is not recorded")

Subject = tuple[str, str]
"""("node", its name), ("lane", a lane of the recording) or ("pod", its key)."""


def watched_subjects(watch: Watch) -> tuple[Subject, ...]:
    """The parts of the cluster that the watch reads; none for a watch that counts hits of a query."""
    match watch.kind:
        case WatchKind.FREE | WatchKind.USED | WatchKind.PODS:
            return (("node", watch.name),)
        case WatchKind.LENGTH:
            return tuple(("lane", lane) for lane in LANES_OF[watch.name])
        case WatchKind.STATE:
            return (("pod", watch.name),)
    return ()


class WatchedState:
    """Pods, nodes and queue after the events that were taken. ``start`` is the state before the first; it is taken
    over and changed."""

    def __init__(self, inputs: RunInputs, start: RunState) -> None:
        self.state = start
        self._objects = RunObjects(inputs)
        self._usage = ClusterUsage()
        self._lanes = dict.fromkeys(ev.LANES, 0)
        self._not_sized: dict[str, str] = {}
        for name in start.nodes:
            self._usage.put_node(name, self._objects.allocatable(name))
        for pod in start.placements:
            self._place(pod)
        for entry in start.queue.values():
            self._lanes[entry.lane] += 1

    def take(self, event: Any) -> tuple[Subject, ...]:
        """Apply the next event, one of READ, and return the subjects whose values it may have changed."""
        pod = event.key if isinstance(event, ev.ObjectChanged) else event.pod
        if isinstance(event, ev.ObjectChanged) and event.kind == "Node":
            return self._take_node(event)
        placement, entry = self.state.placements.get(pod), self.state.queue.get(pod)
        if isinstance(event, ev.ObjectChanged):
            self._objects.take(event)
        REDUCERS[type(event)](self.state, event)
        self.state.at = event.at
        if isinstance(event, ev.ObjectChanged) and event.kind != "Pod":
            return ()
        if isinstance(event, ev.QueueMove):
            return self._moved(pod, "" if entry is None else entry.lane)
        self._place(pod)
        now = self.state.placements.get(pod)
        nodes = {one.node for one in (placement, now) if one is not None}
        return (("pod", pod), *(("node", node) for node in nodes))

    def _take_node(self, event: ev.ObjectChanged) -> tuple[Subject, ...]:
        self._objects.take(event)
        REDUCERS[ev.ObjectChanged](self.state, event)
        self.state.at = event.at
        if event.action == "deleted":
            self._usage.drop_node(event.key)
        elif event.key in self.state.nodes:
            self._usage.put_node(event.key, self._objects.allocatable(event.key))
        return (("node", event.key),)

    def _moved(self, pod: str, before: str) -> tuple[Subject, ...]:
        entry = self.state.queue.get(pod)
        lanes = [lane for lane in (before, "" if entry is None else entry.lane) if lane]
        if before:
            self._lanes[before] -= 1
        if entry is not None:
            self._lanes[entry.lane] += 1
        return (("pod", pod), *(("lane", lane) for lane in lanes))

    def _place(self, pod: str) -> None:
        placement, of_inputs = self.state.placements.get(pod), self._objects.pods.get(pod)
        self._not_sized.pop(pod, None)
        if placement is None:
            self._usage.place(pod, "", ())
        else:
            self._usage.place(pod, placement.node, self._objects.requests(of_inputs))
            if of_inputs is None:
                self._not_sized[pod] = placement.node

    # --- values ------------------------------------------------------------------------------------------------------
    def value(self, watch: Watch) -> WatchValue:
        """The watch's value now; it is none of a query's hits."""
        match watch.kind:
            case WatchKind.LENGTH:
                return WatchValue(sum(self._lanes[lane] for lane in LANES_OF[watch.name]))
            case WatchKind.STATE:
                return pod_state(self.state, watch.name, watch.name in self._objects.pods)
        return self._of_node(watch)

    def _of_node(self, watch: Watch) -> WatchValue:
        allocatable = self._usage.nodes.get(watch.name)
        if allocatable is None:
            return NO_NODE
        resource = PODS if watch.kind is WatchKind.PODS else watch.resource
        if resource != PODS and watch.name in self._not_sized.values():
            return NOT_SIZED
        used = self._usage.of_node[watch.name].get(resource, 0)
        if resource not in allocatable and not used and watch.kind is not WatchKind.PODS:
            return WatchValue(None, f"the node has no {resource}")
        return WatchValue(saturated(allocatable.get(resource, 0) - used if watch.kind is WatchKind.FREE else used))


def saturated(value: int) -> int:
    """The value limited to what 64 bits hold, since sums of requests may be larger."""
    return max(-INT64_MAX, min(value, INT64_MAX))
