"""Checks of a plugin's state: saved and restored, and changed by AddPod, RemovePod, Reserve and Unreserve."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from scheduler_core.columns.cluster import Cluster
from scheduler_core.framework.contracts import plugin as fw
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.status import SUCCESS, Status
from scheduler_core.testing.generated import GeneratedCluster
from scheduler_core.testing.plugin_subject import Subject, answers, filter_on


def saves_its_state(subject: Subject) -> None:
    for drawn, cluster, plugin in subject.trials():
        _use(plugin, drawn)
        saved = msgspec.json.decode(msgspec.json.encode(plugin.dump()))
        other = subject.on(cluster)
        if saved is not None:
            other.load(saved)
        assert other.dump() == saved, "load takes back what dump gave, as JSON"
        assert answers(other, drawn.pods) == answers(plugin, drawn.pods), "a restored plugin answers the same"


def _use(plugin: fw.Plugin[Any], drawn: GeneratedCluster) -> None:
    """Have the plugin see some pods, and reserve for them where it does."""
    answers(plugin, drawn.pods)
    if isinstance(plugin, fw.ReservePlugin):
        for pod, node in _possible(plugin, drawn):
            plugin.reserve(CycleState(), pod, node)


def _possible(plugin: fw.Plugin[Any], drawn: GeneratedCluster) -> Iterator[tuple[Any, str]]:
    """(pod, node) that the plugin itself does not refuse: only such a pair gets to Reserve."""
    for pod, answer in zip(drawn.pods, answers(plugin, drawn.pods), strict=True):
        if not answer.pre_filter.is_rejected:
            statuses = answer.statuses or {node.name: SUCCESS for node in drawn.nodes}
            yield from [(plugin.handle.cluster.info(pod), n) for n, s in statuses.items() if s.is_success][:1]


def extensions(subject: Subject) -> None:
    """Taking a pod away by remove_pod, or bringing it by add_pod, equals PreFilter on a cluster without or with it.

    Terminating pods are left out: upstream's spreading does not count them in PreFilter, but does in AddPod.
    """
    for drawn, cluster, plugin in subject.trials():
        assert isinstance(plugin, fw.PreFilterPlugin)
        if not plugin.has_extensions or not isinstance(plugin, fw.FilterPlugin):
            return
        for pod in map(cluster.info, drawn.pods):
            for key in [k for k, info in cluster.pods.items() if not info.cls.terminating][::5]:
                _check_extension(plugin, cluster, pod, key)


def _check_extension(plugin: Any, cluster: Cluster, pod: Any, key: str) -> None:
    node_name, other = cluster.node_of(key), cluster.pods[key]
    assert node_name is not None
    row = cluster.table.row_of[node_name]
    with_it = plugin.pre_filter(CycleState(), pod)
    present = _verdicts(plugin, cluster, pod, with_it)
    if present is None or with_it.status.is_skip:
        return  # the runtime does not ask then
    taken = plugin.clone(with_it.state)
    view = cluster.view(row)
    view.remove_pod(other)
    assert plugin.remove_pod(taken, pod, other, view).is_success
    actual = _node_verdicts(plugin, cluster, pod, taken, {row: view})
    assert _verdicts(plugin, cluster, pod, with_it) == present, "a clone is independent of its original"
    cluster.drop_pod(key)
    without = plugin.pre_filter(CycleState(), pod)
    expected = _verdicts(plugin, cluster, pod, without)
    cluster.put_pod(other, node_name)
    if expected is not None:
        assert actual == expected, f"remove_pod of {key} equals PreFilter without it"
    view.add_pod(other)
    assert plugin.add_pod(taken, pod, other, view).is_success
    assert _node_verdicts(plugin, cluster, pod, taken, {row: view}) == present, f"add_pod of {key} undoes remove_pod"


def _verdicts(plugin: Any, cluster: Cluster, pod: Any, result: fw.PreFilterResult) -> dict[int, Status] | None:
    """Per node; None where PreFilter refuses, and all success where it skips."""
    if result.status.is_skip:
        return dict.fromkeys(cluster.table.order.tolist(), SUCCESS)
    return _node_verdicts(plugin, cluster, pod, result.state, {}) if result.status.is_success else None


def _node_verdicts(plugin: Any, cluster: Cluster, pod: Any, state: Any, views: dict[int, Any]) -> dict[int, Status]:
    rows = cluster.table.order.tolist()
    return {row: filter_on(plugin, state, pod, views.get(row) or cluster.view(row)) for row in rows}


def unreserve(subject: Subject) -> None:
    for drawn, _cluster, plugin in subject.trials():
        assert isinstance(plugin, fw.ReservePlugin)
        before = msgspec.json.encode(plugin.dump())
        for pod, node in _possible(plugin, drawn):
            cycle = CycleState(1)
            plugin.reserve(cycle, pod, node)
            for _ in range(2):
                plugin.unreserve(cycle, pod, node)
                assert msgspec.json.encode(plugin.dump()) == before, (
                    "unreserve undoes reserve, and does no harm a second time"
                )
