"""Why a node was refused, in the terms of the two objects: what the pod asks, what the node has, what would mend it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from scheduler_core.api.labels import Labels, Requirement
from scheduler_core.api.objects import Node, Pod, Resources, Taint
from scheduler_core.api.resources import pod_requests
from scheduler_core.explain.shortfalls import shortfalls

_OPERATORS = {"In": "in", "NotIn": "not in", "Gt": ">", "Lt": "<"}


class NodeSituation(msgspec.Struct, frozen=True):
    """A node as it was: its object, the sums of the requests on it, and how many pods it held."""

    node: Node
    requested: Resources
    pod_count: int


class Explanation(msgspec.Struct, frozen=True):
    """``facts``: what stands against the pod, one sentence part each. ``remedies``: what would have to change."""

    facts: tuple[str, ...] = ()
    remedies: tuple[str, ...] = ()


def explain_refusal(plugin: str, pod: Pod, situation: NodeSituation) -> Explanation:
    """Facts and remedies for a refusal by the plugin; empty where the two objects alone do not tell."""
    explain = _BY_PLUGIN.get(plugin)
    return explain(pod, situation) if explain is not None else Explanation()


def nearest_misses(
    pod: Pod, refused: Sequence[tuple[NodeSituation, tuple[str, ...]]], limit: int = 5
) -> list[tuple[NodeSituation, tuple[str, ...], float]]:
    """The refused nodes that come nearest: (situation, plugins, distance), fewest refusing plugins first.

    ``refused`` holds each node with all plugins that refuse it. The distance among equals is the largest share of a
    resource that is missing; a node that is too small, or refused for anything but room, counts 1.
    """
    requests = pod_requests(pod)
    ranked = [(situation, plugins, _distance(requests, situation, plugins)) for situation, plugins in refused]
    ranked.sort(key=lambda entry: (len(entry[1]), entry[2], entry[0].node.name))
    return ranked[:limit]


def _distance(requests: Resources, situation: NodeSituation, plugins: tuple[str, ...]) -> float:
    if plugins != ("NodeResourcesFit",):
        return 1.0
    missing = shortfalls(requests, situation.node, situation.requested, situation.pod_count)
    return max((1.0 if s.is_too_small else s.share for s in missing), default=1.0)


# --- one function per plugin ---
def _resources(pod: Pod, situation: NodeSituation) -> Explanation:
    missing = shortfalls(pod_requests(pod), situation.node, situation.requested, situation.pod_count)
    remedies = [f"ask for less {s.resource}" if s.is_too_small else f"free {s.resource} on it" for s in missing]
    return Explanation(tuple(s.text() for s in missing), tuple(remedies))


def _taints(pod: Pod, situation: NodeSituation) -> Explanation:
    hard = [t for t in situation.node.taints if t.effect in ("NoSchedule", "NoExecute")]
    untolerated = [t for t in hard if not any(toleration.tolerates(t) for toleration in pod.tolerations)]
    return Explanation(
        tuple(f"no toleration for the taint {_taint(t)}" for t in untolerated),
        tuple(f"add a toleration for {t.key}, or take the taint off" for t in untolerated),
    )


def _node_affinity(pod: Pod, situation: NodeSituation) -> Explanation:
    node = situation.node
    facts = [
        _selector_fact(key, value, node.labels)
        for key, value in pod.node_selector.items()
        if node.labels.get(key) != value
    ]
    required = pod.affinity.node_required if pod.affinity else None
    if required is not None and not required.matches(node.name, node.labels):
        for term in required.terms:
            unmet = [_unmet(r, node.labels) for r in term.match_expressions if not r.matches(node.labels)]
            unmet += [_unmet(r, {"metadata.name": node.name}) for r in term.match_fields if not r.holds_for(node.name)]
            facts.append(" and ".join(unmet))
    return Explanation(tuple(f for f in facts if f), ("label the node so, or loosen the pod's selector",))


def _cordoned(pod: Pod, situation: NodeSituation) -> Explanation:
    return Explanation(("the node is cordoned",), ("uncordon the node",))


def _node_name(pod: Pod, situation: NodeSituation) -> Explanation:
    return Explanation((f"the pod names another node: {pod.node_name}",), ())


def _selector_fact(key: str, value: str, labels: Labels) -> str:
    found = labels.get(key)
    return f"needs {key}={value}; the label is missing" if found is None else f"needs {key}={value}; it is {found}"


def _unmet(requirement: Requirement, labels: Labels) -> str:
    found = labels.get(requirement.key)
    has = "the label is missing" if found is None else f"it is {found}"
    if requirement.operator in ("Exists", "DoesNotExist"):
        return f"needs the label {requirement.key}" if found is None else f"must not have the label {requirement.key}"
    operator = _OPERATORS.get(requirement.operator, requirement.operator)
    return f"needs {requirement.key} {operator} {', '.join(requirement.values)}; {has}"


def _taint(taint: Taint) -> str:
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"


_BY_PLUGIN: dict[str, Callable[[Pod, NodeSituation], Explanation]] = {
    "NodeResourcesFit": _resources,
    "TaintToleration": _taints,
    "NodeAffinity": _node_affinity,
    "NodeUnschedulable": _cordoned,
    "NodeName": _node_name,
}
