"""What a description says, read and checked: node pools, workloads, when pods arrive and how long they stay."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from scheduler_core.workloads.generator.ready_lists import SizeList

MAX_NODES = 20_000
MAX_PODS = 100_000
"""An arrival and a departure of each fit into the 200,000 entries that a timeline may have."""
MAX_DRAWN = 400_000
"""Amounts that are drawn at random: the pods of each workload times the resources of its sizes that differ."""
MAX_AMOUNTS = 2_000_000
"""Amounts in all: the pods of each workload times the resources of its sizes."""
MAX_VALUES = 20_000_000
"""Keys, values and entries of all objects that are made: 200 for each of 100,000 pods."""
MAX_POOLS = 200
MAX_WORKLOADS = 200
MAX_VARIANTS = 50
MAX_ZONES = 50
MAX_AMOUNT = 1 << 50
SECOND = 1_000_000
HOUR = 3_600 * SECOND
MAX_TIME = 365 * 24 * HOUR
"""Microseconds. The latest arrival and the longest lifetime."""

Raw = dict[str, Any]
Process = Literal["at-once", "poisson", "bursts", "daily", "list"]


class FixedAmount(msgspec.Struct, frozen=True):
    """The same amount for each pod."""

    value: int


class UniformAmount(msgspec.Struct, frozen=True):
    """Any amount from ``low`` to ``high``, each as likely as any other."""

    low: int
    high: int


class LognormalAmount(msgspec.Struct, frozen=True):
    """An amount whose natural logarithm is normal with standard deviation ``sigma``, cut at ``low`` and ``high``."""

    median: int
    sigma: float
    low: int = 1
    high: int = MAX_AMOUNT


class ChoiceOfAmounts(msgspec.Struct, frozen=True):
    """One of several amounts, each in proportion to its weight."""

    values: tuple[int, ...]
    weights: tuple[float, ...]


class AmountPerCpu(msgspec.Struct, frozen=True):
    """So much for each CPU that the pod requests."""

    value: int


Amount = FixedAmount | UniformAmount | LognormalAmount | ChoiceOfAmounts | AmountPerCpu


class PodLifetime(msgspec.Struct, frozen=True):
    """How long a pod stays, from its arrival, in microseconds: ``length`` is the fixed one, the mean or the median."""

    form: Literal["fixed", "exponential", "lognormal", "forever"]
    length: int = 0
    sigma: float = 0.0


class ArrivalProcess(msgspec.Struct, frozen=True, kw_only=True):
    """When pods arrive, times in microseconds.

    - at-once: at ``at``; None: they are objects of the cluster, pending at its start
    - poisson: any moment of ``over`` is as likely as any other: a Poisson process, given how many arrive
    - bursts: ``burst_pods`` within ``burst_within``, every ``burst_every``; what is left comes as in poisson
    - daily: a wave of length ``period`` that peaks at ``peak``; its lowest rate is ``trough`` of its highest
    - list: ``times``, one for each pod
    """

    process: Process = "at-once"
    at: int | None = None
    over: int = HOUR
    burst_pods: int = 0
    burst_every: int = HOUR
    burst_within: int = 10 * SECOND
    period: int = 24 * HOUR
    peak: int = 12 * HOUR
    trough: float = 0.2
    times: tuple[int, ...] = ()


AT_START = ArrivalProcess()


class NodePool(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes of one shape. ``resources`` is the capacity, ``reserved`` what of it pods cannot have; canonical integers.

    ``zones`` are dealt to the nodes in turn; without any, nodes have no zone. ``taints`` is as in a node's spec.
    """

    name: str
    nodes: int
    resources: dict[str, int]
    reserved: dict[str, int] = {}
    shape: str = ""
    zones: tuple[str, ...] = ()
    labels: dict[str, str] = {}
    taints: tuple[Raw, ...] = ()
    unschedulable: bool = False

    @property
    def allocatable(self) -> dict[str, int]:
        """What pods can have of a node."""
        return {name: max(0, value - self.reserved.get(name, 0)) for name, value in self.resources.items()}


class PriorityOfWorkload(msgspec.Struct, frozen=True):
    """A priority class."""

    name: str
    value: int
    preemption_policy: str = "PreemptLowerPriority"


class PodVariant(msgspec.Struct, frozen=True):
    """A node selector that ``share`` of a workload's pods have besides the workload's own."""

    share: float
    node_selector: dict[str, str]


class WorkloadOfPods(msgspec.Struct, frozen=True, kw_only=True):
    """Pods that are alike but for their sizes.

    ``sizes`` is a ready list, or an amount for each resource. ``constraints`` are the fields of a pod's spec that say
    where it may go, as written; ``apart_by`` is a node label by whose values pods of the workload keep apart.
    ``replicas``: the pods are made by Deployments of that many each (the last has what is left), which are there from
    the start; those of one share size and variant. 0 for pods without an owner.
    """

    name: str
    pods: int
    replicas: int = 0
    namespace: str = "default"
    labels: dict[str, str] = {}
    sizes: SizeList | dict[str, Amount] = {}
    priority: PriorityOfWorkload | None = None
    constraints: Raw = {}
    apart_by: str = ""
    variants: tuple[PodVariant, ...] = ()
    arrivals: ArrivalProcess | None = None
    lifetime: PodLifetime | None = None

    @property
    def units(self) -> int:
        """How many things are drawn: Deployments, or pods without an owner."""
        return -(-self.pods // self.replicas) if self.replicas else self.pods


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """A whole description; ``arrivals`` and ``lifetime`` hold for workloads without their own."""

    seed: int = 0
    pools: tuple[NodePool, ...] = ()
    workloads: tuple[WorkloadOfPods, ...] = ()
    arrivals: ArrivalProcess = AT_START
    lifetime: PodLifetime | None = None

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return sum(pool.nodes for pool in self.pools)

    @property
    def n_pods(self) -> int:
        """How many pods there are."""
        return sum(workload.pods for workload in self.workloads)
