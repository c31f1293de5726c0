"""What filtering and scoring share: which constraints a pod has, which pods count, which nodes take part.

Mirrors podtopologyspread/common.go and plugins/helper/spread.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import msgspec

from scheduler_core.api.labels import Labels, LabelSelector
from scheduler_core.api.objects import Pod, TopologySpreadConstraint, WorkloadSelector
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import Label, PodClass, labels_of_any
from scheduler_core.framework.plugin_helpers.node_selectors import GenerationMemo, required_mask
from scheduler_core.framework.topology.domains import Domains, DomainSums, Mask, tolerated_mask

HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
DO_NOT_SCHEDULE, SCHEDULE_ANYWAY = "DoNotSchedule", "ScheduleAnyway"
SYSTEM, LIST = "System", "List"
HONOR = "Honor"
_MAX_NODE_SETS = 256

Constraints = tuple[TopologySpreadConstraint, ...]

SYSTEM_DEFAULTS: Constraints = (
    TopologySpreadConstraint(topology_key=HOSTNAME, when_unsatisfiable=SCHEDULE_ANYWAY, max_skew=3),
    TopologySpreadConstraint(topology_key=ZONE, when_unsatisfiable=SCHEDULE_ANYWAY, max_skew=5),
)


class PodTopologySpreadArgs(msgspec.Struct, frozen=True):
    """Constraints for pods that name none themselves; System stands for hostname and zone, both soft."""

    default_constraints: Constraints = ()
    defaulting_type: str = SYSTEM

    def __post_init__(self) -> None:
        """Raises ValueError, naming the field, where upstream's validation refuses the arguments."""
        if self.defaulting_type not in (SYSTEM, LIST):
            raise ValueError(f'defaultingType: "{self.defaulting_type}" is neither System nor List')
        if self.defaulting_type == SYSTEM and self.default_constraints:
            raise ValueError('defaultingType: must be List where defaultConstraints are given, "System" was found')
        for i, constraint in enumerate(self.default_constraints):
            _check_default(f"defaultConstraints[{i}]", constraint, self.default_constraints[:i])

    @property
    def constraints(self) -> Constraints:
        """The default constraints in force."""
        return SYSTEM_DEFAULTS if self.defaulting_type == SYSTEM else self.default_constraints


def _check_default(path: str, constraint: TopologySpreadConstraint, earlier: Constraints) -> None:
    if constraint.max_skew <= 0:
        raise ValueError(f"{path}.maxSkew: {constraint.max_skew} is not above 0")
    if not constraint.topology_key:
        raise ValueError(f"{path}.topologyKey: must not be empty")
    if constraint.when_unsatisfiable not in (DO_NOT_SCHEDULE, SCHEDULE_ANYWAY):
        action = constraint.when_unsatisfiable
        raise ValueError(f'{path}.whenUnsatisfiable: "{action}" is neither DoNotSchedule nor ScheduleAnyway')
    if constraint.label_selector is not None:
        raise ValueError(f"{path}.labelSelector: must be left out, it is deduced for each pod")
    pair = (constraint.topology_key, constraint.when_unsatisfiable)
    if any(pair == (e.topology_key, e.when_unsatisfiable) for e in earlier):
        raise ValueError(f"{path}: repeats topologyKey {pair[0]} with {pair[1]}")


def spread_constraints(pod: Pod, workloads: Workloads, args: PodTopologySpreadArgs, action: str) -> Constraints:
    """The pod's own constraints with that action, or else the default ones with the selector deduced for the pod."""
    if pod.topology_spread_constraints:
        return tuple(c for c in pod.topology_spread_constraints if c.when_unsatisfiable == action)
    defaults = [c for c in args.constraints if c.when_unsatisfiable == action]
    selector = workloads.selector_for(pod) if defaults else LabelSelector()
    if not selector.requirements:
        return ()
    return tuple(msgspec.structs.replace(c, label_selector=selector) for c in defaults)


class Workloads:
    """Services and controllers (RC, ReplicaSet, StatefulSet) of a moment, by what leads from a pod to them."""

    def __init__(self, workloads: Iterable[WorkloadSelector]) -> None:
        self._services: dict[tuple[str, Label | None], list[tuple[int, LabelSelector]]] = {}
        self._controllers: dict[tuple[str, str, str], tuple[int, LabelSelector]] = {}
        for position, workload in enumerate(workloads):
            if workload.selector is None:
                continue
            selected = position, workload.selector
            if workload.kind != "Service":
                self._controllers[workload.namespace, workload.kind, workload.name] = selected
                continue
            for label in labels_of_any(workload.selector) or (None,):
                self._services.setdefault((workload.namespace, label), []).append(selected)

    def selector_for(self, pod: Pod) -> LabelSelector:
        """What the pod's Services and its controller select by; empty where nothing does."""
        selectors: dict[int, LabelSelector] = {}
        for label in (None, *pod.labels.items()):
            services = self._services.get((pod.namespace, label), ())
            selectors.update((at, selector) for at, selector in services if selector.matches(pod.labels))
        for owner in pod.owner_references:
            if owner.controller and (controller := self._controllers.get((pod.namespace, owner.kind, owner.name))):
                selectors[controller[0]] = controller[1]
        requirements = dict.fromkeys(one for _, selector in sorted(selectors.items()) for one in selector.requirements)
        return LabelSelector(tuple(requirements))


def selects(selector: LabelSelector | None, labels: Labels) -> bool:
    """Whether the selector matches; one that is absent matches nothing, an empty one everything."""
    return selector is not None and selector.matches(labels)


def counts_for(constraint: TopologySpreadConstraint, namespace: str, cls: PodClass) -> bool:
    """Whether placed pods of the class are counted: of the namespace, selected and not terminating.

    An empty selector counts no pod, though it matches the incoming pod itself (countPodsMatchSelector).
    """
    selector = constraint.label_selector
    return (
        selector is not None
        and bool(selector.requirements)
        and cls.namespace == namespace
        and not cls.terminating
        and selector.matches(cls.labels)
    )


class NodeSets:
    """Domains with the nodes that take part, shared by all pod classes and dropped when a node object changes."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._known: GenerationMemo[Domains] = GenerationMemo(_MAX_NODE_SETS)

    def get(self, pod: Pod, constraint: TopologySpreadConstraint, keys: tuple[str, ...]) -> Domains:
        """Nodes that have all of ``keys`` and that the constraint's node inclusion policies let in."""
        required = pod.affinity.node_required if pod.affinity else None
        affinity = (*sorted(pod.node_selector.items()), required) if constraint.node_affinity_policy == HONOR else None
        tolerations = pod.tolerations if constraint.node_taints_policy == HONOR else None
        signature = (constraint.topology_key, keys, affinity, tolerations)
        generation = self._cluster.table.static_generation
        return self._known.get(generation, signature, lambda: self._make(pod, constraint, keys))

    def by_node(self, topology_key: str) -> Domains:
        """Every node that has the label as a domain by itself; all take part."""
        generation = self._cluster.table.static_generation
        make = partial(Domains, self._cluster, topology_key, node_is_domain=True)
        return self._known.get(generation, topology_key, make)

    def with_keys(self, keys: tuple[str, ...]) -> Mask:
        """bool[capacity]: nodes that have all these labels."""
        mask = self._cluster.table.alive.copy()
        for key in keys:
            mask &= self._cluster.table.label(key).ids >= 0
        return mask

    def _make(self, pod: Pod, constraint: TopologySpreadConstraint, keys: tuple[str, ...]) -> Domains:
        mask = self.with_keys(keys)
        if constraint.node_affinity_policy == HONOR:
            mask &= required_mask(self._cluster.table, pod)
        if constraint.node_taints_policy == HONOR:
            mask &= tolerated_mask(self._cluster, pod.tolerations)
        return Domains(self._cluster, constraint.topology_key, mask)


class Participation:
    """One constraint of a pod with the nodes that take part and the count of pods.

    ``blank`` is the domain of the empty label value, None when no node ever had it.
    """

    __slots__ = ("blank", "constraint", "namespace", "nodes", "self_match", "tally_key")

    def __init__(
        self, pod: Pod, constraint: TopologySpreadConstraint, nodes: Domains, blank: int | None = None
    ) -> None:
        self.blank = blank
        self.constraint = constraint
        self.namespace = pod.namespace
        self.nodes = nodes
        self.self_match = int(selects(constraint.label_selector, pod.labels))
        self.tally_key = f"PodTopologySpread/{pod.namespace}/{constraint.label_selector!r}"

    def counts_class(self, cls: PodClass) -> int:
        """1 where placed pods of the class count, else 0."""
        return int(counts_for(self.constraint, self.namespace, cls))

    def pods_by_domain(self, cluster: Cluster, nodes: Domains | None = None) -> DomainSums:
        """Pods that count on nodes that take part, or on others."""
        among = partial(cluster.classes.selected, self.constraint.label_selector)
        return (nodes or self.nodes).sums(cluster, self.tally_key, self.counts_class, among)


def topology_keys(constraints: Constraints) -> tuple[str, ...]:
    """The topology keys of all constraints, sorted, each once."""
    return tuple(sorted({c.topology_key for c in constraints}))
