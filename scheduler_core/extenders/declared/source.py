"""Answers calls by rules, as a well-behaved extender would."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from scheduler_core.api.labels import Labels
from scheduler_core.extenders.calls import ExtenderCall, ExtenderReply
from scheduler_core.extenders.declared.rules import BindRule, DeclaredExtender, FilterRule, Rule, ScoreRule, VictimRule

R = TypeVar("R", bound=Rule)
_NOTHING: Labels = {}


class ClusterLabels(Protocol):
    """What an extender that keeps the cluster itself (nodeCacheCapable) knows by name and UID, at this moment."""

    def of_node(self, name: str) -> Labels:
        """The node's labels, none where there is no such node."""

    def of_pod(self, uid: str) -> Labels:
        """The labels of the pod with this UID, none where there is no such pod."""


class DeclaredSource:
    """A pure function of the call and the cluster.

    Labels come with the call where it holds whole objects, else from ``cluster``. A node that has no victim left is
    given up, as kube-scheduler takes one without victims for an error.
    """

    def __init__(self, extenders: Sequence[DeclaredExtender], cluster: ClusterLabels) -> None:
        self._extenders = extenders
        self._cluster = cluster

    def ask(self, calls: Sequence[ExtenderCall]) -> list[ExtenderReply]:
        """One reply to each call."""
        return [self._reply(call) for call in calls]

    def _reply(self, call: ExtenderCall) -> ExtenderReply:
        extender, request = self._extenders[call.extender], call.request
        pod = self._cluster.of_pod(request["PodUID"]) if call.verb == "bind" else _labels(request["Pod"])
        for failure in extender.failures.get(call.verb, ()):
            if failure.pods.matches(pod):
                return ExtenderReply(failure.status, b"", failure.fault)
        answer: Any
        match call.verb:
            case "filter":
                answer = self._filtered(_for(extender.filter, pod), request)
            case "prioritize":
                answer = self._scored(_for(extender.prioritize, pod), request)
            case "preempt":
                answer = self._preempted(_for(extender.preempt, pod), request)
            case _:
                answer = self._bound(_for(extender.bind, pod), request["Node"])
        return ExtenderReply(200, msgspec.json.encode(answer))

    def _filtered(self, rules: Sequence[FilterRule], request: Mapping[str, Any]) -> dict[str, Any]:
        passed: list[Any] = []
        failed: dict[bool, dict[str, str]] = {True: {}, False: {}}
        for name, labels, node in self._nodes(request):
            rule = _first(rules, labels)
            if rule is None or not rule.refuse:
                passed.append(node)
            else:
                failed[rule.resolvable][name] = rule.refuse
        nodes = (
            {"NodeNames": passed} if request["NodeNames"] is not None else {"Nodes": {"metadata": {}, "items": passed}}
        )
        return {**nodes, "FailedNodes": failed[True], "FailedAndUnresolvableNodes": failed[False], "Error": ""}

    def _scored(self, rules: Sequence[ScoreRule], request: Mapping[str, Any]) -> list[dict[str, Any]]:
        scores = []
        for name, labels, _ in self._nodes(request):
            rule = _first(rules, labels)
            scores.append({"Host": name, "Score": 0 if rule is None else rule.score})
        return scores

    def _preempted(self, rules: Sequence[VictimRule], request: Mapping[str, Any]) -> dict[str, Any]:
        metas, wholes = request["NodeNameToMetaVictims"], request["NodeNameToVictims"]
        answer: dict[str, Any] = {}
        for node, victims in (wholes if metas is None else metas).items():
            of_node = [rule for rule in rules if rule.nodes.matches(self._cluster.of_node(node))]
            left = []
            for pod in victims["Pods"]:
                uid = pod["UID"] if metas is not None else pod["metadata"]["uid"]
                labels = self._cluster.of_pod(uid) if metas is not None else _labels(pod)
                then = next((rule.then for rule in of_node if rule.victims.matches(labels)), "evict")
                if then == "dropNode":
                    break
                if then == "evict":
                    left.append({"UID": uid})
            else:
                if left:
                    answer[node] = {"Pods": left, "NumPDBViolations": victims["NumPDBViolations"]}
        return {"NodeNameToMetaVictims": answer}

    def _bound(self, rules: Sequence[BindRule], node: str) -> dict[str, str]:
        rule = _first(rules, self._cluster.of_node(node))
        return {"Error": "" if rule is None else rule.refuse}

    def _nodes(self, request: Mapping[str, Any]) -> Iterable[tuple[str, Labels, Any]]:
        """(name, labels, the node as the request has it)."""
        if request["NodeNames"] is not None:
            return ((name, self._cluster.of_node(name), name) for name in request["NodeNames"])
        return ((node["metadata"]["name"], _labels(node), node) for node in request["Nodes"]["items"])


def _for(rules: Sequence[R], pod: Labels) -> list[R]:
    """The rules that are about this pod."""
    return [rule for rule in rules if rule.pods.matches(pod)]


def _first(rules: Sequence[R], node: Labels) -> R | None:
    return next((rule for rule in rules if rule.nodes.matches(node)), None)


def _labels(item: Mapping[str, Any]) -> Labels:
    return item["metadata"].get("labels") or _NOTHING
