"""The values that cycles, moves, preemptions and events have in the fields of a query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from scheduler_core.api.devices import DeviceResult
from scheduler_core.api.objects import ResourceClaim
from scheduler_core.query.expressions import AllOf, Condition, Expression, Not
from scheduler_core.query.fields import OUTSIDE, Field, FieldKind, QuerySubject
from scheduler_core.query.matching import make_test
from scheduler_core.recording import events as ev
from scheduler_core.recording.objects import decode_object
from scheduler_core.recording.quantities import is_narrow, is_tie
from scheduler_core.recording.rows import CycleRow, PluginScoreRow, VerdictRow


class CycleFacts(msgspec.Struct):
    """One cycle: its row, and its rows of refusals and of scores."""

    row: CycleRow
    verdicts: list[VerdictRow]
    scores: list[PluginScoreRow]


class EventFacts(msgspec.Struct):
    """One event with its seq, and the cycle that it belongs to, where there is one."""

    seq: int
    event: Any
    cycle: CycleFacts | None


Facts = CycleFacts | EventFacts
Getter = Callable[[Any], Any]


def pod_namespace(pod: str) -> str:
    """The part before the slash, "" where there is none."""
    return pod.partition("/")[0] if "/" in pod else ""


def _namespaces(pods: Iterable[str]) -> list[str]:
    return [pod_namespace(pod) for pod in pods]


_CYCLE: Mapping[str, Getter] = {
    "cycle": lambda one: one.row.cycle,
    "seq": lambda one: one.row.first_seq,
    "at": lambda one: one.row.at,
    "pod": lambda one: one.row.pod,
    "namespace": lambda one: pod_namespace(one.row.pod),
    "attempt": lambda one: one.row.attempt,
    "profile": lambda one: one.row.profile,
    "priority": lambda one: one.row.priority,
    "outcome": lambda one: one.row.outcome,
    "node": lambda one: one.row.node,
    "chosen": lambda one: one.row.node,
    "message": lambda one: one.row.message,
    "nodes": lambda one: one.row.n_nodes,
    "visited": lambda one: one.row.visited,
    "feasible": lambda one: one.row.feasible,
    "total": lambda one: one.row.total,
    "second": lambda one: one.row.second_node,
    "margin": lambda one: one.row.margin,
    "ties": lambda one: one.row.tie_count,
    "tie": lambda one: is_tie(one.row.outcome, one.row.tie_count),
    "narrow": lambda one: is_narrow(one.row.outcome, one.row.tie_count, one.row.margin),
    "preempting": lambda one: one.row.preempting,
    "refusal.plugin": lambda one: [verdict.plugin for verdict in one.verdicts],
    "refusal.reason": lambda one: [verdict.reasons for verdict in one.verdicts],
    "refusal.nodes": lambda one: [verdict.nodes for verdict in one.verdicts],
    "decided_by": lambda one: [score.plugin for score in one.scores if score.decided and one.row.tie_count <= 1],
}
_MOVE: Mapping[str, Getter] = {
    "seq": lambda one: one.seq,
    "at": lambda one: one.event.at,
    "pod": lambda one: one.event.pod,
    "namespace": lambda one: pod_namespace(one.event.pod),
    "from": lambda one: one.event.source or OUTSIDE,
    "to": lambda one: one.event.target or OUTSIDE,
    "cause": lambda one: one.event.event,
    "plugin": lambda one: one.event.plugin,
    "attempt": lambda one: one.event.attempts,
    "priority": lambda one: one.event.priority,
    "backoff": lambda one: None if one.event.backoff_until is None else one.event.backoff_until - one.event.at,
}


def _victims(one: EventFacts) -> Sequence[str]:
    chosen = one.event.nominated
    return () if chosen is None else chosen.victims


def _of_chosen(name: str, without: Any) -> Getter:
    def value(one: EventFacts) -> Any:
        chosen = one.event.nominated
        return without if chosen is None else getattr(chosen, name)

    return value


_PREEMPTION: Mapping[str, Getter] = {
    "seq": lambda one: one.seq,
    "at": lambda one: one.event.at,
    "pod": lambda one: one.event.pod,
    "namespace": lambda one: pod_namespace(one.event.pod),
    "node": lambda one: one.event.nominated_node,
    "eligible": lambda one: one.event.eligible,
    "criterion": lambda one: one.event.criterion or "none",
    "message": lambda one: one.event.message,
    "candidates": lambda one: one.event.n_candidates,
    "victims": lambda one: len(_victims(one)),
    "violations": _of_chosen("violations", 0),
    "victim": _victims,
    "victim.namespace": lambda one: _namespaces(_victims(one)),
    "victim.priority": lambda one: one.event.nominated.highest_priority if _victims(one) else None,
    "reprieved": _of_chosen("reprieved", ()),
}


def _pod(one: EventFacts) -> str | None:
    event = one.event
    if isinstance(event, ev.ObjectChanged):
        return event.key if event.kind == "Pod" else None
    pod: str = getattr(event, "pod", "")
    return pod or (one.cycle.row.pod if one.cycle is not None else None)


def _namespace(one: EventFacts) -> str:
    return pod_namespace(one.event.key if isinstance(one.event, ev.ObjectChanged) else _pod(one) or "")


def _node(one: EventFacts) -> str | None:
    event = one.event
    if isinstance(event, ev.ObjectChanged) and event.kind == "Node":
        return event.key
    return getattr(event, "node", "") or getattr(event, "nominated_node", "")


def _plugins(one: EventFacts) -> list[str]:
    """The plugins that the event names, whichever field they are in."""
    event = one.event
    named = [getattr(event, "plugin", ""), *(p for p in getattr(event, "plugins", ()) if isinstance(p, str))]
    for parts in ("statuses", "refusals", "not_candidates"):
        named += [part.plugin for part in getattr(event, parts, ())]
    if isinstance(event, ev.NodesScored):
        named += [score.plugin for score in event.plugins]
    return named


def _message(one: EventFacts) -> str:
    event = one.event
    return getattr(event, "message", "") or getattr(event, "reason", "") or getattr(event, "error", "")


def _is_claim(event: Any) -> bool:
    return isinstance(event, ev.ObjectChanged) and event.kind == "ResourceClaim"


def _claim(event: Any) -> ResourceClaim | None:
    """The claim that changed, where the event holds it whole: made, allocated or freed during the run."""
    if not _is_claim(event) or not event.object:
        return None
    claim = decode_object(event.kind, event.object)
    return claim if isinstance(claim, ResourceClaim) else None


def _devices(event: Any) -> Sequence[DeviceResult]:
    claim = _claim(event)
    return () if claim is None or claim.allocation is None else claim.allocation.devices


def _device_classes(event: Any) -> list[str]:
    claim = _claim(event)
    requests = () if claim is None else claim.spec.requests
    return [one.class_name for request in requests for one in request.alternatives or (request,)]


_EVENT: Mapping[str, Getter] = {
    "seq": lambda one: one.seq,
    "at": lambda one: one.event.at,
    "type": lambda one: type(one.event).__struct_config__.tag,
    "cycle": lambda one: None if one.cycle is None else one.cycle.row.cycle,
    "pod": _pod,
    "namespace": _namespace,
    "node": _node,
    "plugin": _plugins,
    "kind": lambda one: getattr(one.event, "kind", ""),
    "object": lambda one: getattr(one.event, "key", ""),
    "claim": lambda one: one.event.key if _is_claim(one.event) else "",
    "device": lambda one: ["/".join(device.device_key) for device in _devices(one.event)],
    "device.class": lambda one: _device_classes(one.event),
    "device.driver": lambda one: [device.driver for device in _devices(one.event)],
    "action": lambda one: getattr(one.event, "action", ""),
    "cause": lambda one: one.event.event if isinstance(one.event, ev.QueueMove) else getattr(one.event, "cause", ""),
    "point": lambda one: getattr(one.event, "point", ""),
    "message": _message,
}
_GETTERS = {
    QuerySubject.CYCLE: _CYCLE,
    QuerySubject.MOVE: _MOVE,
    QuerySubject.PREEMPTION: _PREEMPTION,
    QuerySubject.EVENT: _EVENT,
}


def make_getter(subject: QuerySubject, field: Field) -> Getter:
    """The field's value of a subject's facts: None or an empty text where there is none, several for ``is_any``."""
    if field.subject is QuerySubject.CYCLE and subject is not QuerySubject.CYCLE:
        of_cycle = _CYCLE[field.name]
        return lambda one: None if one.cycle is None else of_cycle(one.cycle)
    return _GETTERS[subject][field.name]


def predicate(expression: Expression | None, subject: QuerySubject) -> Callable[[Any], bool]:
    """The expression as a function of a subject's facts (not of cells, see cells.py)."""
    if expression is None:
        return lambda _: True
    if isinstance(expression, Condition):
        return _leaf(expression, subject)
    if isinstance(expression, Not):
        part = predicate(expression.part, subject)
        return lambda one: not part(one)
    parts = [predicate(part, subject) for part in expression.parts]
    if isinstance(expression, AllOf):
        return lambda one: all(part(one) for part in parts)
    return lambda one: any(part(one) for part in parts)


def _leaf(condition: Condition, subject: QuerySubject) -> Callable[[Any], bool]:
    field, value_of, test = condition.field, make_getter(subject, condition.field), make_test(condition)
    if field.is_any:
        return lambda one: any(test(value) for value in value_of(one) or () if value != "")
    if field.kind is FieldKind.FLAG:
        return lambda one: bool(value_of(one))

    def holds(one: Any) -> bool:
        value = value_of(one)
        return value is not None and value != "" and test(value)

    return holds
