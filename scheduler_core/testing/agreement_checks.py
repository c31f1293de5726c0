"""Checks that a plugin's answers mean the same however they are computed: by node, at once, or from changes."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec

from scheduler_core.columns.cluster import Cluster
from scheduler_core.framework.contracts import plugin as fw
from scheduler_core.testing.agreement import assert_filters_agree, assert_scores_agree
from scheduler_core.testing.following import Follower, changes_of_pods
from scheduler_core.testing.generated import GeneratedCluster
from scheduler_core.testing.plugin_subject import Subject, SubjectAnswer, answers

_CHANGES = 30


def filters_agree(subject: Subject) -> None:
    for drawn, cluster, plugin in subject.trials():
        assert isinstance(plugin, fw.FilterPlugin)
        order = cluster.table.order
        for pod in map(cluster.info, drawn.pods):
            for rows in (order, order[::3], order[:0]):
                assert_filters_agree(plugin, pod, rows)


def scores_agree(subject: Subject) -> None:
    for drawn, cluster, plugin in subject.trials():
        assert isinstance(plugin, fw.ScorePlugin)
        order = cluster.table.order
        for pod in map(cluster.info, drawn.pods):
            for rows in (order, order[::3]):
                assert_scores_agree(plugin, pod, rows)


def permutes(subject: Subject) -> None:
    for seed, drawn in enumerate(subject.samples):
        nodes = list(drawn.nodes)
        Random(seed).shuffle(nodes)
        given, shuffled = subject.on(drawn.cluster()), subject.on(drawn.cluster(nodes))
        assert answers(given, drawn.pods) == answers(shuffled, drawn.pods), "answers follow nodes, whatever their order"


def is_local(subject: Subject) -> None:
    if not subject.plugin_type.traits.node_local:
        return
    for drawn, _cluster, plugin in subject.trials():
        together = answers(plugin, drawn.pods)
        for node in drawn.nodes[::4]:
            alone = answers(subject.on(drawn.cluster([node])), drawn.pods)
            expected = [_only(answer, node.name) for answer in together]
            actual = [_only(answer, node.name) for answer in alone]
            assert actual == expected, f"node_local: the answer for {node.name} does not depend on other nodes"


def _only(answer: SubjectAnswer, name: str) -> tuple[Any, Any]:
    return (answer.statuses or {}).get(name), (answer.raw or {}).get(name)


def same_twice(subject: Subject) -> None:
    for drawn, cluster, plugin in subject.trials():
        first = answers(plugin, drawn.pods)
        assert answers(plugin, drawn.pods) == first, "the same question has the same answer"
        assert answers(subject.on(cluster), drawn.pods) == first, "a new plugin answers the same"


def cached_is_recomputed(subject: Subject) -> None:
    for drawn, cluster, plugin in subject.trials():
        for step, node in enumerate(drawn.nodes[:6]):
            answers(plugin, drawn.pods)
            _change(cluster, drawn, step, node)
            assert answers(plugin, drawn.pods) == answers(subject.on(cluster), drawn.pods), (
                "what a plugin keeps between cycles must not outlive what it was derived from"
            )


def reports_all_changes(subject: Subject) -> None:
    for seed, (drawn, cluster, plugin) in enumerate(subject.trials()):
        random = Random(seed)
        followers = [Follower(plugin, cluster.info(pod)) for pod in drawn.pods]
        feasible = cluster.table.order
        for _ in changes_of_pods(cluster, drawn.pods, random, _CHANGES):
            if random.random() < 0.3:
                feasible = cluster.table.order[: random.choice((None, -1, 7, 1))]
            for follower in random.sample(followers, 5):
                follower.check(feasible)


def _change(cluster: Cluster, drawn: GeneratedCluster, step: int, node: Any) -> None:
    """One change of each kind in turn."""
    if step % 3 == 0:
        cluster.drop_node(node.name)
        if step:
            cluster.put_node(msgspec.structs.replace(node, taints=(), labels={**node.labels, "disk": "ssd"}))
    elif step % 3 == 1:
        moved = msgspec.structs.replace(drawn.pods[step], name=f"moved-{step}", node_name=node.name)
        cluster.put_pod(cluster.info(moved), node.name)
    else:
        key = next(iter(cluster.pods))
        relabelled = msgspec.structs.replace(cluster.pods[key].pod, labels={"app": "web"})
        cluster.update_pod(cluster.info(relabelled))
        cluster.drop_pod(next(reversed(cluster.pods)))
