"""Values of typed objects in the form of manifests. Entries of a list that stay are written as they were."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from scheduler_core.api.labels import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import (
    Container,
    ContainerPort,
    NodeCondition,
    OwnerReference,
    PodAffinityTerm,
    PodResourceClaim,
    PreferredSchedulingTerm,
    Taint,
    Toleration,
    TopologySpreadConstraint,
    Volume,
    WeightedPodAffinityTerm,
)
from scheduler_core.api.quantity import format_quantity

Raw = dict[str, Any]
Write = Callable[[Any, Any, Any], Any]
"""(raw value as it is, typed value before, typed value now) to the new raw value; None takes the field away."""


def plain(raw: Any, old: Any, new: Any) -> Any:
    """A value that a manifest has as it is; empty texts and lists are left out."""
    return list(new) or None if isinstance(new, tuple) else None if new == "" else new


def flag(raw: Any, old: Any, new: bool) -> bool | None:
    """A truth value that is false where it is not given."""
    return new or None


def labels(raw: Any, old: Any, new: Mapping[str, str]) -> Raw | None:
    """A mapping of texts."""
    return dict(new) or None


def amounts(raw: Any, old: Mapping[str, int] | None, new: Mapping[str, int] | None) -> Raw | None:
    """Amounts by resource, those that stay as they were written."""
    if new is None:
        return None
    written, before = raw if isinstance(raw, dict) else {}, old or {}
    return {
        name: written[name] if name in written and before.get(name) == amount else format_quantity(name, amount)
        for name, amount in new.items()
    } or None


def storage(raw: Any, old: Any, new: int | None) -> str | None:
    """Bytes."""
    return format_quantity("storage", new) if new else None


def moment(raw: Any, old: Any, new: float | None) -> str | None:
    """Seconds since the epoch as a date."""
    return None if new is None else datetime.fromtimestamp(new, UTC).isoformat().replace("+00:00", "Z")


def listed(write: Callable[[Any], Raw], patch: Callable[[Raw, Any, Any], Raw] | None = None) -> Write:
    """A list of entries: those that were there stay as written, one in the place of another is patched into it."""

    def write_all(raw: Any, old: Sequence[Any] | None, new: Sequence[Any]) -> list[Any] | None:
        before = list(old or ())
        written: list[Any] = raw if isinstance(raw, list) and len(raw) == len(before) else [None] * len(before)
        taken: set[int] = set()
        out = []
        for i, entry in enumerate(new):
            at = next((j for j, one in enumerate(before) if one == entry and j not in taken), None)
            if at is not None and written[at] is not None:
                taken.add(at)
                out.append(written[at])
            elif patch is not None and len(before) == len(new) and isinstance(written[i], dict):
                out.append(patch(written[i], before[i], entry))
            else:
                out.append(write(entry))
        return out or None

    return write_all


def given(**fields: Any) -> Raw:
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def _requirement(one: Requirement) -> Raw:
    return given(key=one.key, operator=one.operator, values=list(one.values))


def selector(raw: Any, old: Any, new: LabelSelector | None) -> Raw | None:
    """A label selector."""
    return None if new is None else given(matchExpressions=[_requirement(one) for one in new.requirements])


def _term(term: NodeSelectorTerm) -> Raw:
    expressions = [_requirement(one) for one in term.match_expressions]
    return given(matchExpressions=expressions, matchFields=[_requirement(one) for one in term.match_fields])


def node_selector(raw: Any, old: NodeSelector | None, new: NodeSelector | None) -> Raw | None:
    """The terms of a required node affinity."""
    if new is None:
        return None
    terms = raw.get("nodeSelectorTerms") if isinstance(raw, dict) else None
    return {"nodeSelectorTerms": listed(_term)(terms, old.terms if old else (), new.terms)}


def preference(one: PreferredSchedulingTerm) -> Raw:
    """A preferred node affinity term."""
    return {"weight": one.weight, "preference": _term(one.preference)}


def pod_term(term: PodAffinityTerm) -> Raw:
    """A required term of pod affinity."""
    return given(topologyKey=term.topology_key, namespaces=list(term.namespaces)) | {
        name: selector(None, None, value)
        for name, value in (("labelSelector", term.label_selector), ("namespaceSelector", term.namespace_selector))
        if value is not None
    }


def weighted_pod_term(one: WeightedPodAffinityTerm) -> Raw:
    """A preferred term of pod affinity."""
    return {"weight": one.weight, "podAffinityTerm": pod_term(one.term)}


def toleration(one: Toleration) -> Raw:
    """A toleration."""
    return given(key=one.key, operator=one.operator, value=one.value, effect=one.effect)


def taint(one: Taint) -> Raw:
    """A taint."""
    return given(key=one.key, value=one.value, effect=one.effect)


def condition(one: NodeCondition) -> Raw:
    """A condition of a node."""
    return given(type=one.type, status=one.status, reason=one.reason, message=one.message)


def constraint(one: TopologySpreadConstraint) -> Raw:
    """A topology spread constraint."""
    made = given(
        topologyKey=one.topology_key,
        maxSkew=one.max_skew,
        whenUnsatisfiable=one.when_unsatisfiable,
        minDomains=one.min_domains,
        nodeAffinityPolicy=one.node_affinity_policy,
        nodeTaintsPolicy=one.node_taints_policy,
    )
    return made if one.label_selector is None else made | {"labelSelector": selector(None, None, one.label_selector)}


def changed_constraint(raw: Raw, old: TopologySpreadConstraint, new: TopologySpreadConstraint) -> Raw:
    """A constraint with another skew, severity or number of domains; its selector stays as it was written."""
    made, fields = constraint(new), ("maxSkew", "whenUnsatisfiable", "minDomains")
    return {k: v for k, v in raw.items() if k not in fields} | {k: v for k, v in made.items() if k in fields}


def gate(name: str) -> Raw:
    """A scheduling gate."""
    return {"name": name}


def port(one: ContainerPort) -> Raw:
    """A port of a container."""
    return given(containerPort=one.container_port, hostIP=one.host_ip, protocol=one.protocol) | (
        {"hostPort": one.host_port} if one.host_port else {}
    )


def changed_port(raw: Raw, old: ContainerPort, new: ContainerPort) -> Raw:
    """A port whose name stays."""
    return {name: value for name, value in raw.items() if name not in ("hostPort", "hostIP")} | port(new)


def container(one: Container) -> Raw:
    """A container."""
    return changed_container({"name": one.name}, Container(one.name), one)


def changed_container(raw: Raw, old: Container, new: Container) -> Raw:
    """A container with what differs."""
    out = {**raw, "name": new.name}
    for field, value in (("image", new.image), ("restartPolicy", new.restart_policy)):
        if value:
            out[field] = value
    given = raw.get("resources")
    resources = dict(given) if isinstance(given, dict) else {}
    if new.requests != old.requests:
        resources["requests"] = amounts(resources.get("requests"), old.requests, new.requests) or {}
    if new.limits != old.limits:
        resources["limits"] = amounts(resources.get("limits"), old.limits, new.limits) or {}
    if resources:
        out["resources"] = resources
    if new.ports != old.ports:
        out["ports"] = listed(port, changed_port)(raw.get("ports"), old.ports, new.ports) or []
    return out


def volume(one: Volume) -> Raw:
    """A volume of a pod, as far as its source is known."""
    if one.claim_name:
        claim = {"claimName": one.claim_name} | ({"readOnly": True} if one.claim_read_only else {})
        return {"name": one.name, "persistentVolumeClaim": claim}
    return {"name": one.name} | ({one.source: dict(one.attributes)} if one.source else {})


def claim_entry(one: PodResourceClaim) -> Raw:
    """A pod's entry for a resource claim."""
    return given(name=one.name, resourceClaimName=one.claim_name, resourceClaimTemplateName=one.template_name)


def owner(one: OwnerReference) -> Raw:
    """The owner of an object."""
    made = given(apiVersion=one.api_version, kind=one.kind, name=one.name, uid=one.uid)
    return made | ({"controller": True} if one.controller else {})
