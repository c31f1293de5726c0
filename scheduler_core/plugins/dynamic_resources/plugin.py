"""The plugin DynamicResources: claims at every extension point.

Mirrors the upstream plugin DynamicResources of v1.34 to v1.36 (plugins/dynamicresources/dynamicresources.go). Filter
allocates for each node on its own, Reserve takes what the chosen node gives, PreBind writes it and waits for drivers,
whose reports are changes of claims by a timeline or a branch. Known difference: a search is cut off after a number of
steps in place of 10 seconds. In runs that name no version, pods with claims are refused, as before devices were played.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scheduler_core.api.objects import Pod, ResourceClaim
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.controllers.claims import deallocated
from scheduler_core.framework.contracts import normalizers
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import EventWithHint, Hint
from scheduler_core.framework.contracts.facts import DeviceClaimFact, Facts
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import (
    EnqueueExtension,
    FilterPlugin,
    PluginCache,
    PostFilterPlugin,
    PostFilterResult,
    PreBindPlugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreFilterResult,
    ReservePlugin,
    ScorePlugin,
)
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, Status, error, unresolvable, unschedulable
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import Rows, Scores, Verdicts
from scheduler_core.framework.plugin_helpers.device_classes import ClassResolver
from scheduler_core.plugins.dynamic_resources.allocated import AllocatedDevices
from scheduler_core.plugins.dynamic_resources.args import DynamicResourcesArgs
from scheduler_core.plugins.dynamic_resources.claims import claim_facts, class_problem, pod_claims
from scheduler_core.plugins.dynamic_resources.events import after_claim_change, after_pod_change, registered
from scheduler_core.plugins.dynamic_resources.explaining.explainer import Explainer
from scheduler_core.plugins.dynamic_resources.extended import ExtendedWork
from scheduler_core.plugins.dynamic_resources.pools import PoolIndex
from scheduler_core.plugins.dynamic_resources.reserving import Reservations
from scheduler_core.plugins.dynamic_resources.selecting import SelectorCache
from scheduler_core.plugins.dynamic_resources.shapes import ShapeAnswers, Shapes, SpecTexts
from scheduler_core.plugins.dynamic_resources.work import UNAVAILABLE, ClaimWork, Surroundings

NOTHING_TO_DEALLOCATE = "no new claims to deallocate"
DEALLOCATED, DELETED = "deallocation of ResourceClaim completed", "deletion of ResourceClaim completed"
STILL = "still not schedulable"
NO_STATE = "not found"
_ALL_ZERO = (None, 0)
Stamp = tuple[int, int, int, int, int]
_NO_ROWS: Rows = np.zeros(0, dtype=np.int64)


class DynamicResources(
    PreEnqueuePlugin[DynamicResourcesArgs],
    PreFilterPlugin[DynamicResourcesArgs],
    FilterPlugin[DynamicResourcesArgs],
    PostFilterPlugin[DynamicResourcesArgs],
    ScorePlugin[DynamicResourcesArgs],
    ReservePlugin[DynamicResourcesArgs],
    PreBindPlugin[DynamicResourcesArgs],
    EnqueueExtension[DynamicResourcesArgs],
):
    """What earlier pods reserved and did not write yet is the plugin's state; it counts for later pods."""

    name = "DynamicResources"
    title = "The devices that are claimed are not there"
    obstacles = kinds(
        "DEVICE_NONE", "DEVICE_IN_USE", "DEVICE_SELECTOR", "DEVICE_CLAIM_MISSING", "DEVICE_CLASS_MISSING",
        "DEVICE_CLAIM_ELSEWHERE", "DEVICE_TAINTED", "DEVICE_COUNTERS", "DEVICE_CAPACITY", "DEVICE_CONSTRAINT",
        "DEVICE_POOL_INCOMPLETE", "DEVICE_SELECTOR_ERROR", "DEVICE_TOO_MANY", "CLAIM_NOT_CREATED", "CLAIM_NOT_OWNED",
        "CLAIM_TERMINATING", "CLAIM_NOT_ALLOCATED",
    )  # fmt: skip
    wakes = ("Claim change", "Resource slice change", "Node add")
    Args = DynamicResourcesArgs
    traits = Traits(reads_pods="none")
    without_pre_filter = NO_STATE
    normalizer = staticmethod(normalizers.default)

    def __init__(self, args: DynamicResourcesArgs, handle: Handle) -> None:
        super().__init__(args, handle)
        self._behaviours = handle.run.behaviours
        self._selectors = SelectorCache()
        self._reservations = Reservations(handle, args.binding_us)
        self._pools: tuple[tuple[int, int], PoolIndex] | None = None
        self._allocated = AllocatedDevices(self._behaviours)
        self._shapes = Shapes()
        self._specs = SpecTexts()
        self._work: tuple[Pod, Stamp, ClaimWork] | None = None
        self._explainer: tuple[ClaimWork, Explainer] | None = None

    def dump(self) -> Any:
        """What Reserve took and PreBind did not write yet."""
        return self._reservations.dump()

    def load(self, state: Any) -> None:
        """Take back what ``dump`` gave."""
        self._reservations.load(state)
        self._work = None

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """Claims, slices, classes, nodes, and the names of generated claims in pods."""
        return registered(self._after_claim_change, self._after_pod_change)

    def _after_claim_change(self, pod: Pod, old: ResourceClaim | None, new: ResourceClaim) -> Hint:
        return after_claim_change(*self._find_claims(pod), pod, old, new)

    def _after_pod_change(self, pod: Pod, old: Pod | None, new: Pod) -> Hint:
        return after_pod_change(self._find_claims(new)[1], pod, new)

    # --- before nodes are looked at --------------------------------------------------------------------------------
    def pre_enqueue(self, pod: Pod) -> Status:
        """Refuses while a claim is missing, on its way out, or another pod's."""
        if not pod.resource_claims:
            return SUCCESS
        problem = self._find_claims(pod)[1]
        return unresolvable(problem) if problem else SUCCESS

    def pre_filter(self, cycle: CycleState, pod: PodInfo) -> PreFilterResult:
        """SKIP without claims; a refusal where a claim or a device class is not there."""
        if not pod.pod.resource_claims and not self._behaviours.device_extended_resources:
            return PreFilterResult(SKIP, cacheable=True)
        claims, problem = self._find_claims(pod.pod)
        extended = None if problem else self._extended(pod.pod)
        if not claims and not problem and extended is None:
            return PreFilterResult(SKIP)
        problem = problem or self._refusal(pod.pod, claims)
        if problem:
            cycle.extra[self.name] = None
            return PreFilterResult(unresolvable(problem))
        work = cycle.extra[self.name] = self._work_of(pod, claims, extended)
        return PreFilterResult(state=work)

    def _refusal(self, pod: Pod, claims: list[ResourceClaim]) -> str:
        """What keeps the pod from all nodes, "" for nothing."""
        if claims and not self._behaviours.claims_get_devices:
            names = ", ".join(entry.name for entry in pod.resource_claims)
            return f"resource claims are not simulated: {names}"
        for claim in claims:
            if claim.key in self._reservations.in_flight:
                return f"resource claim {claim.key} is in the process of being allocated"
            classes = self.handle.cluster.listers.device_classes
            if claim.allocation is None and (problem := class_problem(claim, classes)):
                return problem
        return ""

    def pre_filter_facts(self, pod: PodInfo) -> Facts:
        """What is wrong with the pod's claims, entry by entry."""
        claims, problem = self._find_claims(pod.pod)
        refusal = problem or self._refusal(pod.pod, claims)
        if not refusal:
            return ()
        if not problem and not self._behaviours.claims_get_devices:
            entries = pod.pod.resource_claims
            return tuple(DeviceClaimFact(entry=entry.name, problem=refusal, refuses=True) for entry in entries)
        listers, is_in_flight = self.handle.cluster.listers, self._reservations.is_in_flight
        return claim_facts(pod.pod, listers.resource_claims.get, listers.device_classes, is_in_flight)

    def _find_claims(self, pod: Pod) -> tuple[list[ResourceClaim], str]:
        """The pod's claims up to the first that it cannot have, and what is wrong with that one."""
        find = self.handle.cluster.listers.resource_claims.get
        return pod_claims(pod, find, owner_in_capitals=self._behaviours.all_in_later_alternatives)

    def _extended(self, pod: Pod) -> ExtendedWork | None:
        """What the pod may need for extended resources; None where no class serves any."""
        if not self._behaviours.device_extended_resources:
            return None
        listers = self.handle.cluster.listers
        names = {name for container in (*pod.containers, *pod.init_containers) for name in container.requests}
        if not listers.device_classes or not any("/" in name for name in names):
            return None
        left = self._allocated_now().made_for.get(pod.uid, ())
        stale = next((listers.resource_claims[key] for key in left), None)
        work = ExtendedWork(pod, ClassResolver(listers.device_classes), stale)
        return work if work.is_needed else None

    def _work_of(self, pod: PodInfo, claims: list[ResourceClaim], extended: ExtendedWork | None) -> ClaimWork:
        """The pod's work upon the cluster as it is; the same object while nothing of it changes."""
        listers, table, reservations = self.handle.cluster.listers, self.handle.cluster.table, self._reservations
        run = self.handle.run
        stamp = listers.generation, table.static_generation, len(listers.claim_log), reservations.generation, run.now
        if self._work is not None and self._work[0] is pod.pod and self._work[1] == stamp:
            return self._work[2]
        shape = self._shape(pod, claims, extended, self._pool_index()) if run.uses_caches else None
        work = ClaimWork(claims, self._surroundings(), extended, shape)
        self._work = pod.pod, stamp, work
        return work

    def _surroundings(self) -> Surroundings:
        run = self.handle.run
        return Surroundings(
            self._behaviours,
            self.handle.cluster.listers.device_classes,
            self._pool_index().pools,
            self._allocated_now().now,
            self._selectors,
            waits_since=run.epoch + (run.now - self.args.binding_us) / 1_000_000,
        )

    def _allocated_now(self) -> AllocatedDevices:
        """What claims have: followed, or from scratch where nothing is kept."""
        listers, in_flight = self.handle.cluster.listers, self._reservations.in_flight
        if not self.handle.run.uses_caches:
            return AllocatedDevices.of(listers.resource_claims.values(), in_flight, self._behaviours)
        self._allocated.follow(listers, in_flight)
        return self._allocated

    def _shape(
        self, pod: PodInfo, claims: list[ResourceClaim], extended: ExtendedWork | None, pools: PoolIndex
    ) -> ShapeAnswers | None:
        """The answers for all pods whose claims ask for the same; None where nothing is to be allocated."""
        specs = [self._specs.text(claim.spec) for claim in claims if claim.allocation is None]
        if (extended is not None and extended.stale is not None) or (not specs and extended is None):
            return None
        cluster, reasons = self.handle.cluster, self.handle.run.reasons
        stamp = cluster.listers.generation, cluster.table.static_generation
        key, log = (tuple(specs), None if extended is None else pod.cls.id), self._allocated.pool_log

        def made() -> ShapeAnswers:
            return ShapeAnswers(cluster.table, reasons, pools, log, depends_on_node=extended is not None)

        return self._shapes.of(stamp, key, cluster.n_nodes, made)

    def _claims_with_devices(self) -> list[ResourceClaim]:
        """The claims that have devices, and those in flight as they will be, by name alone."""
        return [*self.handle.cluster.listers.resource_claims.values(), *self._reservations.claims_in_flight()]

    def _explainer_of(self, pod: Pod, work: ClaimWork) -> Explainer:
        """What explains the pod's work; the same object for one work."""
        if self._explainer is None or self._explainer[0] is not work:
            slices = self.handle.cluster.listers.resource_slices.values()
            explainer = Explainer(pod, work, self._surroundings(), self._claims_with_devices(), slices)
            self._explainer = work, explainer
        return self._explainer[1]

    def _pool_index(self) -> PoolIndex:
        listers, table = self.handle.cluster.listers, self.handle.cluster.table
        stamp = listers.slice_generation, table.static_generation
        if self._pools is None or self._pools[0] != stamp:
            self._pools = stamp, PoolIndex(listers.resource_slices.values(), self._behaviours)
        return self._pools[1]

    # --- nodes -----------------------------------------------------------------------------------------------------
    def filter_node(self, state: ClaimWork, pod: PodInfo, node: NodeView) -> Status:
        """Whether allocated claims can be used on the node, and the others get devices there."""
        return state.on(node.node).status

    def filter(self, state: ClaimWork, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """Node by node."""
        table, reasons = self.handle.cluster.table, self.handle.run.reasons
        if state.is_shape_alone and len(rows) == len(table.order):
            return self._kept_verdicts(state, rows)
        statuses = [state.on(node).status for row in rows.tolist() if (node := table.nodes[row]) is not None]
        if all(status.is_success for status in statuses):
            return None
        return Verdicts(
            np.array([status.code for status in statuses], dtype=np.uint8),
            np.array([reasons.intern(status.reasons) for status in statuses], dtype=np.int32),
        )

    def filter_delta(
        self, state: ClaimWork, pod: PodInfo, cache: PluginCache
    ) -> tuple[Rows | tuple[Rows, ...] | None, Verdicts | None]:
        """The rows that were searched since; all where the last pod's claims were of another shape."""
        order = self.handle.cluster.table.order
        if not state.is_shape_alone:
            cache.value = None
            return None, self.filter(state, pod, order)
        shape, last = state.shape, cache.value
        assert shape is not None
        shape.refresh(state.searched)
        cache.value = shape, len(shape.row_log)
        if last is None or last[0] is not shape:
            return None, self._kept_verdicts(state, order)
        rows = shape.rows_since(last[1])
        return rows, self._kept_verdicts(state, rows)

    def _kept_verdicts(self, state: ClaimWork, rows: Rows) -> Verdicts | None:
        """The shape's verdicts on the rows."""
        shape = state.shape
        assert shape is not None
        shape.refresh(state.searched)
        codes = shape.codes.take(rows)
        return Verdicts(codes, shape.reasons.take(rows)) if codes.any() else None

    def filter_facts(self, state: ClaimWork, pod: PodInfo, node: NodeView) -> Facts:
        """Why claims cannot be had on the node, or the devices that they have or get there."""
        explainer = self._explainer_of(pod.pod, state)
        is_given = state.on(node.node).status.is_success
        return explainer.given(node.node) if is_given else explainer.refusal(node.node)

    def post_filter(self, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> PostFilterResult:
        """Take the devices from one claim that kept the pod from a node and that nobody else uses; an error when the
        cycle ended before this plugin's PreFilter, as upstream."""
        if self.name not in cycle.extra and self.name not in cycle.skip_filter:
            return PostFilterResult(error(NO_STATE))
        work: ClaimWork | None = cycle.extra.get(self.name)
        if work is None:
            return PostFilterResult(unschedulable(NOTHING_TO_DEALLOCATE))
        if work.extended is not None and work.extended.stale is not None:
            self.handle.run.delete(work.extended.stale)
            return PostFilterResult(unschedulable(DELETED))
        for claim in self._unavailable(work, outcome):
            if all(consumer.uid == pod.pod.uid for consumer in claim.reserved_for):
                self.handle.run.write(deallocated(claim))
                return PostFilterResult(unschedulable(DEALLOCATED))
        return PostFilterResult(unschedulable(STILL))

    def _unavailable(self, work: ClaimWork, outcome: FilterOutcome) -> list[ResourceClaim]:
        """The claims that kept the pod from a node that Filter of this plugin was reached for."""
        if self.name not in outcome.plugins:
            return []
        index, table = outcome.plugins.index(self.name), self.handle.cluster.table
        keys = set()
        for row in outcome.visited[outcome.decisive[outcome.visited] == index].tolist():
            node = table.nodes[row]
            if node is not None and UNAVAILABLE in work.on(node).status.reasons:
                keys |= {claim.key for claim in work.unavailable(node)}
        return [claim for claim in work.claims if claim.key in keys]

    # --- scores ----------------------------------------------------------------------------------------------------
    def score_node(self, state: Any, pod: PodInfo, node: NodeView) -> int:
        """The ranks of the alternatives that the claims have or get on the node; 0 without claims."""
        work = self._scored_work(pod)
        return 0 if work is None else work.rank(node.node)

    def score(self, state: Any, pod: PodInfo, rows: Rows) -> Scores:
        """The same for the rows."""
        work = self._scored_work(pod)
        if work is None or not work.is_ranked:
            return np.zeros(len(rows), dtype=np.int64)
        nodes = self.handle.cluster.table.nodes
        return np.array([work.rank(n) if (n := nodes[row]) is not None else 0 for row in rows.tolist()], dtype=np.int64)

    def score_delta(self, state: Any, pod: PodInfo, feasible: Rows, cache: PluginCache) -> tuple[Rows | None, Scores]:
        """Without claims every row has 0 for good, without alternatives as long as none comes; else rows that were
        searched since may have another rank."""
        order, last = self.handle.cluster.table.order, cache.value
        if not pod.pod.resource_claims:
            cache.is_final = True
            return order, np.zeros(len(order), dtype=np.int64)
        work = self._scored_work(pod)
        if work is None or not work.is_ranked:
            cache.value = _ALL_ZERO
            rows = _NO_ROWS if last == _ALL_ZERO else order
            return rows, np.zeros(len(rows), dtype=np.int64)
        if not work.is_shape_alone:
            cache.value = None
            return order, self.score(state, pod, order)
        shape = work.shape
        assert shape is not None
        shape.refresh(work.searched)
        cache.value = shape, len(shape.row_log)
        rows = shape.rows_since(last[1]) if last is not None and last[0] is shape else order
        return rows, shape.ranks.take(rows)

    def score_facts(self, state: Any, pod: PodInfo, node: NodeView) -> Facts:
        """The alternative that each request with a list has, or gets on the node."""
        work = self._scored_work(pod)
        return () if work is None else self._explainer_of(pod.pod, work).ranks(node.node)

    def _scored_work(self, pod: PodInfo) -> ClaimWork | None:
        if not pod.pod.resource_claims or not self._behaviours.claims_get_devices:
            return None
        claims, problem = self._find_claims(pod.pod)
        return None if problem or not claims else self._work_of(pod, claims, self._extended(pod.pod))

    # --- the chosen node -------------------------------------------------------------------------------------------
    def reserve(self, cycle: CycleState, pod: PodInfo, node_name: str) -> Status:
        """Set the devices aside that the claims get on the node."""
        work: ClaimWork | None = cycle.extra.pop(self.name, None) if cycle.extra else None
        if work is None:
            return SUCCESS
        node = self.handle.cluster.table.nodes[self.handle.cluster.table.row_of[node_name]]
        assert node is not None, node_name
        return self._reservations.reserve(work, node, pod.pod)

    def unreserve(self, cycle: CycleState, pod: PodInfo, node_name: str) -> None:
        """Give back what was set aside, and take the pod out of the claims' reservations."""
        if pod.key in self._reservations.of_pods:
            self._reservations.unreserve(pod.pod)

    def pre_bind(self, cycle: CycleState, pod: PodInfo, node_name: str) -> Status:
        """Write allocations and reservations; then drivers must have made the devices ready."""
        return self._reservations.bind(pod.pod) if pod.key in self._reservations.of_pods else SUCCESS

    def looks_again_at(self, pod: PodInfo) -> int:
        """In five seconds, or when the time is out."""
        return self._reservations.looks_again_at(pod.pod)
