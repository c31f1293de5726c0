"""Answers calls by rules, as a well-behaved extender would."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from scheduler_core.api.labels import Labels
from scheduler_core.extenders.calls import ClusterLabels, ExtenderCall, ExtenderReply
from scheduler_core.extenders.declared.rules import BindRule, DeclaredExtender, FilterRule, Rule, ScoreRule, VictimRule

R = TypeVar("R", bound=Rule)
_NOTHING: Labels = {}


class DeclaredSource:
    """A pure function of the call and of the cluster's labels at its moment.

    Labels are those of the objects in the request where it holds whole ones, else those of the call's ``cluster``. A
    node that has no victim left is given up, as kube-scheduler takes one without victims for an error.
    """

    def __init__(self, extenders: Sequence[DeclaredExtender]) -> None:
        self._extenders = extenders

    def ask(self, calls: Sequence[ExtenderCall]) -> list[ExtenderReply]:
        """One reply to each call. Raises ValueError for a call without a cluster."""
        return [self._reply(call) for call in calls]

    def _reply(self, call: ExtenderCall) -> ExtenderReply:
        if call.cluster is None:
            raise ValueError("a declared extender needs the cluster of the call")
        extender, request, cluster = self._extenders[call.extender], call.request, call.cluster
        is_binding = call.verb == "bind"
        pod = cluster.of_pod(request["Node"], request["PodUID"]) if is_binding else _labels(request["Pod"])
        for failure in extender.failures.get(call.verb, ()):
            if failure.pods.matches(pod):
                return ExtenderReply(failure.status, b"", failure.fault)
        answer: Any
        match call.verb:
            case "filter":
                answer = _filtered(_for(extender.filter, pod), request, cluster)
            case "prioritize":
                answer = _scored(_for(extender.prioritize, pod), request, cluster)
            case "preempt":
                answer = _preempted(_for(extender.preempt, pod), request, cluster)
            case _:
                answer = _bound(_for(extender.bind, pod), cluster.of_node(request["Node"]))
        return ExtenderReply(200, msgspec.json.encode(answer))


def _filtered(rules: Sequence[FilterRule], request: Mapping[str, Any], cluster: ClusterLabels) -> dict[str, Any]:
    passed: list[Any] = []
    failed: dict[bool, dict[str, str]] = {True: {}, False: {}}
    for name, labels, node in _nodes(request, cluster):
        rule = _first(rules, labels)
        if rule is None or not rule.refuse:
            passed.append(node)
        else:
            failed[rule.resolvable][name] = rule.refuse
    nodes = {"NodeNames": passed} if request["NodeNames"] is not None else {"Nodes": {"metadata": {}, "items": passed}}
    return {**nodes, "FailedNodes": failed[True], "FailedAndUnresolvableNodes": failed[False], "Error": ""}


def _scored(rules: Sequence[ScoreRule], request: Mapping[str, Any], cluster: ClusterLabels) -> list[dict[str, Any]]:
    scores = []
    for name, labels, _ in _nodes(request, cluster):
        rule = _first(rules, labels)
        scores.append({"Host": name, "Score": 0 if rule is None else rule.score})
    return scores


def _preempted(rules: Sequence[VictimRule], request: Mapping[str, Any], cluster: ClusterLabels) -> dict[str, Any]:
    metas, wholes = request["NodeNameToMetaVictims"], request["NodeNameToVictims"]
    answer: dict[str, Any] = {}
    for node, victims in (wholes if metas is None else metas).items():
        of_node = [rule for rule in rules if rule.nodes.matches(cluster.of_node(node))]
        left = []
        for pod in victims["Pods"]:
            uid = pod["UID"] if metas is not None else pod["metadata"]["uid"]
            labels = cluster.of_pod(node, uid) if metas is not None else _labels(pod)
            then = next((rule.then for rule in of_node if rule.victims.matches(labels)), "evict")
            if then == "dropNode":
                break
            if then == "evict":
                left.append({"UID": uid})
        else:
            if left:
                answer[node] = {"Pods": left, "NumPDBViolations": victims["NumPDBViolations"]}
    return {"NodeNameToMetaVictims": answer}


def _bound(rules: Sequence[BindRule], node: Labels) -> dict[str, str]:
    rule = _first(rules, node)
    return {"Error": "" if rule is None else rule.refuse}


def _nodes(request: Mapping[str, Any], cluster: ClusterLabels) -> Iterable[tuple[str, Labels, Any]]:
    """(name, labels, the node as the request has it)."""
    if request["NodeNames"] is not None:
        return ((name, cluster.of_node(name), name) for name in request["NodeNames"])
    return ((node["metadata"]["name"], _labels(node), node) for node in request["Nodes"]["items"])


def _for(rules: Sequence[R], pod: Labels) -> list[R]:
    """The rules that are about this pod."""
    return [rule for rule in rules if rule.pods.matches(pod)]


def _first(rules: Sequence[R], node: Labels) -> R | None:
    return next((rule for rule in rules if rule.nodes.matches(node)), None)


def _labels(item: Mapping[str, Any]) -> Labels:
    return item["metadata"].get("labels") or _NOTHING
