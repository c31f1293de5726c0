"""Spreads matching pods over topology domains: hard constraints filter, soft ones score.

Mirrors PodTopologySpread of kube-scheduler v1.34. Known differences: the raw score of an ignored node is -1 from the
start (upstream says 0 and marks it when normalising); a controller is recognised by kind and name, without its API
group.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from scheduler_core.api.objects import Node, Pod
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodClass, PodInfo
from scheduler_core.framework.contracts import normalizers as normalize
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.facts import Facts
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import (
    EnqueueExtension,
    FilterPlugin,
    PluginCache,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    PreScoreResult,
    ScorePlugin,
)
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, Status
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import Rows, Scores, Verdicts
from scheduler_core.framework.plugin_helpers.node_selectors import GenerationMemo, label_values, same_pod
from scheduler_core.plugins.pod_topology_spread import facts, filtering, scoring
from scheduler_core.plugins.pod_topology_spread.common import (
    DO_NOT_SCHEDULE,
    HONOR,
    SCHEDULE_ANYWAY,
    SYSTEM,
    Constraints,
    NodeSets,
    Participation,
    PodTopologySpreadArgs,
    Workloads,
    selects,
    spread_constraints,
    topology_keys,
)

NAME = "PodTopologySpread"

_POD_ACTIONS = ActionType.ADD | ActionType.UPDATE_POD_LABEL | ActionType.UPDATE_POD_TOLERATION | ActionType.DELETE
_NODE_ACTIONS = ActionType.ADD | ActionType.DELETE | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_TAINT

Parts = tuple[Participation, ...]


class PodTopologySpread(
    PreFilterPlugin[PodTopologySpreadArgs],
    FilterPlugin[PodTopologySpreadArgs],
    PreScorePlugin[PodTopologySpreadArgs],
    ScorePlugin[PodTopologySpreadArgs],
    EnqueueExtension[PodTopologySpreadArgs],
):
    """Hard and soft topology spread constraints, the pod's own or the default ones."""

    name = NAME
    title = "A topology spread constraint is not met"
    obstacles = kinds("SPREAD_SKEW", "SPREAD_KEY_MISSING", "SPREAD_MIN_DOMAINS")
    wakes = ("Pod add or delete", "Pod label change", "Node add or delete", "Node label change")
    Args = PodTopologySpreadArgs
    traits = Traits(node_local=False)
    without_pre_filter = 'reading "PreFilterPodTopologySpread" from cycleState: not found'
    without_pre_score = 'error reading "PreScorePodTopologySpread" from cycleState: not found'
    normalizer = staticmethod(normalize.spread)
    """Reversed and stretched, 0 on ignored nodes."""
    has_extensions = True

    def __init__(self, args: PodTopologySpreadArgs, handle: Handle) -> None:
        super().__init__(args, handle)
        self._node_sets = NodeSets(handle.cluster)
        self._workloads: GenerationMemo[Workloads] = GenerationMemo()
        self._hard: GenerationMemo[filtering.HardState] = GenerationMemo()
        self._soft: GenerationMemo[scoring.SoftState] = GenerationMemo()

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """Pods and nodes that may change the count in a domain, or the domains."""
        return (
            EventWithHint(ClusterEvent(Resource.POD, _POD_ACTIONS), self._after_pod_change),
            EventWithHint(ClusterEvent(Resource.NODE, _NODE_ACTIONS), self._after_node_change),
        )

    def pre_filter(self, cycle: CycleState, pod: PodInfo) -> PreFilterResult:
        """State: the hard constraints with counts that follow the cluster; SKIP without any."""
        state = self._hard.get(self._stamp, pod.cls.id, lambda: self._hard_state(pod.cls))
        return PreFilterResult(state=state, cacheable=True) if state.spreads else PreFilterResult(SKIP, cacheable=True)

    def clone(self, state: filtering.HardState) -> filtering.HardState:
        """A copy that add_pod and remove_pod may change."""
        return state.clone()

    def add_pod(self, state: filtering.HardState, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Count ``other`` in its domains."""
        for spread in state.spreads:
            spread.update(pod, other, node.row, 1)
        return SUCCESS

    def remove_pod(self, state: filtering.HardState, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Take ``other`` out of its domains."""
        for spread in state.spreads:
            spread.update(pod, other, node.row, -1)
        return SUCCESS

    def alike(self, state: Any, pod: PodInfo, rows: Rows) -> Rows:
        """Rows of the same domains."""
        keys = [spread.part.constraint.topology_key for spread in state.spreads]
        return label_values(self.handle.cluster.table, keys, rows)

    def filter(self, state: filtering.HardState, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """Refuses where the pod would exceed maxSkew; unresolvable where a topology key is missing."""
        return filtering.verdicts(state, rows, self.handle.run.reasons)

    def filter_delta(
        self, state: filtering.HardState, pod: PodInfo, cache: PluginCache
    ) -> tuple[filtering.Pieces | None, Verdicts | None]:
        """The rows of domains whose verdict changed."""
        return filtering.verdict_delta(state, self.handle.cluster.table.order, cache, self.handle.run.reasons)

    def filter_node(self, state: filtering.HardState, pod: PodInfo, node: NodeView) -> Status:
        """The first hard constraint that the node fails."""
        return filtering.verdict(state, node)

    def filter_facts(self, state: filtering.HardState, pod: PodInfo, node: NodeView) -> Facts:
        """Each hard constraint with the pods by domain."""
        state.sync()
        return tuple(facts.hard_fact(spread, node, self.handle.cluster.table) for spread in state.spreads)

    def score_facts(self, state: scoring.SoftState, pod: PodInfo, node: NodeView) -> Facts:
        """Each soft constraint with what it adds; nothing for a node that is ignored."""
        if state.counted is not None and not state.counted[node.row]:
            return ()
        return tuple(facts.soft_fact(spread, node, self.handle.cluster.table) for spread in state.spreads)

    def pre_score(self, cycle: CycleState, pod: PodInfo, rows: Rows) -> PreScoreResult:
        """State: the soft constraints with counts as they are now and weights for these rows; SKIP without any."""
        state = self._soft.get(self._stamp, pod.cls.id, lambda: self._soft_state(pod.cls))
        if not state.spreads:
            return PreScoreResult(SKIP, cacheable=True)
        state.sync(rows)
        return PreScoreResult(state=state)

    def score(self, state: scoring.SoftState, pod: PodInfo, rows: Rows) -> Scores:
        """Weighted matching pods in the domains of each row, -1 on ignored nodes; low is good."""
        return scoring.raw_scores(state, rows)

    def score_delta(
        self, state: scoring.SoftState, pod: PodInfo, feasible: Rows, cache: PluginCache
    ) -> tuple[Rows | None, Scores]:
        """The rows of domains whose count changed; all when the weight of a topology did."""
        return scoring.score_delta(state, cache)

    def score_node(self, state: scoring.SoftState, pod: PodInfo, node: NodeView) -> int:
        """Weighted matching pods in the node's domains, -1 when it is ignored."""
        return scoring.raw_score(state, node)

    # --- derived from pod class, nodes and listers; kept while these stay the same -----------------------------------
    @property
    def _stamp(self) -> tuple[int, int]:
        return self.handle.cluster.table.static_generation, self.handle.cluster.listers.generation

    def _hard_state(self, cls: PodClass) -> filtering.HardState:
        pod = cls.example
        constraints = self._constraints(pod, DO_NOT_SCHEDULE)
        return filtering.HardState.of(self._parts(pod, constraints, topology_keys(constraints)), self.handle.cluster)

    def _soft_state(self, cls: PodClass) -> scoring.SoftState:
        """With the nodes that are not ignored; by the system's defaults, also those that lack a key are kept."""
        pod, sets, cluster = cls.example, self._node_sets, self.handle.cluster
        constraints = self._constraints(pod, SCHEDULE_ANYWAY)
        by_default = not pod.topology_spread_constraints and self.args.defaulting_type == SYSTEM
        keys = () if by_default else topology_keys(constraints)
        parts = self._parts(pod, constraints, keys)
        spreads = tuple(scoring.SoftSpread(part, sets, cluster) for part in parts)
        return scoring.SoftState(cluster.table, spreads, None if by_default else sets.with_keys(keys))

    def _parts(self, pod: Pod, constraints: Constraints, keys: tuple[str, ...]) -> Parts:
        label = self.handle.cluster.table.label
        return tuple(
            Participation(pod, c, self._node_sets.get(pod, c, keys), label(c.topology_key).index.get(""))
            for c in constraints
        )

    def _constraints(self, pod: Pod, action: str) -> Constraints:
        listers = self.handle.cluster.listers
        make = partial(Workloads, listers.workload_selectors.values())
        return spread_constraints(pod, self._workloads.get(listers.generation, NAME, make), self.args, action)

    # --- queueing hints ----------------------------------------------------------------------------------------------
    def _after_pod_change(self, pod: Pod, old: Any, new: Any) -> Hint:
        """Queue when a pod that counts for a hard constraint came, went or changed sides."""
        nominated = self.handle.run.behaviours.affinity_hints_see_more
        if any(changed is not None and not _concerns(changed, pod, nominated=nominated) for changed in (old, new)):
            return Hint.SKIP
        constraints = self._constraints(pod, DO_NOT_SCHEDULE)
        if old is not None and new is not None:
            return _after_pod_update(pod, old, new, constraints)
        labels = (old if new is None else new).labels
        return _queue_if(any(selects(c.label_selector, labels) for c in constraints))

    def _after_node_change(self, pod: Pod, old: Node | None, new: Node | None) -> Hint:
        """Queue when a node with all topology keys came or went, or such a node moved or changed its taints."""
        keys = topology_keys(self._constraints(pod, DO_NOT_SCHEDULE))
        had, has = (node is not None and all(key in node.labels for key in keys) for node in (old, new))
        if old is None or new is None:
            return _queue_if(has or had)
        moved = any(old.labels.get(key, "") != new.labels.get(key, "") for key in keys)
        return _queue_if(had != has or (has and (moved or old.taints != new.taints)))


def _concerns(changed: Pod, pod: Pod, *, nominated: bool) -> bool:
    """Whether the changed pod is the pending one itself, or is assigned (or ``nominated``) in its namespace."""
    has_place = bool(changed.node_name or (nominated and changed.nominated_node_name))
    return same_pod(changed, pod) or (has_place and changed.namespace == pod.namespace)


def _after_pod_update(pod: Pod, old: Pod, new: Pod, constraints: Constraints) -> Hint:
    honours_taints = any(c.node_taints_policy == HONOR for c in constraints)
    if same_pod(pod, new) and old.tolerations != new.tolerations and honours_taints:
        return Hint.QUEUE
    return _queue_if(
        any(selects(c.label_selector, old.labels) != selects(c.label_selector, new.labels) for c in constraints)
    )


def _queue_if(condition: bool) -> Hint:
    return Hint.QUEUE if condition else Hint.SKIP
