"""A Handle for tests of single plugins: a cluster, a clock that stands still, and filters to run if any are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.plugin import FilterPlugin, PreFilterPlugin
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status


class FakeHandle:
    """Implements contracts.handle.Handle. Set ``filters`` and the fields of ``run`` as a test needs them.

    ``run`` begins with the placed pods, a clock that stands still, and draws that are always 0 (the policy of smallest
    names); ``run.to_activate`` collects what plugins asked to activate.
    """

    def __init__(self, cluster: Cluster | None = None, now: int = 0) -> None:
        self.cluster = Cluster() if cluster is None else cluster
        self.run = RunContext(self.cluster, draw_smallest=True)
        self.run.now = now
        self.run.pods = {key: info.pod for key, info in self.cluster.pods.items()}
        self.filters: Sequence[FilterPlugin[Any]] = ()

    def active_filters(self, cycle: CycleState) -> list[FilterPlugin[Any]]:
        """The filters that the cycle does not skip."""
        return [plugin for plugin in self.filters if plugin.name not in cycle.skip_filter]

    def clone_cycle(self, cycle: CycleState) -> CycleState:
        """A copy with clones of the states of filters with extensions."""
        copy = CycleState(cycle.number)
        copy.skip_filter, copy.extra = cycle.skip_filter, cycle.extra
        copy.filter_state = dict(cycle.filter_state)
        for plugin in self._with_extensions(cycle):
            copy.filter_state[plugin.name] = plugin.clone(cycle.filter_state.get(plugin.name))
        return copy

    def run_filters_with_nominated(self, cycle: CycleState, pod: PodInfo, node: NodeView) -> Status:
        """First refusal of ``filters`` on the node as it is; a fake does not count nominated pods."""
        for plugin in self.filters:
            if plugin.name in cycle.skip_filter:
                continue
            status = plugin.filter_node(cycle.filter_state.get(plugin.name), pod, node)
            if status.code is not Code.SUCCESS:
                return Status(status.code, status.reasons, plugin.name)
        return SUCCESS

    def pre_filter_add(self, cycle: CycleState, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Tell every filter with extensions that ``other`` came to the node."""
        for plugin in self._with_extensions(cycle):
            plugin.add_pod(cycle.filter_state.get(plugin.name), pod, other, node)
        return SUCCESS

    def pre_filter_remove(self, cycle: CycleState, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Tell every filter with extensions that ``other`` left the node."""
        for plugin in self._with_extensions(cycle):
            plugin.remove_pod(cycle.filter_state.get(plugin.name), pod, other, node)
        return SUCCESS

    def _with_extensions(self, cycle: CycleState) -> list[PreFilterPlugin[Any]]:
        return [
            plugin
            for plugin in self.filters
            if isinstance(plugin, PreFilterPlugin) and plugin.has_extensions and plugin.name not in cycle.skip_filter
        ]
