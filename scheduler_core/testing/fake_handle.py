"""A Handle for tests of single plugins: a cluster, a clock that stands still, and filters to run if any are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scheduler_core.api.objects import Pod
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.behaviours import Behaviours
from scheduler_core.framework.contracts.cycle_state import Cycle
from scheduler_core.framework.contracts.handle import WaitingPod
from scheduler_core.framework.contracts.plugin import FilterPlugin, PreFilterPlugin
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status
from scheduler_core.framework.contracts.verdicts import ReasonTable


class FakeHandle:
    """Implements interface.Handle. Set ``filters``, ``nominated``, ``pending`` and ``waiting`` as a test needs them;
    ``activated`` collects what plugins asked to activate. Draws are always 0, the policy of smallest names."""

    def __init__(self, cluster: Cluster | None = None, now: int = 0) -> None:
        self.cluster = Cluster() if cluster is None else cluster
        self.reasons = ReasonTable()
        self.now = now
        self.filters: Sequence[FilterPlugin[Any]] = ()
        self.nominated: Mapping[str, Iterable[PodInfo]] = {}
        self.keeping = True
        self.behaviours = Behaviours()
        self.nomination_log: Sequence[str] | None = None
        self.preemption_candidates_all = False
        self.waiting: list[WaitingPod] = []
        self.pending: Iterable[Pod] = ()
        self.activated: list[Pod] = []

    def pods(self) -> Mapping[str, Pod]:
        """The placed pods, and those that the test said are ``pending``."""
        return {key: info.pod for key, info in self.cluster.pods.items()} | {pod.key: pod for pod in self.pending}

    def nominated_pods(self, node_name: str) -> list[PodInfo]:
        """The pods that the test nominated to the node."""
        return list(self.nominated.get(node_name, ()))

    def nominated_nodes(self) -> Iterable[str]:
        """Names of the nodes that the test nominated pods to."""
        return self.nominated.keys()

    def waiting_pods(self) -> list[WaitingPod]:
        """The pods that the test said are waiting."""
        return self.waiting

    def activate(self, pods: Iterable[Pod]) -> None:
        """Remember the pods."""
        self.activated.extend(pods)

    def active_filters(self, cycle: Cycle) -> list[FilterPlugin[Any]]:
        """The filters that the cycle does not skip."""
        return [plugin for plugin in self.filters if plugin.name not in cycle.skip_filter]

    def clone_cycle(self, cycle: Cycle) -> Cycle:
        """A copy with clones of the states of filters with extensions."""
        copy = Cycle(cycle.number)
        copy.skip_filter, copy.extra = cycle.skip_filter, cycle.extra
        copy.filter_state = dict(cycle.filter_state)
        for plugin in self._with_extensions(cycle):
            copy.filter_state[plugin.name] = plugin.clone(cycle.filter_state.get(plugin.name))
        return copy

    def run_filters_with_nominated(self, cycle: Cycle, pod: PodInfo, node: NodeView) -> Status:
        """First refusal of ``filters`` on the node as it is; a fake does not count nominated pods."""
        for plugin in self.filters:
            if plugin.name in cycle.skip_filter:
                continue
            status = plugin.filter_node(cycle.filter_state.get(plugin.name), pod, node)
            if status.code is not Code.SUCCESS:
                return Status(status.code, status.reasons, plugin.name)
        return SUCCESS

    def pre_filter_add(self, cycle: Cycle, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Tell every filter with extensions that ``other`` came to the node."""
        for plugin in self._with_extensions(cycle):
            plugin.add_pod(cycle.filter_state.get(plugin.name), pod, other, node)
        return SUCCESS

    def pre_filter_remove(self, cycle: Cycle, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Tell every filter with extensions that ``other`` left the node."""
        for plugin in self._with_extensions(cycle):
            plugin.remove_pod(cycle.filter_state.get(plugin.name), pod, other, node)
        return SUCCESS

    def draw(self, purpose: str, n: int) -> int:
        """Always 0."""
        return 0

    def _with_extensions(self, cycle: Cycle) -> list[PreFilterPlugin[Any]]:
        return [
            plugin
            for plugin in self.filters
            if isinstance(plugin, PreFilterPlugin) and plugin.has_extensions and plugin.name not in cycle.skip_filter
        ]
