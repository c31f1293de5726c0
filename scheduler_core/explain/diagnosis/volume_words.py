"""Claims and volumes in words: where the volume is, what the claim waits for, who has it, how many a node attaches."""

from __future__ import annotations

from scheduler_core.explain.diagnosis.obstacle_facts import ObstacleFacts
from scheduler_core.explain.outcomes.texts import listed, plural
from scheduler_core.framework.contracts.facts import ClaimFact, LabelFact, VolumeLimitFact, VolumeZoneFact

HOSTNAME = "kubernetes.io/hostname"
_MOST = 3


def claim_words(facts: ObstacleFacts) -> str:
    """A claim that cannot be met on the nodes of the set, or anywhere."""
    fact: ClaimFact = facts[0][1]
    if facts.key.code == "VOLUME_NODE_GONE":
        host = listed([value for one in _unmet(fact) if one.key == HOSTNAME for value in one.values], "or")
        return f"claim {fact.claim}: its volume {fact.volume} is on node {host}, which is not in the cluster any more"
    if facts.key.code == "VOLUME_TOPOLOGY" and fact.requirements:
        needs = listed([_requires(one) for one in _unmet(fact)], "and")
        return f"claim {fact.claim}: its volume {fact.volume} is in {needs}{_others(facts)}"
    if facts.key.code == "VOLUME_MISSING":
        claim = facts.table.cluster.listers.claims.get(fact.claim)
        named = fact.volume or (claim.volume_name if claim is not None else "")
        return f"claim {fact.claim}: its volume {named or 'of that name'} does not exist"
    return f"claim {fact.claim}: {_problem(facts, fact)}"


def _problem(facts: ObstacleFacts, fact: ClaimFact) -> str:
    if facts.key.code == "CLAIM_MISSING":
        return "it does not exist"
    if facts.key.code == "CLAIM_UNBOUND_IMMEDIATE":
        return f"it is bound at once, not with its pod, and is not bound{_class_words(facts, fact)}"
    return fact.problem


def _class_words(facts: ObstacleFacts, fact: ClaimFact) -> str:
    listers = facts.table.cluster.listers
    claim = listers.claims.get(fact.claim)
    name = claim.storage_class_name if claim is not None else None
    if not name:
        return " (it has no storage class)"
    one = listers.storage_classes.get(name)
    return f" (storage class {name} {f'of {one.provisioner}' if one is not None else 'does not exist'})"


def _unmet(fact: ClaimFact) -> list[LabelFact]:
    return [one for one in fact.requirements if one.term == 0 and not one.met]


def _requires(one: LabelFact) -> str:
    if one.operator == "In":
        return f"{one.key}={listed(list(one.values), 'or')}"
    return f"{one.key} {one.operator} {', '.join(one.values)}".strip()


def _others(facts: ObstacleFacts) -> str:
    """Where the nodes of the set are instead."""
    values = sorted({one.value for fact in facts.values for one in _unmet(fact) if one.value is not None})
    if not values:
        return ""
    return f", the {'node is' if len(facts) == 1 else 'nodes are'} in {listed(values[:_MOST], 'or')}"


def zone_words(facts: ObstacleFacts) -> str:
    """The zone or region label of a claim's volume."""
    fact: VolumeZoneFact = facts[0][1]
    values = sorted({one.value for one in facts.values if one.value is not None})
    where = f", the {'node is' if len(facts) == 1 else 'nodes are'} in {listed(values[:_MOST], 'or')}" if values else ""
    return f"claim {fact.claim}: its volume {fact.volume} is in {fact.key}={listed(list(fact.values), 'or')}{where}"


def in_use_words(facts: ObstacleFacts) -> str:
    """A claim that one pod has for itself."""
    fact = facts[0][1]
    holders = listed([one for one in fact.holders if one != facts.pod.key][:_MOST], "and") or "another pod"
    return f"claim {fact.claim}: its access mode is ReadWriteOncePod, and {holders} uses it"


def limit_words(facts: ObstacleFacts) -> str:
    """How many volumes of a driver nodes attach."""
    name, fact = facts[0]
    limit: VolumeLimitFact = fact
    more = f", and {plural(len(facts) - 1, 'node')} more likewise" if len(facts) > 1 else ""
    has = f"{name} attaches {limit.limit} and has {limit.attached}"
    return f"volumes of {limit.driver}: {has}; it needs {limit.adds} more{more}"
