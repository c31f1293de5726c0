"""Runs the extension points of one profile (framework/runtime/framework.go). This is also the handle of its plugins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts import plugin as fw
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.plugin_errors import PRE_ENQUEUE, PluginError, raised
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status, filter_status, of_plugin
from scheduler_core.framework.runtime.durations import Durations
from scheduler_core.framework.runtime.missing_state import filter_at_work, unprepared
from scheduler_core.framework.runtime.nominations import Nominations


class PluginPoints(msgspec.Struct, kw_only=True):
    """The plugins of a profile by extension point, in order; ``weights`` by score plugin."""

    pre_enqueue: list[fw.PreEnqueuePlugin[Any]] = []
    queue_sort: list[fw.QueueSortPlugin[Any]] = []
    pre_filter: list[fw.PreFilterPlugin[Any]] = []
    filter: list[fw.FilterPlugin[Any]] = []
    post_filter: list[fw.PostFilterPlugin[Any]] = []
    pre_score: list[fw.PreScorePlugin[Any]] = []
    score: list[fw.ScorePlugin[Any]] = []
    reserve: list[fw.ReservePlugin[Any]] = []
    permit: list[fw.PermitPlugin[Any]] = []
    pre_bind: list[fw.PreBindPlugin[Any]] = []
    bind: list[fw.BindPlugin[Any]] = []
    post_bind: list[fw.PostBindPlugin[Any]] = []
    weights: dict[str, int] = {}


class PostFilterOutcome(msgspec.Struct):
    """The merged status, the nomination (see PostFilterResult), and what each plugin reports of its decision."""

    status: Status
    nominated_node: str | None
    decision: Any
    statuses: list[tuple[str, Status]]


class Framework:
    """One profile at work. Implements contracts.handle.Handle for its plugins."""

    def __init__(self, name: str, run: RunContext, percentage_of_nodes_to_score: int | None = None) -> None:
        self.name = name
        self.run = run
        self.cluster = run.cluster
        """The live columns."""
        self.percentage_of_nodes_to_score = percentage_of_nodes_to_score
        self.points = PluginPoints()
        self.unprepared: tuple[fw.ScorePlugin[Any], ...] = ()
        """Score plugins whose PreScore is not run."""
        self.plugins: dict[str, fw.Plugin[Any]] = {}
        self.durations = Durations()
        self.forget: Callable[[PodInfo], None] = lambda pod: None
        """Called with every pod that a plugin failed for: what is cached for its class may be left half renewed."""
        self.nominations = Nominations(run)

    def install(self, plugins: Mapping[str, fw.Plugin[Any]], points: PluginPoints) -> None:
        """Take the plugins, made with this framework as their handle."""
        self.plugins = dict(plugins)
        at = {field: getattr(points, field) for field in PluginPoints.__struct_fields__ if field != "weights"}
        for plugin in plugins.values():
            plugin.points = frozenset([field for field, there in at.items() if plugin in there])
        working = [filter_at_work(plugin, self) for plugin in points.filter]
        self.points = msgspec.structs.replace(points, filter=working)
        self.unprepared = unprepared(points.score)

    # --- plugins that raise ----------------------------------------------------------------------------------------
    def failed(self, error: PluginError, pod: PodInfo, cycle: CycleState) -> Status:
        """A plugin raised while it worked for the pod: report it, forget what is cached for the class; the status."""
        self.forget(pod)
        return self.report(error, pod.key, cycle.number)

    def report(self, error: PluginError, pod: str, cycle: int = 0) -> Status:
        """Report a plugin's exception to the run. Returns it as a status."""
        self.run.on_plugin_error(msgspec.structs.replace(error, pod=pod, cycle=cycle))
        return error.status

    # --- before the filter -----------------------------------------------------------------------------------------
    def run_pre_enqueue(self, pod: Pod) -> Status:
        """The first refusal or error, with its plugin, or success. Both gate the pod."""
        for plugin in self.points.pre_enqueue:
            try:
                status = plugin.pre_enqueue(pod)
                if status is not SUCCESS and not status.is_success:
                    return of_plugin(status, plugin.name)
            except Exception as problem:
                return self.report(PluginError.of(plugin.name, PRE_ENQUEUE, problem), pod.key)
        return SUCCESS

    # --- filters on one node ---------------------------------------------------------------------------------------
    def active_filters(self, cycle: CycleState) -> list[fw.FilterPlugin[Any]]:
        """Filter plugins that were not skipped by their PreFilter."""
        return [p for p in self.points.filter if p.name not in cycle.skip_filter]

    def run_filters_on(self, cycle: CycleState, pod: PodInfo, node: NodeView) -> Status:
        """The first refusal on one node, or success (RunFilterPlugins)."""
        name = ""
        try:
            for plugin in self.active_filters(cycle):
                name = plugin.name
                status = plugin.filter_node(cycle.filter_state.get(name), pod, node)
                if not status.is_success:
                    return filter_status(status, name)
        except Exception as problem:
            raise raised(name, "Filter", problem) from problem
        return SUCCESS

    def run_filters_with_nominated(self, cycle: CycleState, pod: PodInfo, node: NodeView) -> Status:
        """Filters with nominated pods of equal or higher priority counted in, then without."""
        status = self.run_filters_nominated_pass(cycle, pod, node)
        if status is not None and not status.is_success:
            return status
        return self.run_filters_on(cycle, pod, node)

    def run_filters_nominated_pass(self, cycle: CycleState, pod: PodInfo, node: NodeView) -> Status | None:
        """The pass with nominated pods counted in; None when there are none to count."""
        nominated = self.run.nominated_pods(node.name)
        rivals = [n for n in nominated if n.pod.priority >= pod.pod.priority and n.key != pod.key]
        if not rivals:
            return None
        with_nominated, view = self.clone_cycle(cycle), node.copy()
        for rival in rivals:
            view.add_pod(rival)
            status = self.pre_filter_add(with_nominated, pod, rival, view)
            if not status.is_success:
                return status
        return self.run_filters_on(with_nominated, pod, view)

    def clone_cycle(self, cycle: CycleState) -> CycleState:
        """A cycle whose PreFilter state may be changed by add_pod and remove_pod."""
        copy = CycleState(cycle.number)
        copy.skip_filter = cycle.skip_filter
        copy.extra = cycle.extra
        copy.filter_state = dict(cycle.filter_state)
        for plugin in self.points.pre_filter:
            if plugin.has_extensions and plugin.name in cycle.filter_state:
                try:
                    copy.filter_state[plugin.name] = plugin.clone(cycle.filter_state[plugin.name])
                except Exception as problem:
                    raise raised(plugin.name, f"{_EXTENSION}Clone", problem) from problem
        return copy

    def pre_filter_add(self, cycle: CycleState, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Tell all PreFilter plugins with extensions that ``other`` came to the node."""
        return self._extend("add_pod", cycle, pod, other, node)

    def pre_filter_remove(self, cycle: CycleState, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Tell all PreFilter plugins with extensions that ``other`` left the node."""
        return self._extend("remove_pod", cycle, pod, other, node)

    def _extend(self, method: str, cycle: CycleState, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Call an extension of every PreFilter plugin. Any status but success is an error, as upstream."""
        name = ""
        try:
            for plugin in self.points.pre_filter:
                if plugin.has_extensions and plugin.name not in cycle.skip_filter:
                    name = plugin.name
                    status: Status = getattr(plugin, method)(cycle.filter_state.get(name), pod, other, node)
                    if not status.is_success:
                        text = f'running {_OPERATIONS[method]} on PreFilter plugin "{name}": {status.message}'
                        return Status(Code.ERROR, (text,), name)
        except Exception as problem:
            raise raised(name, f"{_EXTENSION}{_OPERATIONS[method]}", problem) from problem
        return SUCCESS

    # --- after the filter ------------------------------------------------------------------------------------------
    def run_post_filter(self, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> PostFilterOutcome:
        """The first success or error ends it; otherwise the refusals are merged (RunPostFilterPlugins)."""
        merged = PostFilterOutcome(SUCCESS, None, None, [])
        reasons: list[str] = []
        rejector = ""
        for plugin in self.points.post_filter:
            try:
                started = perf_counter() if cycle.is_measured else None
                result = plugin.post_filter(cycle, pod, outcome)
                status = of_plugin(result.status, plugin.name)
                if started is not None:
                    self.durations.add("PostFilter", plugin.name, perf_counter() - started, status.code.label)
            except Exception as problem:
                raise raised(plugin.name, "PostFilter", problem) from problem
            merged.statuses.append((plugin.name, status))
            merged.decision = result.decision or merged.decision
            if status.is_success or status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
                merged.status, merged.nominated_node = status, result.nominated_node
                return merged
            if not status.is_rejected:
                merged.status, merged.nominated_node = status, None
                return merged
            if result.nominated_node is not None:
                merged.nominated_node = result.nominated_node
            reasons.extend(status.reasons)
            rejector = rejector or plugin.name
        merged.status = Status(Code.UNSCHEDULABLE, tuple(reasons), rejector)
        return merged


_EXTENSION = "PreFilterExtension"
_OPERATIONS = {"add_pod": "AddPod", "remove_pod": "RemovePod"}
