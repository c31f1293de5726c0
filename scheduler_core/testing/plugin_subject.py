"""A plugin under examination: how to make it on a cluster, and what it answers there, by node name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import msgspec
import numpy as np

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts import plugin as fw
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.normalizers import normalize
from scheduler_core.framework.contracts.status import SUCCESS, Status
from scheduler_core.framework.contracts.verdicts import Rows
from scheduler_core.testing.agreement import filter_statuses
from scheduler_core.testing.fake_handle import FakeHandle
from scheduler_core.testing.generated import GeneratedCluster, sample

N_SAMPLES = 5


class SubjectAnswer(msgspec.Struct):
    """What a plugin says of one pod. ``statuses`` of the filter, ``raw`` and ``normal`` scores by node name.

    None where the plugin has no such point, skips it, or refused the pod before; ``pre_filter`` and ``pre_score`` tell.
    """

    pre_filter: Status = SUCCESS
    nodes: frozenset[str] | None = None
    statuses: dict[str, Status] | None = None
    pre_score: Status = SUCCESS
    raw: dict[str, int] | None = None
    normal: dict[str, int] | None = None


class Subject:
    """A plugin class with its arguments (None: the defaults) and the generated clusters that it is tried on."""

    def __init__(self, plugin_type: type[fw.Plugin[Any]], args: Any = None, n_samples: int = N_SAMPLES) -> None:
        self.plugin_type = plugin_type
        self._args = args
        self._n_samples = n_samples

    @property
    def args(self) -> Any:
        """The arguments. Raises TypeError where the defaults make none."""
        return self.plugin_type.Args() if self._args is None else self._args

    @cached_property
    def samples(self) -> list[GeneratedCluster]:
        """The clusters, the same every time."""
        return [sample(seed) for seed in range(self._n_samples)]

    def on(self, cluster: Cluster) -> fw.Plugin[Any]:
        """A new plugin at work on the cluster."""
        return self.plugin_type(self.args, FakeHandle(cluster))

    def has(self, point: type[fw.Plugin[Any]]) -> bool:
        """Whether the plugin takes part in an extension point."""
        return issubclass(self.plugin_type, point)

    def trials(self) -> Iterator[tuple[GeneratedCluster, Cluster, fw.Plugin[Any]]]:
        """Each sample with a cluster and a plugin of its own."""
        for drawn in self.samples:
            cluster = drawn.cluster()
            yield drawn, cluster, self.on(cluster)


def answers(plugin: fw.Plugin[Any], pods: Sequence[Any], only: Sequence[str] | None = None) -> list[SubjectAnswer]:
    """What the plugin says of each pod, on all nodes or on those named."""
    cluster = plugin.handle.cluster
    rows = cluster.table.order if only is None else cluster.rows_of(only)
    return [answer(plugin, cluster.info(pod), rows) for pod in pods]


def answer(plugin: fw.Plugin[Any], pod: PodInfo, rows: Rows) -> SubjectAnswer:
    """What the plugin says of a pod on the rows, by the vectorised form."""
    subject_answer = SubjectAnswer()
    names = [plugin.handle.cluster.name_of(row) for row in rows.tolist()]
    state = None
    if isinstance(plugin, fw.PreFilterPlugin):
        result = plugin.pre_filter(CycleState(), pod)
        subject_answer.pre_filter, subject_answer.nodes, state = result.status, result.nodes, result.state
    if isinstance(plugin, fw.FilterPlugin) and subject_answer.pre_filter.is_success:
        subject_answer.statuses = dict(zip(names, filter_statuses(plugin, state, pod, rows), strict=True))
    if isinstance(plugin, fw.ScorePlugin):
        _score(plugin, pod, rows, names, subject_answer)
    return subject_answer


def _score(
    plugin: fw.ScorePlugin[Any], pod: PodInfo, rows: Rows, names: list[str], subject_answer: SubjectAnswer
) -> None:
    state = None
    if isinstance(plugin, fw.PreScorePlugin):
        result = plugin.pre_score(CycleState(), pod, rows)
        subject_answer.pre_score, state = result.status, result.state
    if not subject_answer.pre_score.is_success:
        return
    raw = plugin.score(state, pod, rows)
    assert raw.dtype == np.int64, f"{plugin.name}: scores must be int64, not {raw.dtype}"
    subject_answer.raw = dict(zip(names, raw.tolist(), strict=True))
    if plugin.normalizer is not None:
        different = plugin.normalizer(np.unique(raw))
        assert different == plugin.normalizer(raw), f"{plugin.name}: normalizer must not count, or mind the order"
    normal = normalize(plugin.normalize(state, pod, rows, raw), raw)
    subject_answer.normal = dict(zip(names, normal.tolist(), strict=True))


def filter_on(plugin: fw.FilterPlugin[Any], state: Any, pod: PodInfo, view: NodeView) -> Status:
    """The per-node form's verdict without the plugin's name."""
    status = plugin.filter_node(state, pod, view)
    return Status(status.code, status.reasons)
