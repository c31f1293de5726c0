"""The real scheduler's record in a bundle: bindings, messages, nominations and victims, each with its place.

A binding is a change of spec.nodeName from "" to a node. A message is that of the condition PodScheduled where it
changes, or of an event FailedScheduling that no condition has: the event of an attempt with the same outcome counts as
a repeat. Victims are those of events Preempted, which name the preemptor by its uid, and of conditions
DisruptionTarget on the node that was nominated.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from scheduler_core.explain.agreement.events import MAX_MESSAGE, SchedulerEvent, scheduler_event
from scheduler_core.manifests.bundle.model import Change
from scheduler_core.manifests.bundle.reading import Bundle
from scheduler_core.manifests.kinds.registry import FAILED_SCHEDULING, PREEMPTED

EVENT_SECONDS = 15.0
"""So far an event may lie from the condition of its attempt."""
VICTIM_SECONDS = 60.0
"""So far a victim may lie from the nomination that it made room for: events of one are sent again when they fail."""
_BY_SCHEDULER = "PreemptionByScheduler"


class _Condition(msgspec.Struct):
    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""


class _PodMetadata(msgspec.Struct):
    name: str = ""
    namespace: str | None = None
    uid: str = ""


class _PodSpec(msgspec.Struct):
    nodeName: str = ""


class _StatusOfPod(msgspec.Struct):
    nominatedNodeName: str = ""
    conditions: tuple[_Condition, ...] | None = ()


class _Pod(msgspec.Struct):
    kind: str = ""
    metadata: _PodMetadata = msgspec.field(default_factory=_PodMetadata)
    spec: _PodSpec | None = None
    status: _StatusOfPod | None = None


_decode_pod = msgspec.json.Decoder(_Pod).decode


class PodRecordFacts(NamedTuple):
    """What the record reads of a pod."""

    key: str
    uid: str
    node: str
    nominated: str
    message: str
    is_victim: bool


class RealDecision(msgspec.Struct, kw_only=True):
    """A decision as it was recorded. ``change``: the position of the change that shows it; the state before counts.
    ``message`` and ``node``: one of them is "". ``came_bound``: the pod was not seen without its node. ``relisted``:
    it was noticed by listing again. ``of_event``: only an event shows it, which says nothing of nominations."""

    at: float
    change: int
    pod: str
    uid: str = ""
    node: str = ""
    message: str = ""
    nominated: str = ""
    victims: tuple[str, ...] = ()
    repeats: int = 0
    came_bound: bool = False
    relisted: bool = False
    of_event: bool = False


class RealVictim(NamedTuple):
    """A pod that was preempted; ``preemptor`` is a uid, or namespace/name, "" where nothing says so. ``change``: the
    position at which its condition shows it, None of an event."""

    pod: str
    node: str
    at: float
    preemptor: str = ""
    change: int | None = None


class RealRecord(msgspec.Struct, frozen=True):
    """The decisions in their order; ``victims``: {(key, uid)} of the pods that the scheduler preempted."""

    decisions: tuple[RealDecision, ...]
    victims: frozenset[tuple[str, str]]


def pod_facts(change: Change) -> PodRecordFacts | None:
    """What the record reads of a change of a pod; None for another kind, and for what no API server writes."""
    try:
        pod = _decode_pod(change.object)
    except msgspec.MsgspecError:
        return None
    if pod.kind != "Pod":
        return None
    status = pod.status or _StatusOfPod()
    conditions = {one.type: one for one in status.conditions or ()}
    failed, target = conditions.get("PodScheduled"), conditions.get("DisruptionTarget")
    is_failed = failed is not None and failed.status == "False" and failed.reason == "Unschedulable"
    return PodRecordFacts(
        f"{pod.metadata.namespace or 'default'}/{pod.metadata.name}",
        pod.metadata.uid,
        pod.spec.nodeName if pod.spec is not None else "",
        status.nominatedNodeName,
        failed.message if failed is not None and is_failed else "",
        target is not None and target.status == "True" and target.reason == _BY_SCHEDULER,
    )


def real_record(bundle: Bundle) -> RealRecord:
    """The record of a bundle. Raises LoadError for a line that cannot be read."""
    pods = _PodRecord(bundle)
    decisions = pods.decisions + _of_events(bundle, pods)
    victims = [*pods.victims, *_preempted(bundle)]
    _give_victims(decisions, victims)
    preempted = {(key, uid) for key, uid in pods.preempted}
    preempted |= {(event.pod, event.uid) for _, event in _events(bundle) if event.reason == PREEMPTED and event.uid}
    return RealRecord(tuple(sorted(decisions, key=lambda one: (one.change, bool(one.node)))), frozenset(preempted))


class _PodRecord:
    """What changes of pods say. ``messages``: by uid, decisions that a condition shows."""

    def __init__(self, bundle: Bundle) -> None:
        self.decisions: list[RealDecision] = []
        self.victims: list[RealVictim] = []
        self.preempted: list[tuple[str, str]] = []
        self.messages: dict[str, list[RealDecision]] = {}
        before: dict[str, PodRecordFacts] = {}
        for listed in bundle.objects():
            facts = pod_facts(Change(t=listed.t, type="ADDED", object=listed.object))
            if facts is not None:
                before[facts.key] = facts
        for position, change in enumerate(bundle.changes):
            facts = pod_facts(change)
            if facts is None:
                continue
            former = before.get(facts.key)
            if former is not None and former.uid != facts.uid:
                former = None
            if change.type == "DELETED":
                before.pop(facts.key, None)
            else:
                before[facts.key] = facts
                self._note(position, change, former, facts)

    def _note(self, position: int, change: Change, former: PodRecordFacts | None, facts: PodRecordFacts) -> None:
        if facts.is_victim and (former is None or not former.is_victim):
            self.victims.append(RealVictim(facts.key, facts.node, change.t, change=position))
            self.preempted.append((facts.key, facts.uid))
        decided = RealDecision(at=change.t, change=position, pod=facts.key, uid=facts.uid, relisted=change.relisted)
        if facts.node:
            if former is None or not former.node:
                decided.node, decided.came_bound = facts.node, former is None
                self.decisions.append(decided)
            return
        was, nominated = (former.message, former.nominated) if former is not None else ("", "")
        is_nominated = bool(facts.nominated) and facts.nominated != nominated
        if facts.message and (facts.message != was or is_nominated):
            decided.message, decided.nominated = facts.message, facts.nominated if is_nominated else ""
            self.decisions.append(decided)
            self.messages.setdefault(facts.uid, []).append(decided)


def _events(bundle: Bundle) -> Iterator[tuple[Change, SchedulerEvent]]:
    for change in bundle.events():
        event = scheduler_event(msgspec.json.decode(change.object)) if change.type != "DELETED" else None
        if event is not None and event.kind == "Pod":
            yield change, event


def _preempted(bundle: Bundle) -> Iterator[RealVictim]:
    for change, event in _events(bundle):
        preemptor, node = event.preemptor
        if preemptor:
            yield RealVictim(event.pod, node, event.at or change.t, preemptor)


def _of_events(bundle: Bundle, pods: _PodRecord) -> list[RealDecision]:
    """Decisions that events alone show; others count as repeats of those that have them."""
    more: list[RealDecision] = []
    seen: set[int] = set()
    versions = bundle.changes.versions
    for change, event in _events(bundle):
        if event.reason != FAILED_SCHEDULING or not event.message:
            continue
        at = event.at if event.at is not None else change.t
        of_pod = pods.messages.setdefault(event.uid, [])
        same = [one for one in of_pod if _is_same(event.message, one.message)]
        near = [one for one in same if abs(one.at - change.t) <= EVENT_SECONDS or abs(one.at - at) <= EVENT_SECONDS]
        if near:
            first = next((one for one in near if id(one) not in seen), None)
            if first is None:
                near[-1].repeats += 1
            else:
                seen.add(id(first))
        elif same and same[-1].at <= max(at, change.t):
            same[-1].repeats += 1
        else:
            position = _place(bundle, versions, change)
            alone = RealDecision(
                at=change.t,
                change=position,
                pod=event.pod,
                uid=event.uid,
                message=event.message,
                relisted=change.relisted,
                of_event=True,
            )
            more.append(alone)
            of_pod.append(alone)
            seen.add(id(alone))
    return more


def _is_same(event: str, condition: str) -> bool:
    """Whether an event's message, which is cut to a length, is that of the condition."""
    return event == condition or (len(event) >= MAX_MESSAGE - 1 and condition.startswith(event[:-4]))


def _place(bundle: Bundle, versions: list[int], change: Change) -> int:
    """Before which change an event was written: by its resourceVersion where the counter is that of the changes."""
    if versions and change.rv.isdigit() and versions[0] <= int(change.rv) <= versions[-1]:
        return bisect_left(versions, int(change.rv))
    return bundle.changes.position_at(change.t)


def _give_victims(decisions: list[RealDecision], victims: list[RealVictim]) -> None:
    """Give each nomination the pods that were preempted for it. Its state is the one before the first of them was
    marked, which some versions do ahead of the pod's own status."""
    named = {(one.pod, one.node) for one in victims if one.preemptor}
    marked = {(one.pod, one.node): one for one in victims if one.change is not None}
    by_node: dict[str, list[RealVictim]] = {}
    for victim in victims:
        if victim.preemptor or (victim.pod, victim.node) not in named:
            by_node.setdefault(victim.node, []).append(victim)
    for decided in decisions:
        if decided.nominated:
            near = [one for one in by_node.get(decided.nominated, ()) if abs(one.at - decided.at) <= VICTIM_SECONDS]
            ours = [one for one in near if not one.preemptor or one.preemptor in (decided.uid, decided.pod)]
            decided.victims = tuple(sorted({one.pod for one in ours}))
            marks = [marked.get((pod, decided.nominated)) for pod in decided.victims]
            early = [one.change for one in marks if one is not None and abs(one.at - decided.at) <= EVENT_SECONDS]
            decided.change = min([decided.change, *(at for at in early if at is not None)])
