"""Topology spread and pod affinity in words: the domain that decides, and whose taint makes it count."""

from __future__ import annotations

from scheduler_core.explain.diagnosis.near_misses import in_other_namespaces, near_key, near_pods
from scheduler_core.explain.diagnosis.obstacle_facts import ObstacleFacts
from scheduler_core.explain.facts.texts import selector_words
from scheduler_core.explain.outcomes.texts import listed, plural
from scheduler_core.framework.contracts.facts import PodTermFact, SpreadFact

_MOST = 3


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
    """That a domain counts although a taint keeps the pod off its nodes."""
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
