"""The definition of a query's hits, as simply as can be: every event and every cell, each looked at by itself.

Shares with the product the syntax tree alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from scheduler_core.api.objects import ResourceClaim
from scheduler_core.query import AllOf, AnyOf, Condition, Not
from scheduler_core.recording import events as ev
from scheduler_core.recording.objects import decode_object

CODES = {1: "Error", 2: "Unschedulable", 3: "UnschedulableAndUnresolvable", 6: "Pending"}


@dataclass
class Thing:
    """Something that a query may be about: its place, and its values by the name of the field."""

    seq: int
    index: int
    values: dict[str, object]
    plugin: str = ""
    node: str = ""


@dataclass
class CycleParts:
    """The events of one cycle."""

    first_seq: int
    started: ev.CycleStarted
    last_seq: int = -1
    parts: dict[type, ev.Event] = field(default_factory=dict)
    pre_filter: list[ev.PluginStatus] = field(default_factory=list)


def hits(things, query):
    """[(seq, index, plugin, node)] of the things of the query's subject, in order."""
    return [
        (thing.seq, thing.index, thing.plugin, thing.node)
        for thing in things
        if query.where is None or holds(query.where, thing.values)
    ]


def holds(where, values):
    """Whether the expression holds of the values."""
    if isinstance(where, Not):
        return not holds(where.part, values)
    if isinstance(where, AllOf):
        return all(holds(part, values) for part in where.parts)
    if isinstance(where, AnyOf):
        return any(holds(part, values) for part in where.parts)
    value = values.get(where.field.name)
    several = value if isinstance(value, list) else [value]
    return any(compare(where, one) for one in several if one is not None and one != "")


def compare(condition: Condition, value):
    """Whether the comparison holds of one value."""
    if condition.operator == "is":
        return value is True
    if condition.field.kind in ("number", "time"):
        return {
            "=": value == condition.value,
            "<": value < condition.value,
            "<=": value <= condition.value,
            ">": value > condition.value,
            ">=": value >= condition.value,
        }[condition.operator]
    if condition.operator == "~":
        return str(condition.value).lower() in value.lower()
    if condition.field.kind == "choice":
        return value == condition.value
    pattern = ".*".join(re.escape(part) for part in str(condition.value).split("*"))
    return re.fullmatch(pattern, value, re.DOTALL) is not None


# --- cycles ----------------------------------------------------------------------------------------------------------
def everything(reader):
    return reader.events(0, reader.head_seq())


def cycle_parts(reader):
    """{number: the events of the cycle}."""
    cycles = {}
    for seq, event in everything(reader):
        if isinstance(event, ev.CycleStarted):
            cycles[event.cycle] = opened = CycleParts(seq, event)
        elif isinstance(event, ev.CycleFinished):
            opened.parts[type(event)], opened.last_seq = event, seq
        elif isinstance(event, (ev.NodesFiltered, ev.NodesScored, ev.HostSelected, ev.PreemptionDecided)):
            opened.parts[type(event)] = event
        elif isinstance(event, ev.PointFinished) and event.point == "PreFilter":
            opened.pre_filter = list(event.statuses)
    return cycles


def namespace(pod):
    return pod.split("/")[0] if pod and "/" in pod else ""


def cycle_values(parts):
    """The values of a cycle."""
    started, finished = parts.started, parts.parts[ev.CycleFinished]
    selected, filtered = parts.parts.get(ev.HostSelected), parts.parts.get(ev.NodesFiltered)
    scored, preempted = parts.parts.get(ev.NodesScored), parts.parts.get(ev.PreemptionDecided)
    has_total = selected is not None and selected.total >= 0
    has_second = selected is not None and selected.second_total >= 0
    refusals = refusals_of(parts)
    return {
        "cycle": started.cycle,
        "seq": parts.first_seq,
        "at": started.at,
        "pod": started.pod,
        "namespace": namespace(started.pod),
        "attempt": started.attempt,
        "profile": started.profile,
        "priority": started.priority,
        "outcome": finished.outcome,
        "node": finished.node,
        "chosen": finished.node,
        "message": finished.message,
        "nodes": started.n_nodes,
        "visited": filtered.visited if filtered else 0,
        "feasible": filtered.feasible if filtered else 0,
        "total": selected.total if has_total else None,
        "second": selected.second if selected else "",
        "margin": selected.total - selected.second_total if has_total and has_second else None,
        "ties": selected.tie_count if selected else 0,
        "tie": bool(finished.outcome == "scheduled" and selected and selected.tie_count > 1),
        "narrow": finished.outcome == "scheduled"
        and has_total
        and has_second
        and selected.tie_count == 1
        and selected.total - selected.second_total < 5,
        "preempting": bool(preempted and preempted.nominated),
        "refusal.plugin": [plugin for plugin, _, _ in refusals],
        "refusal.reason": [reason for _, reason, _ in refusals],
        "refusal.nodes": [count for _, _, count in refusals],
        "decided_by": [one.plugin for one in scored.plugins if one.decided and selected.tie_count < 2]
        if scored
        else [],
    }


def refusals_of(parts):
    """[(plugin, reasons, nodes)], with the nodes that PreFilter cut off."""
    filtered = parts.parts.get(ev.NodesFiltered)
    refusals = [(one.plugin, ", ".join(one.reasons), one.count) for one in filtered.refusals] if filtered else []
    refusing = [one for one in parts.pre_filter if one.code not in (0, 5)]
    narrowing = [one for one in parts.pre_filter if one.nodes is not None or one.code not in (0, 5)]
    cut = filtered.absent if filtered else parts.started.n_nodes if refusing else 0
    if cut and refusing:
        refusals.append((refusing[-1].plugin, ", ".join(refusing[-1].reasons), cut))
    elif cut:
        names = sorted(one.plugin for one in narrowing)
        reason = f"node(s) didn't satisfy plugin(s) [{' '.join(names)}]"
        refusals.append((", ".join(names), reason, cut))
    return refusals


def cycles(reader):
    for parts in cycle_parts(reader).values():
        yield Thing(parts.first_seq, 0, cycle_values(parts))


# --- events, moves, preemptions --------------------------------------------------------------------------------------
def with_cycles(reader):
    """(seq, event, values of its cycle or an empty dict)."""
    parts = cycle_parts(reader)
    values = {number: cycle_values(one) for number, one in parts.items()}
    for seq, event in everything(reader):
        number = getattr(event, "cycle", 0)
        if not number:
            around = [one for one, part in parts.items() if part.first_seq <= seq <= part.last_seq]
            number = around[0] if around else 0
        yield seq, event, values.get(number, {})


def moves(reader):
    for seq, event, cycle in with_cycles(reader):
        if isinstance(event, ev.QueueMove):
            backoff = None if event.backoff_until is None else event.backoff_until - event.at
            own = {
                "seq": seq,
                "at": event.at,
                "pod": event.pod,
                "namespace": namespace(event.pod),
                "from": event.source or "outside",
                "to": event.target or "outside",
                "cause": event.event,
                "plugin": event.plugin,
                "attempt": event.attempts,
                "priority": event.priority,
                "backoff": backoff,
            }
            yield Thing(seq, 0, cycle | own)


def preemptions(reader):
    for seq, event, cycle in with_cycles(reader):
        if isinstance(event, ev.PreemptionDecided):
            chosen = event.nominated
            victims = list(chosen.victims) if chosen else []
            own = {
                "seq": seq,
                "at": event.at,
                "pod": event.pod,
                "namespace": namespace(event.pod),
                "node": event.nominated_node,
                "eligible": event.eligible,
                "criterion": event.criterion or "none",
                "message": event.message,
                "candidates": len(event.candidates),
                "victims": len(victims),
                "violations": chosen.violations if chosen else 0,
                "victim": victims,
                "victim.namespace": [namespace(pod) for pod in victims],
                "victim.priority": chosen.highest_priority if victims else None,
                "reprieved": list(chosen.reprieved) if chosen else [],
            }
            yield Thing(seq, 0, cycle | own)


def events(reader):
    for seq, event, cycle in with_cycles(reader):
        is_object = isinstance(event, ev.ObjectChanged)
        if is_object:
            pod = event.key if event.kind == "Pod" else ""
        else:
            pod = getattr(event, "pod", "") or cycle.get("pod", "")
        node = event.key if is_object and event.kind == "Node" else getattr(event, "node", "")
        claim = claim_of(event)
        own = {
            "seq": seq,
            "at": event.at,
            "type": type(event).__struct_config__.tag,
            "cycle": cycle.get("cycle"),
            "pod": pod,
            "namespace": namespace(event.key if is_object else pod),
            "node": node or getattr(event, "nominated_node", None),
            "plugin": plugins_named(event),
            "kind": event.kind if is_object else "",
            "object": event.key if is_object else "",
            "claim": event.key if is_object and event.kind == "ResourceClaim" else "",
            "device": [f"{one.driver}/{one.pool}/{one.device}" for one in devices_of(claim)],
            "device.class": [each.class_name for one in claim.spec.requests for each in one.alternatives or (one,)],
            "device.driver": [one.driver for one in devices_of(claim)],
            "action": event.action if is_object else "",
            "cause": event.event if isinstance(event, ev.QueueMove) else event.cause if is_object else "",
            "point": getattr(event, "point", ""),
            "message": getattr(event, "message", "") or getattr(event, "reason", "") or getattr(event, "error", ""),
        }
        yield Thing(seq, 0, cycle | own)


def claim_of(event):
    if not isinstance(event, ev.ObjectChanged) or event.kind != "ResourceClaim" or not event.object:
        return ResourceClaim(name="")
    return decode_object(event.kind, event.object)


def devices_of(claim):
    return claim.allocation.devices if claim.allocation is not None else ()


def plugins_named(event):
    if isinstance(event, ev.PointFinished):
        return [one.plugin for one in event.statuses]
    if isinstance(event, ev.NodesFiltered):
        return [one.plugin for one in event.refusals]
    if isinstance(event, ev.NodesScored):
        return [one.plugin for one in event.plugins]
    if isinstance(event, ev.PreemptionDecided):
        return [one.plugin for one in event.not_candidates]
    if isinstance(event, (ev.CycleFinished, ev.PermitWaiting)):
        return list(event.plugins)
    if isinstance(event, ev.QueueMove):
        return [event.plugin, *event.plugins]
    return [getattr(event, "plugin", "")]


# --- cells -----------------------------------------------------------------------------------------------------------
def cells(reader):
    for parts in cycle_parts(reader).values():
        number = parts.started.cycle
        frame = reader.frame(number)
        if frame is None:
            continue
        names, feasible = reader.node_names(number), set(frame.feasible().tolist())
        plugins = [*frame.filter_plugins, *(name for name in frame.score_plugins if name not in frame.filter_plugins)]
        cycle = cycle_values(parts)
        for position, plugin in enumerate(plugins):
            for row in range(frame.n_rows):
                is_cell = plugin in frame.filter_plugins or row in feasible
                if names[row] and is_cell:
                    values = cycle | {"plugin": plugin, "node": names[row]}
                    values |= filter_values(frame, plugin, row) | score_values(frame, plugin, row, feasible)
                    yield Thing(parts.first_seq, position * frame.n_rows + row, values, plugin, names[row])


def filter_values(frame, plugin, row):
    if plugin not in frame.filter_plugins:
        return {}
    verdict = frame.verdict(plugin, row)
    return {
        "verdict": {"passed": "passed", "not_evaluated": "not_evaluated"}.get(verdict.cell, "refused"),
        "decisive": verdict.cell == "refused_decisive",
        "code": CODES.get(verdict.code),
        "reason": ", ".join(verdict.reasons),
    }


def score_values(frame, plugin, row, feasible):
    if plugin not in frame.score_plugins or row not in feasible:
        return {}
    index = frame.score_plugins.index(plugin)
    return {
        "raw": int(frame.raw[index, row]),
        "score": int(frame.normalized(index)[row]),
        "weight": frame.weights[index],
    }


def things_of(reader):
    """{subject: everything of it in the recording}."""
    return {subject: list(made(reader)) for subject, made in THINGS.items()}


THINGS = {"cycle": cycles, "move": moves, "preemption": preemptions, "event": events, "cell": cells}
