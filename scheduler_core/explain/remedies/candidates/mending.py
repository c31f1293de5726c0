"""Remedies that mend what is nearly right or what is broken, tried before anything is dropped or added.

A toleration with another effect, a selector or a topology key that is spelt otherwise, a spread constraint that counts
nodes which the pod cannot use, a device under another name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import msgspec

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import Container, Node, Pod
from scheduler_core.api.resources import pod_requests
from scheduler_core.api.taints import Taint
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain import edited_objects
from scheduler_core.explain.diagnosis.near_misses import (
    Near,
    in_other_namespaces,
    near_key,
    near_pods,
    near_toleration,
    near_value,
)
from scheduler_core.explain.diagnosis.resource_words import other_offers
from scheduler_core.explain.outcomes.texts import listed
from scheduler_core.explain.remedies.candidates.candidate import PodEdit, RemedyCandidate, edit_candidates, of_state
from scheduler_core.explain.remedies.candidates.pod_edits import tolerate, unmatched_selector
from scheduler_core.explain.remedies.candidates.topology import constraint_position
from scheduler_core.explain.remedies.model import (
    CONSTRAINT,
    DEVICES,
    PORT,
    REQUEST,
    SELECTOR,
    TOLERATION,
    ProposedEdit,
)
from scheduler_core.explain.remedies.situation import RemedySituation, Rows
from scheduler_core.framework.contracts.facts import PodTermFact, SpreadFact
from scheduler_core.profiles.names import PODS_NEAR, SPREAD

replace = msgspec.structs.replace
NEARLY, SLIGHTLY, OTHERWISE = 0.25, 0.4, 0.5
_REVISIONS = ("pod-template-hash", "controller-revision-hash")
_MOST_PORTS = 64
_MOST_NAMESPACES = 2


# --- tolerations -----------------------------------------------------------------------------------------------------
def tolerations(pod: Pod, taints: tuple[Taint, ...]) -> list[PodEdit]:
    """A toleration for each taint: one of the pod's that is nearly right is mended."""
    made = tolerate(tuple(taint for taint in taints if near_toleration(pod, taint.key) is None))
    for taint in taints:
        near = near_toleration(pod, taint.key)
        if near is None:
            continue
        right = replace(
            near,
            operator="Equal" if taint.value and near.operator != "Exists" else "Exists",
            value=taint.value if near.operator != "Exists" else "",
            effect=taint.effect if near.effect else "",
        )
        field, before, after = _differing(near.effect, right.effect, near.value, right.value)
        edit = ProposedEdit(TOLERATION, taint.key, before, after, code="MEND_TOLERATION")
        text = f"give its toleration of {taint.key} the {field} {after or 'of the taint'}"
        text += f" instead of {before or 'none'}"
        swap = partial(_swapped, near=near, right=right)
        made.append((edit, text, NEARLY, swap))
    return made


def _differing(effect: str, right_effect: str, value: str, right_value: str) -> tuple[str, str, str]:
    return ("effect", effect, right_effect) if effect != right_effect else ("value", value, right_value)


def _swapped(pod: Pod, near: object, right: object) -> Pod:
    return replace(pod, tolerations=tuple(right if one == near else one for one in pod.tolerations))


# --- labels ----------------------------------------------------------------------------------------------------------
def of_near_labels(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """The one key of the nodeSelector that the nodes fail, with the value or the key that is nearly that."""
    by_key: dict[str, list[int]] = {}
    for row in rows.tolist():
        keys, affinity = unmatched_selector(situation.pod, situation.node(row))
        if len(keys) == 1 and not affinity:
            by_key.setdefault(keys[0], []).append(row)
    for key, several in by_key.items():
        edit = near_label(situation.pod, key, [situation.node(row) for row in several])
        names = situation.names(several)
        yield from edit_candidates(situation.pod, [edit] if edit is not None else [], names)


def near_label(pod: Pod, key: str, nodes: list[Node]) -> PodEdit | None:
    """The edit of one key of the nodeSelector to what nodes have that is nearly it, None where nothing is."""
    asked = pod.node_selector[key]
    near = near_value(nodes, key, asked) or near_key(nodes, key, asked)
    if near is None:
        return None
    edit = ProposedEdit(SELECTOR, key, f"{key}={asked}", f"{near.key}={near.value}", code="CHANGE_SELECTOR")
    text = f"select {near.key}={near.value} instead of {key}={asked}"
    return edit, text, NEARLY, partial(_selecting, old=key, near=near)


def _selecting(pod: Pod, old: str, near: Near) -> Pod:
    selector = {key: value for key, value in pod.node_selector.items() if key != old}
    return replace(pod, node_selector={**selector, near.key: near.value})


# --- spread and affinity by topology ---------------------------------------------------------------------------------
def of_constraints(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """Spread constraints changed in one field: which nodes and pods count, how many domains there must be, the key."""
    first = [fact for fact in situation.refusing(SPREAD, int(rows[0])) if isinstance(fact, SpreadFact)]
    names = situation.names(rows.tolist())
    for fact in first:
        position = constraint_position(fact, situation.pod)
        if position is None:
            continue
        for edit in constraint_edits(situation, position, fact):
            yield from edit_candidates(situation.pod, [edit], names)


def constraint_edits(situation: RemedySituation, position: int, fact: SpreadFact) -> Iterator[PodEdit]:
    """The edits of one hard constraint that is not met."""
    pod, one = situation.pod, situation.pod.topology_spread_constraints[position]
    over = f"of the spread over {one.topology_key}"

    def edit(text: str, size: float, code: str, before: str, after: str, **fields: Any) -> PodEdit:
        proposed = ProposedEdit(CONSTRAINT, one.topology_key, before, after, code=code)
        return proposed, text, size, partial(edited_objects.with_constraint, position=position, **fields)

    if fact.code == "SPREAD_KEY_MISSING":
        near = near_key(_nodes(situation), one.topology_key)
        if near is not None:
            text = f"set topologyKey {near.key} instead of {one.topology_key} in its spread constraint"
            yield edit(text, NEARLY, "CHANGE_TOPOLOGY_KEY", one.topology_key, near.key, topology_key=near.key)
        return
    if fact.code == "SPREAD_MIN_DOMAINS" and one.min_domains:
        text = f"lower minDomains {over} from {one.min_domains} to {fact.n_domains}"
        yield edit(text, NEARLY, "LOOSEN_SPREAD", str(one.min_domains), str(fact.n_domains), min_domains=fact.n_domains)
    if one.node_taints_policy != "Honor":
        text = f"set nodeTaintsPolicy: Honor {over}, so that nodes whose taints keep it off do not count"
        yield edit(text, NEARLY, "HONOR_TAINTS_IN_SPREAD", "Ignore", "Honor", node_taints_policy="Honor")
    if one.node_affinity_policy != "Honor":
        text = f"set nodeAffinityPolicy: Honor {over}, so that nodes that it does not select do not count"
        yield edit(text, NEARLY, "LOOSEN_SPREAD", "Ignore", "Honor", node_affinity_policy="Honor")
    for key in _REVISIONS:
        if key in pod.labels and one.label_selector is not None:
            more = Requirement(key, "In", (pod.labels[key],))
            selector = LabelSelector((*one.label_selector.requirements, more))
            text = f"set matchLabelKeys: [{key}] {over}, so that pods of other revisions do not count"
            yield edit(text, SLIGHTLY, "SPREAD_BY_REVISION", "", key, label_selector=selector)


def of_terms(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """Required terms of pod affinity whose topology key no node has, by the key that nodes have."""
    facts = [fact for fact in situation.refusing(PODS_NEAR, int(rows[0])) if isinstance(fact, PodTermFact)]
    names = situation.names(rows.tolist())
    affinity = situation.pod.affinity
    for fact in facts if affinity is not None else ():
        yield from _of_label(situation, fact, names)
        yield from _of_namespaces(situation, fact, names)
        near = near_key(_nodes(situation), fact.topology_key) if fact.code == "AFFINITY_KEY_MISSING" else None
        if near is None or affinity is None:
            continue
        terms = [replace(t, topology_key=near.key) if t.topology_key == fact.topology_key else t
                 for t in affinity.pod_required]  # fmt: skip
        edit = ProposedEdit(CONSTRAINT, fact.topology_key, fact.topology_key, near.key, code="CHANGE_TOPOLOGY_KEY")
        text = f"set topologyKey {near.key} instead of {fact.topology_key} in its pod affinity"
        made = partial(_with_affinity, pod_required=tuple(terms))
        yield from edit_candidates(situation.pod, [(edit, text, NEARLY, made)], names)


def _of_label(situation: RemedySituation, fact: PodTermFact, names: list[str]) -> Iterator[RemedyCandidate]:
    """The one label that the term selects, by the value that pods have which is nearly that."""
    affinity, near = situation.pod.affinity, near_pods(situation.cluster, fact)
    if near is None or affinity is None or fact.code != "AFFINITY_NO_POD" or fact.selector is None:
        return
    selector = LabelSelector((Requirement(near.key, "In", (near.value,)),))
    terms = [replace(t, label_selector=selector) if t.label_selector == fact.selector else t
             for t in affinity.pod_required]  # fmt: skip
    asked = fact.selector.requirements[0].values[0]
    edit = ProposedEdit(CONSTRAINT, fact.topology_key, asked, near.value, code="CHANGE_AFFINITY")
    text = f"have its pod affinity select {near.key}={near.value} instead of {near.key}={asked}"
    made = partial(_with_affinity, pod_required=tuple(terms))
    yield from edit_candidates(situation.pod, [(edit, text, NEARLY, made)], names)


def _of_namespaces(situation: RemedySituation, fact: PodTermFact, names: list[str]) -> Iterator[RemedyCandidate]:
    """Terms of pod affinity that select pods of another namespace than those they are limited to."""
    affinity = situation.pod.affinity
    if affinity is None or fact.code != "AFFINITY_NO_POD":
        return
    for namespace in list(in_other_namespaces(situation.cluster, fact))[:_MOST_NAMESPACES]:
        several = (*fact.namespaces, namespace)
        terms = [replace(t, namespaces=several) if t.label_selector == fact.selector else t
                 for t in affinity.pod_required]  # fmt: skip
        own = listed(fact.namespaces, "and")
        edit = ProposedEdit(CONSTRAINT, fact.topology_key, own, listed(several, "and"), code="CHANGE_AFFINITY")
        text = f"have its pod affinity select pods of namespace {namespace} besides {own}"
        made = partial(_with_affinity, pod_required=tuple(terms))
        yield from edit_candidates(situation.pod, [(edit, text, SLIGHTLY, made)], names)


def _with_affinity(pod: Pod, **fields: object) -> Pod:
    return replace(pod, affinity=replace(pod.affinity, **fields))  # type: ignore[type-var]


def _nodes(situation: RemedySituation) -> list[Node]:
    return [node for node in situation.table.nodes if node is not None]


# --- devices and ports -----------------------------------------------------------------------------------------------
def of_devices(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """A resource that a node does not offer: by the name of one that it does, or offered again as its capacity says."""
    short = situation.shortages
    for j, resource in enumerate(short.resources):
        if "/" not in resource:
            continue
        lacking = [row for row in rows.tolist() if not short.allocatable[j, row]]
        for row in lacking:
            node, needs = situation.node(row), int(short.needs[j])
            if node.capacity.get(resource, 0) >= needs:
                yield _offered_again(node, resource)
            for other, amount in other_offers(resource, node):
                if amount >= needs:
                    yield from edit_candidates(situation.pod, [_asking_otherwise(resource, other)], [node.name])


def _offered_again(node: Node, resource: str) -> RemedyCandidate:
    capacity = node.capacity[resource]
    again = replace(node, allocatable={**node.allocatable, resource: capacity})
    edit = ProposedEdit(DEVICES, resource, "0", str(capacity), node.name, code="MEND_DEVICES")
    text = f"have {node.name} offer its {capacity:,} {resource} again (mend its device plugin or its devices)"
    made = of_state(edit, text, 1.0, Changes(nodes=(again,)), [node.name])
    return replace(made, remedy=replace(made.remedy, assumed=f"{resource} {capacity:,} allocatable"))


def _asking_otherwise(resource: str, other: str) -> PodEdit:
    edit = ProposedEdit(REQUEST, resource, resource, other, code="REQUEST_OTHER")
    return edit, f"ask for {other} instead of {resource}", OTHERWISE, partial(_renamed, resource=resource, other=other)


def _renamed(pod: Pod, resource: str, other: str) -> Pod | None:
    def renamed(one: Container) -> Container:
        return replace(one, requests=_moved(one.requests), limits=_moved(one.limits))

    def _moved(amounts: Mapping[str, int]) -> dict[str, int]:
        return {other if name == resource else name: value for name, value in amounts.items()}

    edited = replace(
        pod, containers=tuple(map(renamed, pod.containers)), init_containers=tuple(map(renamed, pod.init_containers))
    )
    return edited if resource not in pod_requests(edited) else None


def of_ports(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """Another host port, the next that is free on one of the nodes."""
    taken = {(held[1], held[2]) for row in rows.tolist() for held in situation.cluster.ports_on(row)}
    own = {(port.protocol, port.host_port) for one in situation.pod.containers for port in one.ports if port.host_port}
    clashing = sorted(own & taken)
    if len(clashing) != 1 or situation.pod.host_network:
        return
    protocol, number = clashing[0]
    free = next(
        (n for n in range(number + 1, min(number + _MOST_PORTS, 65_536)) if (protocol, n) not in taken | own), None
    )
    if free is None:
        return
    edit = ProposedEdit(PORT, f"{number}/{protocol}", str(number), str(free), code="CHANGE_PORT")
    made = partial(_with_port, number=number, protocol=protocol, free=free)
    text = f"use host port {free}/{protocol} instead of {number}/{protocol}"
    names = situation.names(rows.tolist())
    yield from edit_candidates(situation.pod, [(edit, text, OTHERWISE, made)], names)


def _with_port(pod: Pod, number: int, protocol: str, free: int) -> Pod:
    def moved(one: Container) -> Container:
        ports = [
            replace(p, host_port=free) if (p.protocol, p.host_port) == (protocol, number) else p for p in one.ports
        ]
        return replace(one, ports=tuple(ports))

    return replace(pod, containers=tuple(map(moved, pod.containers)))
