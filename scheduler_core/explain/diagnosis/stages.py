"""Causes that are not of Filter: before a node was looked at (gates, another scheduler, a queue), and after one was
found (Reserve, Permit, PreBind, Bind, a nomination whose victims still end)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.objects import PersistentVolumeClaim, Pod
from scheduler_core.engine.trials.trial import Trial
from scheduler_core.explain.diagnosis.model import NodeList, Obstacle, ObstacleSet
from scheduler_core.explain.diagnosis.near_misses import closest
from scheduler_core.explain.diagnosis.words import names
from scheduler_core.explain.facts.texts import text as fact_text
from scheduler_core.explain.outcomes.texts import listed
from scheduler_core.framework.contracts.facts import DeviceClaimFact, Fact
from scheduler_core.framework.contracts.obstacles import KINDS
from scheduler_core.framework.contracts.status import Code, Status
from scheduler_core.framework.plugin_helpers.volume_claims import SELECTED_NODE
from scheduler_core.profiles.names import DEVICES, VOLUME_BINDING
from scheduler_core.recording import events as ev

_NO_NODES = NodeList()
_AT_POINT = {
    "Reserve": "RESERVE_FAILED",
    "Permit": "PERMIT_REJECTED",
    "PreBind": "PREBIND_FAILED",
    "Bind": "BIND_FAILED",
}


def gated(pod: Pod, status: Status, base: Trial, facts: Sequence[Fact] = ()) -> ObstacleSet:
    """A pod that PreEnqueue holds back; ``base`` is an attempt as if it did not, ``facts`` are the plugin's."""
    if pod.scheduling_gates:
        texts = [f"scheduling gate {name} holds it back" for name in pod.scheduling_gates]
        obstacles = [
            _obstacle(pod, "GATED", status.plugin, "spec.schedulingGates", {"name": name}, said)
            for name, said in zip(pod.scheduling_gates, texts, strict=True)
        ]
    elif facts:
        texts = [fact_text(fact) for fact in facts]
        obstacles = [
            msgspec.structs.replace(
                _obstacle(pod, fact.code, status.plugin, fact.subject, fact.needs, said), object=_object(pod, fact)
            )
            for fact, said in zip(facts, texts, strict=True)
        ]
    else:
        texts = [status.message or f"{status.plugin} holds it back"]
        obstacles = [_obstacle(pod, "GATED", status.plugin, "", {}, texts[0])]
    said = listed(texts, "and")
    text = f"{said[:1].upper()}{said[1:]}."
    if pod.resource_claims:  # which devices there are is not known, so neither is what follows
        return _cause(obstacles, text)
    fits = base.feasible
    then = f"Without that it fits on {names(fits)}." if fits else "Without that it would fit nowhere either."
    return _cause(obstacles, f"{text} {then}", opens=NodeList.of(fits))


def _object(pod: Pod, fact: Fact) -> str:
    """What has the obstacle: the claim that is named, or the pod."""
    claim = fact.claim if isinstance(fact, DeviceClaimFact) else ""
    return f"resource.k8s.io/v1/ResourceClaim/{claim}" if claim else f"v1/Pod/{pod.key}"


def other_scheduler(pod: Pod, configuration: SchedulerConfiguration) -> ObstacleSet | None:
    """A pod that asks for a scheduler that is none of the configuration's; None where it is one of them."""
    scheduler_names = [one.scheduler_name for one in configuration.profiles]
    if pod.scheduler_name in scheduler_names:
        return None
    near = closest(pod.scheduler_name, scheduler_names)
    asked = f"schedulerName {pod.scheduler_name}"
    needs = {"schedulerName": near or scheduler_names[0]}
    if near is not None:
        text = f"{asked}: no scheduler of that name is configured; did you mean {near}?"
        obstacle = _obstacle(pod, "UNKNOWN_SCHEDULER", "", "spec.schedulerName", needs, text)
        return _cause([obstacle], f"{text[:1].upper()}{text[1:]}")
    text = f"{asked}: another scheduler decides it, which is not simulated; {listed(scheduler_names, 'and')} is"
    obstacle = _obstacle(pod, "OTHER_SCHEDULER", "", "spec.schedulerName", needs, text)
    return _cause([obstacle], f"{text[:1].upper()}{text[1:]}.")


def not_tried(pod: Pod, lane: str) -> ObstacleSet:
    """A pod that waits in the queue without an attempt."""
    backoff = "backoff" in lane.lower()
    code = "BACKING_OFF" if backoff else "NOT_TRIED_YET"
    text = (
        "Backoff: it waits until it may be tried again."
        if backoff
        else f"Not tried yet: it waits in {lane or 'the queue'}."
    )
    return _cause([_obstacle(pod, code, "", "", {}, text.rstrip("."))], text)


def terminating(pod: Pod) -> ObstacleSet:
    """A pod that is being deleted before it had a node."""
    text = "It is being deleted, so no scheduler looks at it."
    return _cause([_obstacle(pod, "TERMINATING", "", "metadata.deletionTimestamp", {}, text.rstrip("."))], text)


def nominated(pod: Pod, node: str, victims: Sequence[str]) -> ObstacleSet:
    """A pod for which preemption clears a node."""
    who = f" once {names(victims)} {'has' if len(victims) == 1 else 'have'} ended" if victims else ""
    text = f"Room is cleared for it on {node}: it is tried again{who}."
    obstacle = _obstacle(pod, "NOMINATED_WAITS", "", "status.nominatedNodeName", {"node": node}, text.rstrip("."))
    return _cause([obstacle], text, opens=NodeList.of([node]))


def waits_for_volumes(
    pod: Pod, node: str, claims: Sequence[PersistentVolumeClaim], provisioners: Mapping[str, str]
) -> ObstacleSet:
    """A pod that the input has decided for the node, and that waits at PreBind for these claims; ``provisioners`` by
    the claim's key."""
    obstacles = []
    for claim in claims:
        who = provisioners.get(claim.key) or "its provisioner"
        text = f"claim {claim.key} waits for {who} to provision it on {node}"
        needs = {"node": node, "provisioner": provisioners.get(claim.key, "")}
        one = _obstacle(pod, "PREBIND_WAITS", VOLUME_BINDING, SELECTED_NODE, needs, text)
        obstacles.append(
            msgspec.structs.replace(one, object=f"v1/PersistentVolumeClaim/{claim.key}", nodes=NodeList.of([node]))
        )
    said = listed([one.text for one in obstacles], "and")
    return _cause(obstacles, f"PreBind: it is decided for {node} and holds its room there; {said}.")


def after_filter(pod: Pod, cycle: int, recorded: Sequence[ev.AnyEvent]) -> ObstacleSet | None:
    """What ended the attempt of this cycle, or holds it, after it had found a node; ``recorded`` are events from its
    first on, other pods' and later attempts' among them. None where the attempt ended at Filter."""
    events = [event for event in recorded if getattr(event, "cycle", cycle) == cycle]
    node = next((one.node for one in reversed(events) if isinstance(one, ev.HostSelected)), "")
    if not node:
        return None
    made: ObstacleSet | None = None
    for event in events:
        made = _of_event(pod, node, event) or made
    return made


def failed(pod: Pod, message: str) -> ObstacleSet:
    """An attempt that ended although the pod fits on the state that it found."""
    text = f"The attempt failed: {message}."
    return _cause([_obstacle(pod, "PLUGIN_FAILED", "", "", {}, text.rstrip("."))], text)


def _of_event(pod: Pod, node: str, event: ev.AnyEvent) -> ObstacleSet | None:
    if isinstance(event, ev.PointFinished) and event.point in _AT_POINT:
        refusing = [one for one in event.statuses if one.code not in (Code.SUCCESS, Code.WAIT, Code.SKIP)]
        if refusing:
            one = refusing[-1]
            return _later(pod, node, _AT_POINT[event.point], one.plugin, "; ".join(one.reasons))
    if isinstance(event, ev.PermitWaiting) and event.pod == pod.key:
        return _later(pod, node, "PERMIT_WAITS", ", ".join(event.plugins), "")
    if isinstance(event, ev.PermitDecided) and event.pod == pod.key and not event.allowed:
        return _later(pod, node, "PERMIT_REJECTED", event.plugin, event.message)
    if isinstance(event, ev.ExtendersBound) and event.pod == pod.key and event.calls:
        last = event.calls[-1]
        return _later(pod, node, "BIND_FAILED", "", last.error) if last.error and not last.ignored else None
    return None


_HEADS = {
    "RESERVE_FAILED": "Reserve: {plugin} could not set aside what it needs on {node}",
    "PERMIT_REJECTED": "Permit: {plugin} rejected it on {node}",
    "PREBIND_FAILED": "PreBind: what precedes its binding to {node} failed in {plugin}",
    "BIND_FAILED": "Bind: it was decided for {node}, and binding it fails",
    "PERMIT_WAITS": "Permit: it is decided for {node}, and {plugin} has it wait",
}


_FAULTS = {
    "nil or empty request mappings": "it takes an extended resource for devices that the node's device plugin serves",
    "got allocated elsewhere in the meantime": "it allocates a claim twice that the pod names under two entries",
    "must have at most 256 items": "it decides on more pods for a claim than the API server lets reserve it",
}
"""Faults of kube-scheduler that are followed, by what its error says; each fails again at every attempt."""


def _later(pod: Pod, node: str, code: str, plugin: str, reason: str) -> ObstacleSet:
    head = _HEADS[code].format(plugin=plugin or "a plugin", node=node)
    fault = next((said for part, said in _FAULTS.items() if part in reason and plugin == DEVICES), "")
    text = f"{head}{f': {reason}' if reason else ''}"
    text += f" (a fault of kube-scheduler, which is followed here: {fault})" if fault else ""
    return _cause([_obstacle(pod, code, plugin, "", {"node": node}, text)], f"{text}.")


def _obstacle(pod: Pod, code: str, plugin: str, subject: str, needs: dict[str, str], text: str) -> Obstacle:
    return Obstacle(code=code, plugin=plugin, subject=subject, object=f"v1/Pod/{pod.key}", needs=needs, text=text)


def _cause(obstacles: Sequence[Obstacle], text: str, opens: NodeList = _NO_NODES) -> ObstacleSet:
    kind = KINDS[obstacles[0].code]
    return ObstacleSet(
        codes=tuple(dict.fromkeys(one.code for one in obstacles)),
        plugins=tuple(dict.fromkeys(one.plugin for one in obstacles if one.plugin)),
        obstacles=tuple(obstacles),
        opens=opens,
        stage=kind.stage,
        actor=kind.actor,
        text=text,
    )


def with_policy(cause: ObstacleSet, pod: Pod, lower: Sequence[str]) -> ObstacleSet:
    """The cause of a pod that may not preempt although pods of lower priority are on the nodes that it opens."""
    if pod.preemption_policy != "Never" or not lower:
        return cause
    text = f"preemptionPolicy Never: it may not evict {names(lower)}, of lower priority"
    return msgspec.structs.replace(cause, text=f"{cause.text} {text[:1].upper()}{text[1:]}.")
