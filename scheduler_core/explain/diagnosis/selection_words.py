"""Labels that a node selector or node affinity asks for, in words: who has them, and what is nearly so."""

from __future__ import annotations

from scheduler_core.explain.diagnosis.near_misses import Near, near_key, near_value
from scheduler_core.explain.diagnosis.obstacle_facts import ObstacleFacts
from scheduler_core.explain.outcomes.texts import listed, plural
from scheduler_core.framework.contracts.facts import LabelFact

_MOST_VALUES = 3
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
        others = len(values) - _MOST_VALUES
        named = values[:_MOST_VALUES] + ([plural(others, "other value")] if others > 0 else [])
        said.append(f"{_nodes_have(len(facts) - without)} {listed(named, 'or')}")
    if without:
        said.append(f"{plural(without, 'node')} {'lacks' if without == 1 else 'lack'} the label")
    return listed(said, "and")


def terms_words(facts: ObstacleFacts) -> str:
    """A node affinity of several terms, none of which matches."""
    terms = {fact.term for one in facts.values for fact in one.terms}
    first = list(dict.fromkeys(requirement_words(fact) for fact in facts[0][1].terms))
    more = f" and {len(first) - _MOST_VALUES} more" if len(first) > _MOST_VALUES else ""
    return (
        f"node affinity: none of its {len(terms)} terms matches; unmet are {listed(first[:_MOST_VALUES], 'and')}{more}"
    )


def _by_controller(facts: ObstacleFacts) -> str:
    owner = next((one for one in facts.pod.owner_references if one.controller), None)
    return f", as {owner.kind} {owner.name} wrote it" if owner is not None and owner.kind == "DaemonSet" else ""
