"""Runs the extension points of one profile (framework/runtime/framework.go). This is also the handle of its plugins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts import plugin as fw
from scheduler_core.framework.contracts.behaviours import Behaviours
from scheduler_core.framework.contracts.cycle_state import Cycle
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.handle import WaitingPod
from scheduler_core.framework.contracts.plugin_errors import POST_BIND, PRE_ENQUEUE, UNRESERVE, PluginError, raised
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status, attributed, filter_status, unresolvable
from scheduler_core.framework.contracts.verdicts import ReasonTable
from scheduler_core.framework.contracts.waiting_pod import WaitingPodRecord
from scheduler_core.framework.incremental.class_cache import Answers, KeptClass, KeptClasses
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


class PreFilterOutcome(msgspec.Struct):
    """``status`` of the point as a whole; ``statuses`` and ``nodes`` of each plugin run; ``allowed`` nodes or None."""

    status: Status
    statuses: list[tuple[str, Status, frozenset[str] | None]]
    allowed: frozenset[str] | None
    narrowing: set[str]


class PostFilterOutcome(msgspec.Struct):
    """The merged status, the nomination (see PostFilterResult) and the plugins' own accounts."""

    status: Status
    nominated_node: str | None
    decision: Any
    statuses: list[tuple[str, Status]]


class Framework:
    """One profile at work. Implements interface.Handle for its plugins."""

    def __init__(self, name: str, context: RunContext, percentage_of_nodes_to_score: int | None = None) -> None:
        self.name = name
        self.context = context
        self.cluster = context.cluster
        """The live columns."""
        self.percentage_of_nodes_to_score = percentage_of_nodes_to_score
        self.points = PluginPoints()
        self.unprepared: tuple[fw.ScorePlugin[Any], ...] = ()
        """Score plugins whose PreScore is not run."""
        self.plugins: dict[str, fw.Plugin[Any]] = {}
        self.durations = Durations()
        self.kept = KeptClasses(context.cluster)
        self.nominations = Nominations(self)

    def install(self, plugins: Mapping[str, fw.Plugin[Any]], points: PluginPoints) -> None:
        """Take the plugins, made with this framework as their handle."""
        self.plugins = dict(plugins)
        at = {field: getattr(points, field) for field in PluginPoints.__struct_fields__ if field != "weights"}
        for plugin in plugins.values():
            plugin.points = frozenset([field for field, there in at.items() if plugin in there])
        working = [filter_at_work(plugin, self) for plugin in points.filter]
        self.points = msgspec.structs.replace(points, filter=working)
        self.unprepared = unprepared(points.score)

    # --- the handle ------------------------------------------------------------------------------------------------
    @property
    def reasons(self) -> ReasonTable:
        """The run's reason table."""
        return self.context.reasons

    @property
    def now(self) -> int:
        """Virtual time in microseconds."""
        return self.context.now

    @property
    def keeping(self) -> bool:
        """Whether answers may be kept from cycle to cycle."""
        return self.context.keeping

    @property
    def preemption_candidates_all(self) -> bool:
        """Whether the policies ask preemption to look at every candidate."""
        return self.context.preemption_candidates_all

    @property
    def behaviours(self) -> Behaviours:
        """Which of the reference's behaviours the run follows, where its versions differ."""
        return self.context.behaviours

    def pods(self) -> Mapping[str, Pod]:
        """Every pod that is known, by key."""
        return self.context.pods

    def nominated_pods(self, node_name: str) -> list[PodInfo]:
        """Pending pods nominated to the node."""
        return self.context.nominated(node_name)

    def nominated_nodes(self) -> Iterable[str]:
        """Names of the nodes that pending pods are nominated to."""
        return self.context.nominated_nodes()

    @property
    def nomination_log(self) -> Sequence[str] | None:
        """Names of the nodes whose nominations changed, in order; None where nobody keeps a log."""
        return self.context.nomination_log

    def waiting_pods(self) -> list[WaitingPod]:
        """Pods held by Permit, in order of their arrival there."""
        return list(self.context.waiting.values())

    def activate(self, pods: Iterable[Pod]) -> None:
        """Remember pods for the engine to activate after this step."""
        self.context.to_activate.extend(pods)

    def draw(self, purpose: str, n: int) -> int:
        """A seeded number in [0, n)."""
        return self.context.draw(purpose, n)

    def answers(self, pod: PodInfo) -> KeptClass:
        """What is kept for the pod's class, empty where the run keeps nothing."""
        return self.kept.of(pod) if self.context.keeping else KeptClass((0, 0))

    # --- plugins that raise ----------------------------------------------------------------------------------------
    def failed(self, error: PluginError, pod: PodInfo, cycle: Cycle) -> Status:
        """A plugin raised while it worked for the pod: report it, forget what is kept for the class; the status."""
        self.kept.forget(pod)
        return self.report(error, pod.key, cycle.number)

    def report(self, error: PluginError, pod: str, cycle: int = 0) -> Status:
        """Tell the run of a plugin's exception; it as a status."""
        self.context.on_plugin_error(msgspec.structs.replace(error, pod=pod, cycle=cycle))
        return error.status

    # --- before the filter -----------------------------------------------------------------------------------------
    def run_pre_enqueue(self, pod: Pod) -> Status:
        """The first refusal or error, with its plugin, or success. Both gate the pod."""
        for plugin in self.points.pre_enqueue:
            try:
                status = plugin.pre_enqueue(pod)
                if not status.is_success:
                    return _by(status, plugin)
            except Exception as problem:
                return self.report(PluginError.of(plugin.name, PRE_ENQUEUE, problem), pod.key)
        return SUCCESS

    def run_pre_filter(self, cycle: Cycle, pod: PodInfo) -> PreFilterOutcome:
        """Run PreFilter of all plugins; an unresolvable answer ends it, a plain refusal lets the others run."""
        outcome = PreFilterOutcome(SUCCESS, [], None, set())
        kept = cycle.kept = self.answers(pod)
        known, plugins = kept.pre_filter, self.points.pre_filter
        if known is not None and known.hold:
            if not known.live:
                cycle.skip_filter, cycle.filter_state, outcome.statuses = known.skipped, known.states, known.statuses
                return outcome
            cycle.skip_filter, cycle.filter_state = known.skipped.copy(), known.states.copy()
            outcome.statuses = known.statuses.copy()
            for i in known.live:
                if self._pre_filter(outcome, cycle, pod, plugins[i], i) is None:
                    _as_if_unasked(outcome, cycle, plugins, i + 1)
                    break
            return outcome
        results = []
        for i, plugin in enumerate(plugins):
            result = self._pre_filter(outcome, cycle, pod, plugin, i)
            if result is None:
                return outcome
            results.append((plugin, result))
        if outcome.status.is_success and outcome.allowed is None:
            kept.pre_filter = Answers(results, outcome.statuses, "PreFilter")
        return outcome

    def _pre_filter(
        self, outcome: PreFilterOutcome, cycle: Cycle, pod: PodInfo, plugin: fw.PreFilterPlugin[Any], position: int
    ) -> fw.PreFilterResult | None:
        """Ask one plugin and account for its answer; None where that ends the point."""
        try:
            with self.durations.measure("PreFilter", plugin.name):
                result = plugin.pre_filter(cycle, pod)
            status = _by(result.status, plugin)
        except Exception as problem:
            raise raised(plugin.name, "PreFilter", problem) from problem
        outcome.statuses[position : position + 1] = [(plugin.name, status, result.nodes)]
        if status.code is Code.SKIP:
            cycle.skip_filter.add(plugin.name)
        elif status.code is Code.UNSCHEDULABLE:
            outcome.status = status
        elif status.code is not Code.SUCCESS:
            outcome.status = _pre_filter_failure(status, plugin.name)
            return None
        else:
            cycle.filter_state[plugin.name] = result.state
            if result.nodes is not None and self._narrow(outcome, plugin.name, result.nodes):
                return None
        return result

    def _narrow(self, outcome: PreFilterOutcome, plugin: str, nodes: frozenset[str]) -> bool:
        """Intersect the allowed nodes; whether none are left."""
        outcome.narrowing.add(plugin)
        outcome.allowed = nodes if outcome.allowed is None else outcome.allowed & nodes
        if outcome.allowed:
            return False
        names = sorted(outcome.narrowing)
        text = f"plugin {names[0]}" if len(names) == 1 else f"plugin(s) [{' '.join(names)}] simultaneously"
        outcome.status = unresolvable(f"node(s) didn't satisfy {text}")
        return True

    # --- filters on one node ---------------------------------------------------------------------------------------
    def active_filters(self, cycle: Cycle) -> list[fw.FilterPlugin[Any]]:
        """Filter plugins that were not skipped by their PreFilter."""
        return [p for p in self.points.filter if p.name not in cycle.skip_filter]

    def run_filters_on(self, cycle: Cycle, pod: PodInfo, node: NodeView) -> Status:
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

    def run_filters_with_nominated(self, cycle: Cycle, pod: PodInfo, node: NodeView) -> Status:
        """Filters with nominated pods of equal or higher priority counted in, then without."""
        status = self.run_filters_nominated_pass(cycle, pod, node)
        if status is not None and not status.is_success:
            return status
        return self.run_filters_on(cycle, pod, node)

    def run_filters_nominated_pass(self, cycle: Cycle, pod: PodInfo, node: NodeView) -> Status | None:
        """The pass with nominated pods counted in; None when there are none to count."""
        rivals = [n for n in self.nominated_pods(node.name) if n.pod.priority >= pod.pod.priority and n.key != pod.key]
        if not rivals:
            return None
        with_nominated, view = self.clone_cycle(cycle), node.copy()
        for rival in rivals:
            view.add_pod(rival)
            status = self.pre_filter_add(with_nominated, pod, rival, view)
            if not status.is_success:
                return status
        return self.run_filters_on(with_nominated, pod, view)

    def clone_cycle(self, cycle: Cycle) -> Cycle:
        """A cycle whose PreFilter state may be changed by add_pod and remove_pod."""
        copy = Cycle(cycle.number)
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

    def pre_filter_add(self, cycle: Cycle, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Tell all PreFilter plugins with extensions that ``other`` came to the node."""
        return self._extend("add_pod", cycle, pod, other, node)

    def pre_filter_remove(self, cycle: Cycle, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Tell all PreFilter plugins with extensions that ``other`` left the node."""
        return self._extend("remove_pod", cycle, pod, other, node)

    def _extend(self, method: str, cycle: Cycle, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Whatever is no success is an error, as upstream has it."""
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
    def run_post_filter(self, cycle: Cycle, pod: PodInfo, outcome: FilterOutcome) -> PostFilterOutcome:
        """The first success or error ends it; otherwise the refusals are merged (RunPostFilterPlugins)."""
        merged = PostFilterOutcome(SUCCESS, None, None, [])
        reasons: list[str] = []
        rejector = ""
        for plugin in self.points.post_filter:
            try:
                with self.durations.measure("PostFilter", plugin.name):
                    result = plugin.post_filter(cycle, pod, outcome)
                status = _by(result.status, plugin)
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

    def run_reserve(self, cycle: Cycle, pod: PodInfo, node_name: str) -> Status:
        """Reserve in order; the first that is no success ends it (the caller unreserves)."""
        for plugin in self.points.reserve:
            try:
                status = plugin.reserve(cycle, pod, node_name)
                if not status.is_success:
                    return attributed(status, plugin.name, f'running Reserve plugin "{plugin.name}"')
            except Exception as problem:
                return self.failed(PluginError.of(plugin.name, "Reserve", problem), pod, cycle)
        return SUCCESS

    def run_unreserve(self, cycle: Cycle, pod: PodInfo, node_name: str) -> None:
        """Unreserve in reverse order, all of them whatever one raises."""
        for plugin in reversed(self.points.reserve):
            try:
                plugin.unreserve(cycle, pod, node_name)
            except Exception as problem:
                self.failed(PluginError.of(plugin.name, UNRESERVE, problem), pod, cycle)

    def run_permit(self, cycle: Cycle, pod: PodInfo, node_name: str) -> tuple[Status, WaitingPodRecord | None]:
        """Success, a refusal, or WAIT with the record of the waiting pod."""
        deadlines: dict[str, int] = {}
        for plugin in self.points.permit:
            try:
                status, timeout = plugin.permit(cycle, pod, node_name)
                if status.code is Code.WAIT:
                    deadlines[plugin.name] = self.now + int(min(timeout, MAX_PERMIT_SECONDS) * 1_000_000)
                elif not status.is_success:
                    return attributed(status, plugin.name, f'running Permit plugin "{plugin.name}"'), None
            except Exception as problem:
                return self.failed(PluginError.of(plugin.name, "Permit", problem), pod, cycle), None
        if not deadlines:
            return SUCCESS, None
        return Status(Code.WAIT), WaitingPodRecord(pod, node_name, cycle.number, deadlines, self.context.current_cause)

    def run_pre_bind(self, cycle: Cycle, pod: PodInfo, node_name: str) -> Status:
        """PreBind in order; the first that is no success ends it."""
        for plugin in self.points.pre_bind:
            try:
                status = plugin.pre_bind(cycle, pod, node_name)
                if not status.is_success:
                    return attributed(status, plugin.name, f'running PreBind plugin "{plugin.name}"')
            except Exception as problem:
                return self.failed(PluginError.of(plugin.name, "PreBind", problem), pod, cycle)
        return SUCCESS

    def run_bind(self, cycle: Cycle, pod: PodInfo, node_name: str) -> Status:
        """The first bind plugin that does not skip decides."""
        for plugin in self.points.bind:
            try:
                status = plugin.bind(cycle, pod, node_name)
                if status.is_success:
                    return status
                if not status.is_skip:
                    return attributed(status, plugin.name, f'running Bind plugin "{plugin.name}"')
            except Exception as problem:
                return self.failed(PluginError.of(plugin.name, "Bind", problem), pod, cycle)
        return Status(Code.ERROR, ("no bind plugin took the pod",))

    def run_post_bind(self, cycle: Cycle, pod: PodInfo, node_name: str) -> None:
        """Inform all, whatever one raises: the pod is bound."""
        for plugin in self.points.post_bind:
            try:
                plugin.post_bind(cycle, pod, node_name)
            except Exception as problem:
                self.failed(PluginError.of(plugin.name, POST_BIND, problem), pod, cycle)


_EXTENSION = "PreFilterExtension"
_OPERATIONS = {"add_pod": "AddPod", "remove_pod": "RemovePod"}
MAX_PERMIT_SECONDS = 15 * 60
"""Upstream caps every permit time-out (runtime maxTimeout)."""


def _by(status: Status, plugin: fw.Plugin[Any]) -> Status:
    """The status with the plugin's name, which is of no interest where it did not refuse."""
    if status.code is Code.SUCCESS or status.code is Code.SKIP or status.plugin:
        return status
    return Status(status.code, status.reasons, plugin.name)


def _as_if_unasked(
    outcome: PreFilterOutcome, cycle: Cycle, plugins: Sequence[fw.PreFilterPlugin[Any]], first: int
) -> None:
    """Take back the lasting answers of the plugins behind the one that ended the point."""
    del outcome.statuses[first:]
    for plugin in plugins[first:]:
        cycle.skip_filter.discard(plugin.name)
        cycle.filter_state.pop(plugin.name, None)


def _pre_filter_failure(status: Status, name: str) -> Status:
    if status.is_rejected:
        return status
    return Status(Code.ERROR, (f'running PreFilter plugin "{name}": {status.message}',), name)
