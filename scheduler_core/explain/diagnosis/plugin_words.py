"""Words of obstacles by plugin: labels that select no node, pods that spread or keep apart, volumes and claims."""

from __future__ import annotations

from scheduler_core.explain.diagnosis.near_misses import Near, in_other_namespaces, near_key, near_pods, near_value
from scheduler_core.explain.diagnosis.obstacle_facts import ObstacleFacts
from scheduler_core.explain.facts.texts import selector_words
from scheduler_core.explain.outcomes.texts import listed, plural
from scheduler_core.framework.contracts.facts import (
    ClaimFact,
    LabelFact,
    PodTermFact,
    SpreadFact,
    VolumeLimitFact,
    VolumeZoneFact,
)

_MOST = 3
_ASKING = {
    "SELECTOR_NO_MATCH": "node selector",
    "AFFINITY_NO_MATCH": "node affinity",
    "AFFINITY_ENFORCED": "node affinity of the scheduler's configuration",
}
_OPERATORS = {"In": "in", "NotIn": "not in", "Gt": ">", "Lt": "<"}


def label_words(facts: ObstacleFacts) -> str:
    """One requirement, and what the nodes of the set have instead."""
    fact: LabelFact = facts[0][1]
    asking = _ASKING.get(facts.key.code, fact.source)
    if not fact.key:
        return f"{asking}: a term without requirements, which no node matches"
    if fact.key == "metadata.name":
        return f"{asking}: it is for {listed(list(fact.values), 'or')} alone{_by_controller(facts)}"
    has = [node for node in facts.all_nodes if fact.key in node.labels]
    return f"{asking} {requirement_words(fact)}: {_instead(facts, fact, len(has))}"


def requirement_words(fact: LabelFact) -> str:
    """ "tier=gold", "zone in a, b", "the label gpu" """
    if fact.operator == "Exists":
        return f"{fact.key} (any value)"
    if fact.operator == "DoesNotExist":
        return f"!{fact.key}"
    if fact.operator == "In" and len(fact.values) == 1:
        return f"{fact.key}={fact.values[0]}"
    return f"{fact.key} {_OPERATORS.get(fact.operator, fact.operator)} ({', '.join(fact.values)})"


def _instead(facts: ObstacleFacts, fact: LabelFact, n_with_key: int) -> str:
    """What the nodes of the set have, and what nearly matches."""
    satisfied = any(fact.operator != "In" or node.labels.get(fact.key) in fact.values for node in facts.all_nodes)
    nobody = "" if satisfied or len(facts.all_nodes) == 1 else "no node has it; "
    if not n_with_key and fact.operator in ("In", "Exists"):
        near = near_key(facts.all_nodes, fact.key, fact.values[0] if len(fact.values) == 1 else "")
        near = near or near_key(facts.all_nodes, fact.key)
        other = f"; {_nodes_have(near.count)} {_named(near)}" if near else ""
        return f"no node has the label {fact.key}{other}"
    if fact.operator == "In" and len(fact.values) == 1:
        value = near_value(facts.nodes, fact.key, fact.values[0])
        key = None if satisfied or value is not None else near_key(facts.nodes, fact.key, fact.values[0])
        if key is not None:
            return f"{nobody}{_nodes_have(key.count)} {_named(key)}"
        if value is not None:
            return f"{nobody}{_nodes_have(value.count)} {fact.key}={value.value}"
    return f"{nobody}{_have(facts, fact)}"


def _named(near: Near) -> str:
    return f"{near.key}={near.value}" if near.value else f"the label {near.key}"


def _nodes_have(count: int) -> str:
    return f"{plural(count, 'node')} {'has' if count == 1 else 'have'}"


def _have(facts: ObstacleFacts, fact: LabelFact) -> str:
    values = sorted({one.value for one in facts.values if one.value is not None})
    without = sum(one.value is None for one in facts.values)
    said = []
    if values:
        others = len(values) - _MOST
        named = values[:_MOST] + ([plural(others, "other value")] if others > 0 else [])
        said.append(f"{_nodes_have(len(facts) - without)} {listed(named, 'or')}")
    if without:
        said.append(f"{plural(without, 'node')} {'lacks' if without == 1 else 'lack'} the label")
    return listed(said, "and")


def terms_words(facts: ObstacleFacts) -> str:
    """A node affinity of several terms, none of which matches."""
    terms = {fact.term for one in facts.values for fact in one.terms}
    first = list(dict.fromkeys(requirement_words(fact) for fact in facts[0][1].terms))
    more = f" and {len(first) - _MOST} more" if len(first) > _MOST else ""
    return f"node affinity: none of its {len(terms)} terms matches; unmet are {listed(first[:_MOST], 'and')}{more}"


def _by_controller(facts: ObstacleFacts) -> str:
    owner = next((one for one in facts.pod.owner_references if one.controller), None)
    return f", as {owner.kind} {owner.name} wrote it" if owner is not None and owner.kind == "DaemonSet" else ""


def spread_words(facts: ObstacleFacts) -> str:
    """A hard spread constraint on the nodes of the set."""
    fact: SpreadFact = facts[0][1]
    head = f"topology spread over {fact.topology_key}"
    if facts.key.code == "SPREAD_KEY_MISSING":
        return f"{head}: {_lacking(facts, fact.topology_key)}"
    if facts.key.code == "SPREAD_MIN_DOMAINS":
        there = f"there {'is' if fact.n_domains == 1 else 'are'} {fact.n_domains}"
        return f"{head}: minDomains asks for {fact.min_domains} domains and {there}, so that the fewest pods count as 0"
    low, high = min(one.skew for one in facts.values), max(one.skew for one in facts.values)
    skew = f"{low}" if low == high else f"{low} to {high}"
    return f"{head} (maxSkew {fact.max_skew}): it would be {skew} ahead of {_fewest(facts, fact)}"


def _fewest(facts: ObstacleFacts, fact: SpreadFact) -> str:
    """The domains with the fewest pods, and why the first counts although the pod cannot go there."""
    if not fact.counts or fact.least < fact.counts[0].pods:
        return f"the fewest, which count as {fact.least}"
    least = [one for one in fact.counts if one.pods == fact.counts[0].pods]
    named = listed([one.value for one in least[:_MOST]], "and")
    more = f" and {len(least) - _MOST} more" if len(least) > _MOST else ""
    text = f"{named}{more} with {plural(least[0].pods, 'pod')}"
    return f"{text}{_counted_by_taint(facts, fact, least[0].value)}"


def _counted_by_taint(facts: ObstacleFacts, fact: SpreadFact, value: str) -> str:
    """The sentence that a domain counts although a taint keeps the pod off its nodes."""
    constraint = next(
        (one for one in facts.pod.topology_spread_constraints if one.topology_key == fact.topology_key), None
    )
    if constraint is None or constraint.node_taints_policy != "Ignore":
        return ""
    taints = []
    for row, on_row in facts.table.by_row.items():
        node = facts.table.cluster.table.nodes[row]
        if node is not None and node.labels.get(fact.topology_key) == value:
            keys = [key for key in on_row if key.code in ("TAINT_UNTOLERATED", "TAINT_NODE_CONDITION", "CORDONED")]
            if not keys:
                return ""
            taints.append(keys[0].subject)
    if not taints:
        return ""
    return f", which counts though its taint {taints[0]} keeps the pod off (nodeTaintsPolicy: Ignore)"


def _lacking(facts: ObstacleFacts, key: str) -> str:
    there = sum(key in node.labels for node in facts.all_nodes)
    if there:
        return f"{plural(len(facts), 'node')} {'lacks' if len(facts) == 1 else 'lack'} the label"
    near = near_key(facts.all_nodes, key)
    other = f"; {plural(near.count, 'node')} {'has' if near.count == 1 else 'have'} {near.key}" if near else ""
    return f"no node has the label {key}{other}"


def pod_term_words(facts: ObstacleFacts) -> str:
    """A required term of pod affinity or anti-affinity, the pod's own or that of pods that are there."""
    fact: PodTermFact = facts[0][1]
    key = fact.topology_key
    if facts.key.code == "AFFINITY_KEY_MISSING":
        return f"pod affinity by {key}: {_lacking(facts, key)}"
    if facts.key.code == "AFFINITY_NO_POD":
        domains = sorted({one.domain for one in facts.values if one.domain is not None})
        shown = listed(domains[:_MOST], "or") + (f" and {len(domains) - _MOST} more" if len(domains) > _MOST else "")
        near = near_pods(facts.table.cluster, fact)
        have = "" if near is None else f"{plural(near.count, 'pod')} {'has' if near.count == 1 else 'have'}"
        other = "" if near is None else f"; {have} {near.key}={near.value}"
        elsewhere = list(in_other_namespaces(facts.table.cluster, fact).items())[:_MOST] if fact.namespaces else []
        there = listed([f"{plural(count, 'pod')} in {name}" for name, count in elsewhere], "and")
        other += f"; its namespaces are {listed(fact.namespaces, 'and')}, and it would select {there}" if there else ""
        return f"pod affinity to {selector_words(fact.selector)}: no such pod is in {key} {shown}{other}"
    pods = list(dict.fromkeys(pod for one in facts.values for pod in one.pods))
    named = listed([_with_node(facts, pod) for pod in pods[:_MOST]], "and")
    named += f" and {plural(len(pods) - _MOST, 'pod')} more" if len(pods) > _MOST else ""
    if facts.key.code == "ANTI_AFFINITY_OWN":
        return f"its anti-affinity to {selector_words(fact.selector)} by {key}: {named}"
    return f"anti-affinity by {key} of {named}, which keeps pods like it away"


def _with_node(facts: ObstacleFacts, pod: str) -> str:
    node = facts.table.cluster.node_of(pod)
    return f"{pod} on {node}" if node is not None else f"{pod} (nominated)"


HOSTNAME = "kubernetes.io/hostname"


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
