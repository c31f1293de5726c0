"""Affinity, tolerations and topology spread constraints from raw values (validation as core/v1 does).

``matchLabelKeys`` depend on the pod's labels: parsing keeps them beside the typed value, and ``merged_*`` adds them
to the selectors as the API server does on creation.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from scheduler_core.api.labels import Labels, LabelSelector, Requirement
from scheduler_core.api.objects import (
    Affinity,
    PodAffinityTerm,
    PreferredSchedulingTerm,
    TopologySpreadConstraint,
    WeightedPodAffinityTerm,
)
from scheduler_core.api.taints import Toleration
from scheduler_core.manifests.checking.names import label_key_problem, label_value_problem, namespace_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.selectors import PREFERRED_TERM, label_selector, node_selector, node_selector_term
from scheduler_core.manifests.model import Fix

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
NEVER_EXISTED = {
    "requiredDuringSchedulingRequiredDuringExecution": REQUIRED,
    "preferredDuringSchedulingRequiredDuringExecution": PREFERRED,
}
"""Forms that texts about Kubernetes name, and what there is instead."""
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_TERM = ("labelSelector", "topologyKey", "namespaces", "namespaceSelector", "matchLabelKeys", "mismatchLabelKeys")
_CONSTRAINT = (
    "maxSkew", "topologyKey", "whenUnsatisfiable", "labelSelector", "minDomains", "nodeAffinityPolicy",
    "nodeTaintsPolicy", "matchLabelKeys",
)  # fmt: skip


class Keys(NamedTuple):
    """matchLabelKeys and mismatchLabelKeys of a term."""

    match: tuple[str, ...] = ()
    mismatch: tuple[str, ...] = ()


class RawTerm(NamedTuple):
    """A pod affinity term before merging; weight 0 for a required one."""

    term: PodAffinityTerm
    keys: Keys
    weight: int = 0


class RawAffinity(NamedTuple):
    """An affinity with its pod terms before merging; ``plain`` is the result where no term has keys to merge."""

    plain: Affinity
    pod_required: tuple[RawTerm, ...]
    pod_preferred: tuple[RawTerm, ...]
    anti_required: tuple[RawTerm, ...]
    anti_preferred: tuple[RawTerm, ...]
    has_keys: bool


class RawConstraint(NamedTuple):
    """A topology spread constraint before merging."""

    constraint: TopologySpreadConstraint
    keys: Keys


def read_affinity(at: At) -> RawAffinity | None:
    """The affinity of a pod spec, None when absent."""
    if not at.present:
        return None
    at.mapping(("nodeAffinity", "podAffinity", "podAntiAffinity"))
    node, pod, anti = at.get("nodeAffinity"), at.get("podAffinity"), at.get("podAntiAffinity")
    for part in (node, pod, anti):
        _check_forms(part)
    parts = [_required(pod), _preferred(pod), _required(anti), _preferred(anti)]
    plain = _affinity(
        Affinity(
            node_required=node_selector(node.get(REQUIRED)),
            node_preferred=tuple(_preference(item) for item in node.get(PREFERRED).items()),
        ),
        [[raw.term for raw in part] for part in parts],
        parts,
    )
    has_keys = any(raw.keys != Keys() for part in parts for raw in part)
    return RawAffinity(plain, parts[0], parts[1], parts[2], parts[3], has_keys)


def _check_forms(at: At) -> None:
    for key in at.mapping((REQUIRED, PREFERRED, *NEVER_EXISTED)):
        if key in NEVER_EXISTED:
            text = f"Kubernetes never had this form: it was only planned. Write {NEVER_EXISTED[key]}"
            at.error(text, key, fix=Fix("key", NEVER_EXISTED[key]))


def _affinity(base: Affinity, terms: list[list[PodAffinityTerm]], parts: list[tuple[RawTerm, ...]]) -> Affinity:
    weighted = [
        tuple(WeightedPodAffinityTerm(raw.weight, term) for raw, term in zip(parts[i], terms[i], strict=True))
        for i in (1, 3)
    ]
    return msgspec.structs.replace(
        base,
        pod_required=tuple(terms[0]),
        pod_preferred=weighted[0],
        anti_required=tuple(terms[2]),
        anti_preferred=weighted[1],
    )


def merged_affinity(raw: RawAffinity, labels: Labels) -> Affinity:
    """The affinity of a pod with these labels, match and mismatch label keys merged."""
    if not raw.has_keys:
        return raw.plain
    parts = [raw.pod_required, raw.pod_preferred, raw.anti_required, raw.anti_preferred]
    terms = [[_merged_term(r, labels) for r in part] for part in parts]
    return _affinity(raw.plain, terms, parts)


def _merged_term(raw: RawTerm, labels: Labels) -> PodAffinityTerm:
    selector = merged_selector(raw.term.label_selector, raw.keys, labels)
    return msgspec.structs.replace(raw.term, label_selector=selector)


def merged_selector(selector: LabelSelector | None, keys: Keys, labels: Labels) -> LabelSelector | None:
    """The selector with ``key In (value)`` and ``key NotIn (value)`` for the keys that the labels have."""
    if selector is None or keys == Keys():
        return selector
    match = tuple(Requirement(k, "In", (labels[k],)) for k in keys.match if k in labels)
    mismatch = tuple(Requirement(k, "NotIn", (labels[k],)) for k in keys.mismatch if k in labels)
    return LabelSelector((*selector.requirements, *match, *mismatch))


def _required(at: At) -> tuple[RawTerm, ...]:
    return tuple(_term(item) for item in at.get(REQUIRED).items())


def _preferred(at: At) -> tuple[RawTerm, ...]:
    return tuple(_weighted(item) for item in at.get(PREFERRED).items())


def _weighted(at: At) -> RawTerm:
    at.mapping(("weight", "podAffinityTerm"))
    return _term(at.get("podAffinityTerm"))._replace(weight=_weight(at))


def _weight(at: At) -> int:
    if not at.get("weight").present:
        at.get("weight").error("is missing. Write a whole number from 1 to 100")
        return 1
    return at.get("weight").integer(1, 1, 100)


def _preference(at: At) -> PreferredSchedulingTerm:
    at.mapping(("weight", "preference"))
    return PreferredSchedulingTerm(_weight(at), node_selector_term(at.get("preference"), PREFERRED_TERM))


def _term(at: At) -> RawTerm:
    at.mapping(_TERM)
    namespaces = at.get("namespaces").texts()
    for i, namespace in enumerate(namespaces):
        problem = namespace_problem(namespace)
        if problem:
            at.get("namespaces").error(problem, i)
    term = PodAffinityTerm(
        topology_key=_topology_key(at),
        label_selector=label_selector(at.get("labelSelector")),
        namespaces=namespaces,
        namespace_selector=label_selector(at.get("namespaceSelector")),
    )
    return RawTerm(term, _keys(at, term.label_selector))


def _topology_key(at: At) -> str:
    key = at.get("topologyKey")
    text = key.text()
    problem = label_key_problem(text) if text else "is missing. Write a node label such as kubernetes.io/hostname"
    if problem and (text or not key.present or key.raw == ""):
        key.error(problem)
    return text


def _keys(at: At, selector: LabelSelector | None) -> Keys:
    keys = Keys(at.get("matchLabelKeys").texts(), at.get("mismatchLabelKeys").texts())
    for field, names in (("matchLabelKeys", keys.match), ("mismatchLabelKeys", keys.mismatch)):
        if names and selector is None:
            at.get(field).error("needs a labelSelector beside it")
        for i, name in enumerate(names):
            problem = label_key_problem(name)
            if problem:
                at.get(field).error(problem, i)
    for i, name in enumerate(keys.match):
        # what the API server merged already looks like this: the key in one value, that of the pod
        if any(r.key == name and (r.operator, len(r.values)) != ("In", 1) for r in _requirements(selector)):
            at.get("matchLabelKeys").refuse(f"{name} is also in the labelSelector. Keep one of them", i)
    both = set(keys.match) & set(keys.mismatch)
    if both:
        at.get("matchLabelKeys").error(f"{min(both)} is also in mismatchLabelKeys. Keep one of them")
    return keys


def _requirements(selector: LabelSelector | None) -> tuple[Requirement, ...]:
    return selector.requirements if selector is not None else ()


def read_tolerations(at: At) -> tuple[Toleration, ...]:
    """The tolerations of a pod spec."""
    return tuple(_toleration(item) for item in at.items())


def _toleration(at: At) -> Toleration:
    at.mapping(("key", "operator", "value", "effect", "tolerationSeconds"))
    key = at.get("key").text()
    operator = at.get("operator").text("Equal", ("Equal", "Exists"))
    value = at.get("value").text()
    effect = at.get("effect").text("", EFFECTS)
    problem = label_key_problem(key) if key else ""
    if problem:
        at.get("key").error(problem)
    if not key and operator != "Exists" and at.get("operator").raw != "Exists":
        at.get("operator").error("without a key the operator must be Exists. Write operator: Exists, or name a key")
    if operator == "Exists" and value:
        at.get("value").error("Exists takes no value. Remove it, or write operator: Equal")
    elif label_value_problem(value):
        at.get("value").refuse(label_value_problem(value))
    if at.get("tolerationSeconds").present and effect != "NoExecute":
        at.get("effect").error("tolerationSeconds needs the effect NoExecute")
    return Toleration(key, operator, value, effect)


def read_constraints(at: At) -> tuple[RawConstraint, ...]:
    """The topology spread constraints of a pod spec."""
    out: list[RawConstraint] = []
    seen: set[tuple[str, str]] = set()
    for item in at.items():
        raw = _constraint(item)
        pair = (raw.constraint.topology_key, raw.constraint.when_unsatisfiable)
        if pair in seen:
            item.error(f"there is another constraint for {pair[0]} with {pair[1]}. Keep one of them")
        seen.add(pair)
        out.append(raw)
    return tuple(out)


def _constraint(at: At) -> RawConstraint:
    at.mapping(_CONSTRAINT)
    if not at.get("maxSkew").present:
        at.get("maxSkew").error("is missing. Write a whole number of 1 or more")
    when = at.get("whenUnsatisfiable").text("DoNotSchedule", ("DoNotSchedule", "ScheduleAnyway"), required=True)
    minimum = at.get("minDomains")
    min_domains = minimum.integer(1, 1) if minimum.present else None
    if min_domains is not None and when != "DoNotSchedule":
        minimum.error("minDomains works with whenUnsatisfiable: DoNotSchedule only. Remove it")
    selector = label_selector(at.get("labelSelector"))
    constraint = TopologySpreadConstraint(
        topology_key=_topology_key(at),
        max_skew=at.get("maxSkew").integer(1, 1),
        when_unsatisfiable=when,
        label_selector=selector,
        min_domains=min_domains,
        node_affinity_policy=at.get("nodeAffinityPolicy").text("Honor", ("Honor", "Ignore")),
        node_taints_policy=at.get("nodeTaintsPolicy").text("Ignore", ("Honor", "Ignore")),
    )
    return RawConstraint(constraint, _keys(at, selector))


def merged_constraints(raws: tuple[RawConstraint, ...], labels: Labels) -> tuple[TopologySpreadConstraint, ...]:
    """The constraints of a pod with these labels, matchLabelKeys merged."""
    return tuple(
        raw.constraint
        if raw.keys == Keys()
        else msgspec.structs.replace(
            raw.constraint, label_selector=merged_selector(raw.constraint.label_selector, raw.keys, labels)
        )
        for raw in raws
    )
