"""Checks that a plugin's answers mean the same however they are computed: by node, at once, or from changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import msgspec
import numpy as np

from scheduler_core.api.objects import Pod
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts import plugin as fw
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.verdicts import Rows
from scheduler_core.testing.agreement import assert_filters_agree, assert_scores_agree
from scheduler_core.testing.generated import GeneratedCluster
from scheduler_core.testing.plugin_subject import Subject, SubjectAnswer, answer, answers

MANY = 40
"""Pods that come at once, so that changes are taken in bulk too."""


class Follower:
    """One pod's verdicts and raw scores on all rows, brought up to date by what the plugin says has changed.

    As in the framework, memories are forgotten when a node object or lister changed, and when the plugin skipped.
    """

    def __init__(self, plugin: fw.Plugin[Any], pod: PodInfo) -> None:
        self._plugin = plugin
        self._pod = pod
        self._stamp: tuple[int, int] | None = None
        self._forget_filter()
        self._forget_score()

    def check(self, feasible: Rows) -> None:
        """Raises AssertionError where what is kept differs from a new answer; scores are asked for ``feasible``."""
        cluster = self._plugin.handle.cluster
        stamp = (cluster.table.static_generation, cluster.listers.generation)
        if stamp != self._stamp:
            self._stamp = stamp
            self._forget_filter()
            self._forget_score()
        if isinstance(self._plugin, fw.FilterPlugin):
            self._check_filter(self._plugin, cluster)
        if isinstance(self._plugin, fw.ScorePlugin) and len(feasible):
            self._check_score(self._plugin, feasible)

    def _forget_filter(self) -> None:
        n = self._plugin.handle.cluster.table.capacity
        self._filter_cache = fw.PluginCache()
        self._codes, self._reasons = np.zeros(n, dtype=np.uint8), np.zeros(n, dtype=np.int32)

    def _forget_score(self) -> None:
        self._score_cache = fw.PluginCache()
        self._raw = np.full(self._plugin.handle.cluster.table.capacity, -(1 << 60), dtype=np.int64)

    def _check_filter(self, plugin: fw.FilterPlugin[Any], cluster: Cluster) -> None:
        state = None
        if isinstance(plugin, fw.PreFilterPlugin):
            result = plugin.pre_filter(CycleState(), self._pod)
            if not result.status.is_success:
                self._forget_filter()
                return
            state = result.state
        order = cluster.table.order
        some, verdicts = plugin.filter_delta(state, self._pod, self._filter_cache)
        rows = order if some is None else np.concatenate(some) if isinstance(some, tuple) else some
        _assert_each_once(rows)
        self._codes[rows] = 0 if verdicts is None else verdicts.codes
        self._reasons[rows] = 0 if verdicts is None else verdicts.reasons
        asked = plugin.filter(state, self._pod, order)
        codes, reasons = (np.zeros(len(order)),) * 2 if asked is None else (asked.codes, asked.reasons)
        assert self._codes[order].tolist() == codes.tolist(), "filter_delta tells every verdict that changed"
        assert self._reasons[order].tolist() == reasons.tolist(), "filter_delta tells every reason that changed"

    def _check_score(self, plugin: fw.ScorePlugin[Any], feasible: Rows) -> None:
        state = None
        if isinstance(plugin, fw.PreScorePlugin):
            result = plugin.pre_score(CycleState(), self._pod, feasible)
            if not result.status.is_success:
                self._forget_score()
                return
            state = result.state
        rows, scores = plugin.score_delta(state, self._pod, feasible, self._score_cache)
        rows = feasible if rows is None else rows
        _assert_each_once(rows)
        self._raw[rows] = scores
        asked = plugin.score(state, self._pod, feasible)
        assert self._raw[feasible].tolist() == asked.tolist(), "score_delta reports every score that changed"


def _assert_each_once(rows: Rows) -> None:
    assert rows.dtype == np.int64, f"rows must be int64, not {rows.dtype}"
    assert len(set(rows.tolist())) == len(rows), "each row is reported once"


def changes_of_pods(cluster: Cluster, pods: Sequence[Pod], random: Random, steps: int) -> Iterator[None]:
    """Yield random changes: mostly a pod that comes, goes or is deleted, sometimes many pods or a node."""
    for step in range(steps):
        names = sorted(cluster.table.row_of)
        kinds = ("put", "put", "put", "drop", "drop", "terminate", "none", "many", "node")
        kind = random.choice(kinds) if cluster.pods else "put"
        if kind == "put":
            _put(cluster, random.choice(pods), f"come-{step}", random.choice(names))
        elif kind == "many":
            for i in range(MANY):
                _put(cluster, random.choice(pods), f"come-{step}-{i}", random.choice(names))
        elif kind == "drop":
            cluster.drop_pod(random.choice(sorted(cluster.pods)))
        elif kind == "terminate":
            pod = cluster.pods[random.choice(sorted(cluster.pods))].pod
            cluster.update_pod(cluster.info(msgspec.structs.replace(pod, deletion_timestamp=2.0)))
        elif kind == "node" and random.random() < 0.3:
            node = cluster.table.nodes[cluster.table.row_of[random.choice(names)]]
            assert node is not None
            cluster.put_node(msgspec.structs.replace(node, taints=(), labels={**node.labels, "disk": "ssd"}))
        yield


def _put(cluster: Cluster, pod: Pod, name: str, node_name: str) -> None:
    cluster.put_pod(cluster.info(msgspec.structs.replace(pod, name=name, node_name=node_name)), node_name)


_CHANGES = 30
_OF_NO_CLASS: dict[str, Any] = {
    "name": "other",
    "uid": "other",
    "annotations": {"other": "yes"},
    "creation_timestamp": 5.0,
    "start_time": 6.0,
    "nominated_node_name": "node-0",
}
"""Fields that pods of one class may differ in, with values that no generated pod has."""


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


def follows_from_the_class(subject: Subject) -> None:
    if subject.plugin_type.traits.across_nodes:
        return
    for drawn, cluster, plugin in subject.trials():
        for pod in map(cluster.info, drawn.pods):
            other = cluster.info(msgspec.structs.replace(pod.pod, **_OF_NO_CLASS))
            if other.cls is pod.cls:
                assert answer(plugin, other, cluster.table.order) == answer(plugin, pod, cluster.table.order), (
                    f"static and node_local answers are kept by the pod's class, so they read none of "
                    f"{', '.join(_OF_NO_CLASS)}, which differ within one class"
                )


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
