"""Values of watches worked out anew at each moment, from the recording's own state and the inputs."""

from __future__ import annotations

from functools import cache

from scheduler_core.api.resources import pod_requests
from scheduler_core.explain.watches import WatchKind, WatchValue
from scheduler_core.query import parse
from scheduler_core.recording import events as ev
from scheduler_core.recording import lanes
from scheduler_core.recording.objects import decode_object
from tests.scheduler_core.query import naive as naive_query

LANES = {
    "activeQ": ("active",),
    "backoffQ": ("backoff", "error_backoff"),
    "unschedulable": ("unschedulable",),
    "gated": ("gated",),
    "in flight": ("in_flight",),
}
WORDS = {
    "active": "in activeQ",
    "backoff": "in backoffQ",
    "error_backoff": "in backoffQ after an error",
    "unschedulable": "unschedulable",
    "gated": "gated",
    "in_flight": "in flight",
}


class Replay:
    """A recording with its inputs; asks the recording's reader for the state at each seq."""

    def __init__(self, reader, inputs):
        self.reader, self.inputs = reader, inputs
        self.events = reader.events(0, reader.head_seq())
        self.things = None
        self.objects, self.state, self.hits = cache(self.objects), cache(reader.state_at), cache(self.hits)

    def objects(self, kind, seq):
        """{key: the newest version} of those that were ever there by then."""
        there = {one.key if kind == "Pod" else one.name: one for one in self._start(kind)}
        for number, event in self.events:
            if number >= seq:
                break
            if not isinstance(event, ev.ObjectChanged) or event.kind != kind or event.action == "deleted":
                continue
            if event.object:
                there[event.key] = decode_object(kind, event.object)
            elif event.entry is not None:
                there[event.key] = self.inputs.timeline.entries[event.entry].object
        return there

    def _start(self, kind):
        return self.inputs.objects.pods if kind == "Pod" else self.inputs.objects.nodes

    def value(self, watch, seq):
        """The value of a watch behind the first ``seq`` events."""
        if watch.kind is WatchKind.COUNT:
            return WatchValue(sum(hit[0] < seq for hit in self.hits(watch.name)))
        state = self.state(seq)
        if watch.kind is WatchKind.LENGTH:
            queue = lanes(state)
            return WatchValue(sum(len(getattr(queue, lane)) for lane in LANES[watch.name]))
        if watch.kind is WatchKind.STATE:
            return WatchValue(None, self.pod_text(state, watch.name, seq))
        if watch.name not in state.nodes:
            return WatchValue(None, "no such node")
        pods = [key for key, one in state.placements.items() if one.node == watch.name]
        if watch.kind is WatchKind.PODS:
            return WatchValue(len(pods))
        versions = self.objects("Pod", seq)
        used = sum(pod_requests(versions[key]).get(watch.resource, int(watch.resource == "pods")) for key in pods)
        allocatable = self.objects("Node", seq)[watch.name].allocatable
        if watch.resource not in allocatable and not used:
            return WatchValue(None, f"the node has no {watch.resource}")
        return WatchValue(used if watch.kind is WatchKind.USED else allocatable.get(watch.resource, 0) - used)

    def pod_text(self, state, pod, seq):
        """A pod's state in words."""
        placement, entry = state.placements.get(pod), state.queue.get(pod)
        if placement is not None:
            where = placement.node + (f" in cycle {placement.cycle}" if placement.cycle else "")
            if not placement.bound:
                return f"{'waits on Permit for' if pod in state.waiting else 'assumed on'} {where}"
            return f"terminating on {placement.node}" if pod in state.terminating else f"bound to {where}"
        if entry is not None:
            tried = {0: "", 1: ", 1 attempt"}.get(entry.attempts, f", {entry.attempts} attempts")
            return WORDS[entry.lane] + tried
        if pod in state.gone:
            return f"gone: {state.gone[pod] or 'deleted'}"
        if pod not in self.objects("Pod", seq):
            return "no such pod"
        return "terminating" if pod in state.terminating else "not in the queue"

    def hits(self, text):
        """The hits of a query, by looking at everything."""
        self.things = self.things or naive_query.things_of(self.reader)
        query = parse(text)
        return naive_query.hits(self.things[query.subject], query)
