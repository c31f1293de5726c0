"""What each claim of a pod gets on one node, and why one gets nothing."""

from __future__ import annotations

from scheduler_core.api.objects import Node, PersistentVolume, PersistentVolumeClaim
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


def claim_facts(claims: PodClaims, binder: VolumeBinder, node: Node) -> Facts:
    """Bound claims first, then those that are bound with the pod; none where a volume cannot be read."""
    volumes = binder.volumes_on(claims, node)
    if volumes.error:
        return ()
    bound = [_bound_fact(claim, binder, node) for claim in claims.bound]
    blamed = binder.first_unserved(claims, node) if {BIND_CONFLICT, NOT_ENOUGH_SPACE} & {*volumes.reasons} else None
    delayed = [
        ClaimFact(
            claim=claim.key,
            volume=volumes.bindings.get(claim.key, ""),
            provisioned=claim.key in volumes.provisions,
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


def _bound_fact(claim: PersistentVolumeClaim, binder: VolumeBinder, node: Node) -> ClaimFact:
    volume = binder.seen_from(claim, node)
    if volume is None:
        return ClaimFact(claim=claim.key, volume=claim.volume_name, problem=VOLUME_MISSING, refuses=True)
    reached = affinity_matches(volume.node_affinity, node.labels)
    return ClaimFact(
        claim=claim.key,
        volume=volume.name,
        problem="" if reached else NODE_CONFLICT,
        requirements=_requirements(volume, node),
        refuses=not reached,
    )


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
