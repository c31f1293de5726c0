"""The answers are read by the readers that the engine uses."""

from __future__ import annotations

import pytest

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.extenders.answers import READERS, FilterAnswer, MetaVictimsAnswer
from scheduler_core.extenders.calls import ExtenderCall, ExtenderReply
from scheduler_core.extenders.declared.rules import (
    BindRule,
    DeclaredExtender,
    Failure,
    FilterRule,
    ScoreRule,
    VictimRule,
)
from scheduler_core.extenders.declared.source import DeclaredSource

NODES = {"fast": {"disk": "ssd", "zone": "a"}, "slow": {"disk": "hdd", "zone": "a"}, "far": {"disk": "ssd"}}
PODS = {"p": {"app": "web"}, "v1": {"critical": "true"}, "v2": {}, "v3": {}}


def label(key, value):
    return LabelSelector((Requirement(key, "In", (value,)),))


class Labels:
    def of_node(self, name):
        return NODES.get(name, {})

    def of_pod(self, node, uid):
        return PODS.get(uid, {})


def metadata(name, labels):
    return {"metadata": {"name": name, "uid": name, "labels": labels}}


def answered(verb, request, **rules):
    """What the engine makes of the reply; the reply itself where it has no answer."""
    source = DeclaredSource([DeclaredExtender(**rules)])
    body = {"Pod": metadata("p", PODS["p"]), **request}
    (reply,) = source.ask(
        [ExtenderCall(step=1, extender=0, verb=verb, url="http://e/", request=body, cluster=Labels())]
    )
    return READERS[verb](reply.body) if reply.status == 200 else reply


def asked_nodes(*, objects):
    items = [metadata(name, labels) for name, labels in NODES.items()]
    if objects:
        return {"Nodes": {"metadata": {}, "items": items}, "NodeNames": None}
    return {"Nodes": None, "NodeNames": list(NODES)}


@pytest.mark.parametrize("objects", [True, False])
def test_the_first_rule_that_matches_refuses_a_node_or_accepts_it(objects):
    rules = (
        FilterRule(pods=label("app", "db"), refuse="never asked for"),
        FilterRule(nodes=label("zone", "a"), refuse="", pods=label("app", "other")),
        FilterRule(nodes=label("disk", "hdd"), refuse="too slow", resolvable=False),
        FilterRule(nodes=label("zone", "a")),
        FilterRule(refuse="too far"),
    )
    answer = answered("filter", asked_nodes(objects=objects), filter=rules)
    passed = [metadata("fast", NODES["fast"])] if objects else None
    names = None if objects else ["fast"]
    assert answer == FilterAnswer(passed, names, {"far": "too far"}, {"slow": "too slow"})


@pytest.mark.parametrize("objects", [True, False])
def test_scores_are_given_by_label_and_are_0_elsewhere(objects):
    rules = (ScoreRule(nodes=label("disk", "hdd"), score=-2), ScoreRule(nodes=label("zone", "a"), score=7))
    assert answered("prioritize", asked_nodes(objects=objects), prioritize=rules) == [
        ("fast", 7),
        ("slow", -2),
        ("far", 0),
    ]


@pytest.mark.parametrize("objects", [True, False])
def test_victims_are_spared_nodes_given_up_and_the_rest_stays_in_order(objects):
    candidates = {"fast": ["v2", "v1", "v3"], "slow": ["v1", "v2"], "far": ["v1"]}
    by_node = {
        node: {"Pods": [metadata(uid, PODS[uid]) if objects else {"UID": uid} for uid in uids], "NumPDBViolations": 1}
        for node, uids in candidates.items()
    }
    request = {"NodeNameToVictims": None, "NodeNameToMetaVictims": None}
    request["NodeNameToVictims" if objects else "NodeNameToMetaVictims"] = by_node
    rules = (
        VictimRule(nodes=label("disk", "hdd"), victims=label("critical", "true"), then="dropNode"),
        VictimRule(victims=label("critical", "true"), then="spare"),
    )
    assert answered("preempt", request, preempt=rules) == {"fast": MetaVictimsAnswer(["v2", "v3"], 1)}
    unchanged = {node: MetaVictimsAnswer(uids, 1) for node, uids in candidates.items()}
    assert answered("preempt", request) == unchanged
    assert answered("preempt", request, preempt=(VictimRule(then="evict"), *rules)) == unchanged


def test_binding_is_refused_by_node_and_pod():
    rules = (BindRule(nodes=label("disk", "hdd"), pods=label("app", "web"), refuse="no volume left"),)
    for node, error in (("slow", "no volume left"), ("fast", ""), ("gone", "")):
        request = {"PodName": "p", "PodNamespace": "default", "PodUID": "p", "Node": node}
        assert answered("bind", request, bind=rules) == error


def test_calls_for_the_pods_of_a_failure_fail():
    failures = {"filter": (Failure(pods=label("app", "db"), status=500), Failure(fault="timeout"))}
    assert answered("filter", asked_nodes(objects=False), failures=failures) == ExtenderReply(fault="timeout")
    failures = {"filter": (Failure(pods=label("app", "web"), status=500),)}
    assert answered("filter", asked_nodes(objects=False), failures=failures) == ExtenderReply(500)
    assert answered("prioritize", asked_nodes(objects=False), failures=failures) == [
        ("fast", 0),
        ("slow", 0),
        ("far", 0),
    ]


def test_a_call_without_a_cluster_is_an_error():
    call = ExtenderCall(step=1, extender=0, verb="filter", url="http://e/", request=asked_nodes(objects=True))
    with pytest.raises(ValueError, match="needs the cluster"):
        DeclaredSource([DeclaredExtender()]).ask([call])
