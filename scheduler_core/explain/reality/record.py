"""The real scheduler's record in a bundle: bindings, messages, nominations and victims, each with its place.

A binding is a change of spec.nodeName from "" to a node. A message is that of the condition PodScheduled where it
changes, or of an event FailedScheduling that no condition has (failures.py). Victims are those of events Preempted,
which name the preemptor by its uid, and of conditions DisruptionTarget on the node that was nominated (victims.py).
Nothing rests on the times of events, which are those of other clocks.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from scheduler_core.manifests.bundle.model import Change
from scheduler_core.manifests.bundle.reading import Bundle

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
    it was noticed by listing again. ``of_event``: only an event shows it, which says nothing of nominations;
    ``is_unplaced``: nothing says before which change it was made. ``ended``: the change with which the pod's
    nomination ended, None where it lasts."""

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
    is_unplaced: bool = False
    ended: int | None = None


class VictimMark(NamedTuple):
    """A pod whose condition says that it was preempted, at the position of a change received at ``at``."""

    pod: str
    uid: str
    node: str
    at: float
    change: int


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


class PodChangesRecord:
    """What changes of pods say: their ``decisions`` in order, the ``marks`` of victims, and {uid: position} of the
    changes with which pods ``came`` that were not there at the beginning."""

    def __init__(self, bundle: Bundle) -> None:
        self.decisions: list[RealDecision] = []
        self.marks: list[VictimMark] = []
        self.came: dict[str, int] = {}
        self._nominations: dict[str, RealDecision] = {}
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
        if former is None:
            self.came[facts.uid] = position
        if facts.is_victim and (former is None or not former.is_victim):
            self.marks.append(VictimMark(facts.key, facts.uid, facts.node, change.t, position))
        open_one = self._nominations.get(facts.uid)
        if open_one is not None and facts.nominated != open_one.nominated:
            open_one.ended = position
            del self._nominations[facts.uid]
        decided = RealDecision(at=change.t, change=position, pod=facts.key, uid=facts.uid, relisted=change.relisted)
        if facts.node:
            if former is None or not former.node:
                decided.node, decided.came_bound = facts.node, former is None
                self.decisions.append(decided)
            return
        was, nominated = (former.message, former.nominated) if former is not None else ("", "")
        is_nominated = bool(facts.nominated) and facts.nominated != nominated
        if facts.message and (facts.message != was or is_nominated):
            decided.message = facts.message
            self.decisions.append(decided)
            if is_nominated:
                decided.nominated = facts.nominated
                self._nominations[facts.uid] = decided
