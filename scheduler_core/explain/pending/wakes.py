"""What brings a pod back to activeQ: timers with the time that is left, and events that plugins registered for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.engine.simulation import Simulation
from scheduler_core.explain.pending.model import HintsAsked, Timer, Waker, Wakes
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, Resource
from scheduler_core.profiles.names import DEVICES
from scheduler_core.queue.cluster_events import ASSIGNED_POD_DELETE, event_label, name_of_2021
from scheduler_core.queue.types import (
    ACTIVE,
    BACKOFF,
    ERROR_BACKOFF,
    GATED,
    UNSCHEDULABLE,
    QueuedPod,
    Requeue,
)
from scheduler_core.recording.state import QueueEntry
from scheduler_core.recording.times import span

_SECOND = 1_000_000
_NAMED = 8
_DELETED = "not: a claim that has devices is deleted"
_NODE_ADD = ClusterEvent(Resource.NODE, ActionType.ADD)
_IN_PARTS = (Resource.POD, Resource.TARGET_POD, Resource.NODE)
"""Resources whose updates the queue tells apart by what changed."""
_PARTS = tuple(one for one in ActionType if one.bit_count() == 1)
_ACTIONS = (ActionType.ADD, ActionType.DELETE, ActionType.UPDATE)


def what_wakes(simulation: Simulation, pod: str, now: int) -> Wakes:
    """What brings the pod back from where it is in the restored queue; ``now`` is the cursor's virtual time.

    Raises KeyError for a pod that the queue does not have.
    """
    queued = simulation.queue.get(pod)
    if queued is None:
        raise KeyError(pod)
    return _wakes(simulation, queued, now)


def find_wakes(simulation: Simulation, pod: Pod, entry: QueueEntry, now: int) -> Wakes:
    """What brings a pod back from where it is by a recorded entry of the queue; ``simulation`` is any restored state of
    the run: which plugins registered for what, and the timers, are the same in all of them."""
    queued = QueuedPod(
        pod=pod,
        key=pod.key,
        timestamp=entry.timestamp,
        order=0,
        attempts=entry.attempts,
        unschedulable_count=entry.unschedulable_count,
        error_count=entry.error_count,
        unschedulable_plugins=entry.plugins,
        pending_plugins=entry.pending_plugins,
        gated_by=entry.gated_by,
        backoff_until=entry.backoff_until,
        lane=entry.lane,
    )
    return _wakes(simulation, queued, now)


def _wakes(simulation: Simulation, queued: QueuedPod, now: int) -> Wakes:
    plugins = queued.rejectors
    return Wakes(
        pod=queued.key,
        lane=queued.lane,
        timers=_timers(simulation, queued, now),
        events=_events(simulation, queued) if queued.lane in (UNSCHEDULABLE, GATED) else (),
        plugins=plugins,
        asked=_asked(simulation, queued) if queued.lane == UNSCHEDULABLE else (),
        text=_words(queued),
        not_by=_not_by(queued),
    )


# --- timers --------------------------------------------------------------------------------------------------------
def _timers(simulation: Simulation, queued: QueuedPod, now: int) -> tuple[Timer, ...]:
    timers, at = [], simulation.queue.flush_time(queued, now)
    if at is not None and queued.lane == UNSCHEDULABLE:
        stay = span(simulation.queue.settings.unschedulable_stay_us)
        text = f"pods that stay unschedulable for {stay} are tried again, this one in {span(at - now)}"
        timers.append(Timer("unschedulable flush", at, at - now, queued.timestamp, text))
    elif at is not None:
        early = queued.lane == BACKOFF and simulation.queue.settings.pop_from_backoff
        sooner = ", or sooner where activeQ runs empty" if early else ""
        text = f"its backoff ends in {span(at - now)}{sooner}"
        timers.append(Timer("backoff", at, at - now, queued.timestamp, text))
    record = simulation.context.waiting.get(queued.key)
    if record is not None:
        at = record.next_deadline
        timers.append(Timer("permit", at, at - now, now, f"its wait at Permit ends in {span(at - now)}"))
    return tuple(timers)


# --- events --------------------------------------------------------------------------------------------------------
def _events(simulation: Simulation, queued: QueuedPod) -> tuple[Waker, ...]:
    """Each single event for which a plugin that holds the pod registered."""
    table, profile = simulation.queue.hints, queued.pod.scheduler_name
    holding = {*queued.rejectors, queued.gated_by} - {""}
    wakers = []
    for resource in Resource:
        if resource in (Resource.WILDCARD, Resource.ASSIGNED_POD, Resource.UNSCHEDULED_POD):
            continue
        for action in _PARTS if resource in _IN_PARTS else _ACTIONS:
            event = ClusterEvent(resource, action)
            listeners = [(p, h) for p, h in table.listeners(profile, event) or () if p in holding]
            if listeners:
                plugins = tuple(dict.fromkeys(plugin for plugin, _ in listeners))
                hinting = tuple(dict.fromkeys(plugin for plugin, hint in listeners if hint is not None))
                wakers.append(Waker(_name(simulation, event), resource.value, plugins, hinting))
    return tuple(wakers)


def _name(simulation: Simulation, event: ClusterEvent) -> str:
    """The event's name as the run records it."""
    label = event_label(event)
    return name_of_2021(label) if simulation.policies.event_names == "of_2021" else label


def _asked(simulation: Simulation, queued: QueuedPod) -> tuple[HintsAsked, ...]:
    """The hints' answers for each placed pod that could leave and for a further node like each that is there.

    Where devices are short, a pod that leaves wakes others by what becomes of its claim, which is not asked here.
    """
    cluster, pods = simulation.context.cluster, simulation.world.pods
    frees_devices = DEVICES in queued.rejectors and simulation.policies.claims == "play"
    placed = {key: (pods[key], None) for key in sorted(cluster.pods) if key != queued.key and key in pods}
    nodes = {
        name: (None, msgspec.structs.replace(node, name=f"{name}-added"))
        for name in sorted(cluster.table.row_of)
        if (node := cluster.table.nodes[cluster.table.row_of[name]]) is not None
    }
    return tuple(
        _hints_asked(simulation, queued, event, changes)
        for event, changes in ((ASSIGNED_POD_DELETE, {} if frees_devices else placed), (_NODE_ADD, nodes))
        if changes
    )


def _hints_asked(
    simulation: Simulation, queued: QueuedPod, event: ClusterEvent, changes: Mapping[str, tuple[Any, Any]]
) -> HintsAsked:
    judge = simulation.queue.hints.judge
    waking = [key for key, (old, new) in changes.items() if judge(queued, event, old, new).requeue is not Requeue.SKIP]
    return HintsAsked(event=_name(simulation, event), waking=tuple(waking[:_NAMED]), count=len(waking), of=len(changes))


def _not_by(queued: QueuedPod) -> tuple[str, ...]:
    """What people expect to wake the pod, and does not."""
    if queued.lane == UNSCHEDULABLE and DEVICES in queued.rejectors:
        return (f"{_DELETED}: kube-scheduler has no hint for it",)
    return ()


def _words(queued: QueuedPod) -> str:
    if queued.lane == ACTIVE:
        return "it waits in activeQ for its next attempt"
    if queued.lane == GATED:
        return f"{queued.gated_by} holds it back; it is not tried before that changes"
    if queued.lane in (BACKOFF, ERROR_BACKOFF):
        return "it backs off and is tried again when that is over"
    if queued.lane == UNSCHEDULABLE:
        waits = "it waits for an event that may help it, or for the timer"
        no_hint = [f"; {text}" for text in _not_by(queued)]
        return f"{waits}{''.join(no_hint)}"
    return "an attempt is under way"
