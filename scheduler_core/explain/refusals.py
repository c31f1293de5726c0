"""Why a node was refused, in the terms of the two objects: what the pod asks, what the node has, what would mend it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from scheduler_core.api.labels import Labels, NodeSelector, Requirement
from scheduler_core.api.objects import Node, Pod, Resources, Taint
from scheduler_core.api.resources import pod_requests
from scheduler_core.explain.shortfalls import NodeSituation, shortfalls
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit

_OPERATORS = {"In": "in", "NotIn": "not in", "Gt": ">", "Lt": "<"}


class Explanation(msgspec.Struct, frozen=True):
    """``facts``: what stands against the pod, one sentence part each. ``remedies``: what would have to change."""

    facts: tuple[str, ...] = ()
    remedies: tuple[str, ...] = ()


def explain_refusal(plugin: str, pod: Pod, situation: NodeSituation, requests: Resources | None = None) -> Explanation:
    """Facts and remedies for a refusal by the plugin; empty where the two objects alone do not show the cause.

    ``requests``: those that are compared with the node (``checked_requests``); without them, all of the pod's.
    """
    if plugin == NodeResourcesFit.name:
        return _resources(pod_requests(pod) if requests is None else requests, situation)
    explain = _BY_PLUGIN.get(plugin)
    return explain(pod, situation) if explain is not None else Explanation()


# --- one function per plugin ---
def _resources(requests: Resources, situation: NodeSituation) -> Explanation:
    missing = shortfalls(requests, situation)
    return Explanation(tuple(s.text() for s in missing), tuple(s.remedy() for s in missing))


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
        facts += _unmet_terms(required, node)
    # A refusal by the profile's addedAffinity is not in the pod, so there is nothing to say here.
    return Explanation(tuple(facts), ("label the node so, or loosen the pod's selector",) if facts else ())


def _unmet_terms(required: NodeSelector, node: Node) -> list[str]:
    """What each term lacks; one of them would do, so all but the first begin with "or"."""
    unmet_terms = []
    for term in required.terms:
        unmet = [_unmet(r, node.labels) for r in term.match_expressions if not r.matches(node.labels)]
        unmet += [_unmet(r, {"metadata.name": node.name}) for r in term.match_fields if not r.holds_for(node.name)]
        if unmet:
            unmet_terms.append(" and ".join(unmet))
    return [f"or {words}" if i else words for i, words in enumerate(unmet_terms)]


def _cordoned(pod: Pod, situation: NodeSituation) -> Explanation:
    return Explanation(("the node is cordoned",), ("uncordon the node",))


def _node_name(pod: Pod, situation: NodeSituation) -> Explanation:
    return Explanation((f"the pod names another node: {pod.node_name}",), ())


def _selector_fact(key: str, value: str, labels: Labels) -> str:
    label = labels.get(key)
    return f"needs {key}={value}; the label is missing" if label is None else f"needs {key}={value}; it is {label}"


def _unmet(requirement: Requirement, labels: Labels) -> str:
    label = labels.get(requirement.key)
    has = "the label is missing" if label is None else f"it is {label}"
    if requirement.operator in ("Exists", "DoesNotExist"):
        return f"needs the label {requirement.key}" if label is None else f"must not have the label {requirement.key}"
    operator = _OPERATORS.get(requirement.operator, requirement.operator)
    return f"needs {requirement.key} {operator} {', '.join(requirement.values)}; {has}"


def _taint(taint: Taint) -> str:
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"


_BY_PLUGIN: dict[str, Callable[[Pod, NodeSituation], Explanation]] = {
    "TaintToleration": _taints,
    "NodeAffinity": _node_affinity,
    "NodeUnschedulable": _cordoned,
    "NodeName": _node_name,
}
