"""What each claim of a pod gets on one node, and why one gets nothing."""

from __future__ import annotations

from scheduler_core.api.objects import Node, PersistentVolume, PersistentVolumeClaim
from scheduler_core.columns.node_table import NodeTable
from scheduler_core.framework.contracts.facts import ClaimFact, Facts, LabelFact
from scheduler_core.framework.plugin_helpers.volume_claims import SELECTED_NODE
from scheduler_core.plugins.volume_binding.binder import (
    BIND_CONFLICT,
    NODE_CONFLICT,
    NOT_ENOUGH_SPACE,
    VOLUME_MISSING,
    PodClaims,
    VolumeBinder,
    affinity_matches,
)

HOSTNAME = "kubernetes.io/hostname"


def claim_facts(claims: PodClaims, binder: VolumeBinder, node: Node, table: NodeTable) -> Facts:
    """Bound claims first, then those that are bound with the pod; none where a volume cannot be read."""
    volumes = binder.volumes_on(claims, node)
    if volumes.error:
        return ()
    bound = [_bound_fact(claim, binder, node, table) for claim in claims.bound]
    blamed = binder.first_unserved(claims, node) if {BIND_CONFLICT, NOT_ENOUGH_SPACE} & {*volumes.reasons} else None
    delayed = [
        ClaimFact(
            claim=claim.key,
            volume=volumes.bindings.get(claim.key, ""),
            provisioned=claim.key in volumes.provisions,
            code=_code(claim, node, volumes.reasons) if claim is blamed else "",
            problem=_why(claim, node, volumes.reasons) if claim is blamed else "",
            refuses=claim is blamed,
        )
        for claim in claims.delayed
    ]
    return *bound, *delayed


def _why(claim: PersistentVolumeClaim, node: Node, reasons: list[str]) -> str:
    selected = claim.annotations.get(SELECTED_NODE)
    if selected not in (None, node.name):
        return f"its volume is being made for node {selected}"
    return NOT_ENOUGH_SPACE if NOT_ENOUGH_SPACE in reasons else BIND_CONFLICT


def _code(claim: PersistentVolumeClaim, node: Node, reasons: list[str]) -> str:
    """Which obstacle a claim without a volume is; one whose volume is being made elsewhere is bound there."""
    if claim.annotations.get(SELECTED_NODE) not in (None, node.name):
        return "VOLUME_TOPOLOGY"
    return "STORAGE_CAPACITY" if NOT_ENOUGH_SPACE in reasons else "VOLUME_NO_MATCH"


def _bound_fact(claim: PersistentVolumeClaim, binder: VolumeBinder, node: Node, table: NodeTable) -> ClaimFact:
    volume = binder.seen_from(claim, node)
    if volume is None:
        return ClaimFact(
            claim=claim.key, code="VOLUME_MISSING", volume=claim.volume_name, problem=VOLUME_MISSING, refuses=True
        )
    reached = affinity_matches(volume.node_affinity, node.labels)
    return ClaimFact(
        claim=claim.key,
        code="VOLUME_NODE_GONE" if _is_gone(volume, table) else "VOLUME_TOPOLOGY",
        volume=volume.name,
        problem="" if reached else NODE_CONFLICT,
        requirements=_requirements(volume, node),
        refuses=not reached,
    )


def _is_gone(volume: PersistentVolume, table: NodeTable) -> bool:
    """Whether each term of the volume's node affinity names hosts of which the cluster has none, as for a local disk
    whose node left."""
    terms = volume.node_affinity.terms if volume.node_affinity is not None else ()
    hosts = [one.values for term in terms for one in term.match_expressions if one.key == HOSTNAME]
    return 0 < len(hosts) == len(terms) and not any(value in _hosts(table) for values in hosts for value in values)


def _hosts(table: NodeTable) -> set[str]:
    return {node.labels.get(HOSTNAME, "") for node in table.nodes if node is not None}


def _requirements(volume: PersistentVolume, node: Node) -> tuple[LabelFact, ...]:
    terms = volume.node_affinity.terms if volume.node_affinity is not None else ()
    return tuple(
        LabelFact(
            source="volume's node affinity",
            key=one.key,
            operator=one.operator,
            values=one.values,
            value=node.labels.get(one.key),
            met=one.matches(node.labels),
            term=i,
        )
        for i, term in enumerate(terms)
        for one in term.match_expressions
    )
