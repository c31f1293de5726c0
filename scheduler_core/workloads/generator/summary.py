"""What a plan comes to: the share requested of each resource, histograms, and warnings about pods that cannot all run.

Nothing here schedules: asked and allocatable are sums, and a warning is what follows from sums and from single pods on
empty nodes (size, node selector, taints). Whether pods fit together is for a run to say.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from scheduler_core.api.taints import Taint, Toleration
from scheduler_core.workloads.generator import objects
from scheduler_core.workloads.generator.description import Description, NodePool, Raw, WorkloadOfPods
from scheduler_core.workloads.generator.plan import GenerationPlan, PlannedPod
from scheduler_core.workloads.generator.ready_lists import PODS

_MAX_BARS = 12
TIME_BARS = 60
# Round lengths of time, so that the bars begin at times which people name: 1, 2, 5, 10, 15, 30 of each unit and more.
_WIDTHS = tuple(
    n * unit
    for unit, numbers in (
        (1_000_000, (1, 2, 5, 10, 15, 30)),
        (60_000_000, (1, 2, 5, 10, 15, 30)),
        (3_600_000_000, (1, 2, 4, 6, 12)),
        (86_400_000_000, (1, 2, 5, 10)),
    )
    for n in numbers
)


class RequestedTotal(NamedTuple):
    """A resource in canonical integers: asked by all pods, by those that are there at once at most, and allocatable."""

    resource: str
    in_all: int
    at_once: int
    allocatable: int

    @property
    def share(self) -> float | None:
        """What is asked at once at most, as a share of what is allocatable; None where nothing is."""
        return self.at_once / self.allocatable if self.allocatable else None


class HistogramBar(NamedTuple):
    """A bar of a histogram: values from ``low`` to ``high`` (both included), and how many of them there are."""

    low: int
    high: int
    n: int


class AmountHistogram(NamedTuple):
    """How often values occur; ``median`` of all, ``distinct`` how many different ones there are."""

    resource: str
    bars: list[HistogramBar]
    median: int
    distinct: int


class ArrivalCounts(NamedTuple):
    """Pods arriving in ranges of ``width`` microseconds from 0; ``at_start`` pods are in the cluster before."""

    width: int
    counts: list[int]
    at_start: int
    last: int


class PlanWarning(NamedTuple):
    """A reason why pods will stay pending: ``kind`` is over (a resource is asked too often), alone (pods that no node
    could hold even when empty), or empty (no node or no pod)."""

    kind: str
    text: str


class PlanSummary(NamedTuple):
    """A plan in figures."""

    n_nodes: int
    n_pods: int
    n_zones: int
    asked: list[RequestedTotal]
    nodes: list[AmountHistogram]
    pods: list[AmountHistogram]
    priorities: list[tuple[int, int]]
    arrivals: ArrivalCounts
    warnings: list[PlanWarning]


def summarize_plan(plan: GenerationPlan) -> PlanSummary:
    """The figures of a plan."""
    description = plan.description
    asked = _asked(plan)
    node_values = {
        name: [pool.allocatable.get(name, 0) for pool in description.pools for _ in range(pool.nodes)]
        for name in dict.fromkeys(name for pool in description.pools for name in pool.resources)
        if name != PODS
    }
    names = dict.fromkeys(name for pod in plan.pods for name in pod.requests)
    pod_values = {name: [pod.requests.get(name, 0) for pod in plan.pods] for name in names}
    priorities = Counter(_priority(description.workloads[pod.workload]) for pod in plan.pods)
    return PlanSummary(
        n_nodes=description.n_nodes,
        n_pods=len(plan.pods),
        n_zones=len({zone for pool in description.pools if pool.nodes for zone in pool.zones[: pool.nodes]}),
        asked=asked,
        nodes=[histogram(name, values) for name, values in node_values.items() if values],
        pods=[histogram(name, values) for name, values in pod_values.items()],
        priorities=sorted(priorities.items()),
        arrivals=_arrival_bars(plan),
        warnings=_warnings(plan, asked),
    )


def _priority(workload: WorkloadOfPods) -> int:
    return workload.priority.value if workload.priority else 0


# ---------------------------------------------------------------- sums


def _asked(plan: GenerationPlan) -> list[RequestedTotal]:
    """The resources of nodes, then those that pods ask for and no node has. Pods count as a resource of their own."""
    allocatable: Counter[str] = Counter()
    for pool in plan.description.pools:
        for name, value in pool.allocatable.items():
            allocatable[name] += value * pool.nodes
    in_all: Counter[str] = Counter()
    changes: list[tuple[int, bool, PlannedPod]] = []
    for pod in plan.pods:
        in_all.update(pod.requests)
        in_all[PODS] += 1
        changes.append((-1 if pod.at is None else pod.at, True, pod))
        if pod.end is not None:
            changes.append((pod.end, False, pod))
    # A pod that goes makes room for one that comes at the same time.
    changes.sort(key=lambda change: change[:2])
    now: Counter[str] = Counter()
    most: dict[str, int] = {}
    for _, comes, pod in changes:
        for name, value in (*pod.requests.items(), (PODS, 1)):
            now[name] += value if comes else -value
            if comes and now[name] > most.get(name, 0):
                most[name] = now[name]
    names = dict.fromkeys([*(name for name in allocatable if name != PODS), *(n for n in in_all if n != PODS), PODS])
    return [RequestedTotal(name, in_all[name], most.get(name, 0), allocatable[name]) for name in names]


# ---------------------------------------------------------------- histograms


def histogram(resource: str, values: list[int]) -> AmountHistogram:
    """Each value by itself where they are few, else ranges from the smallest value above 0 on.

    A range is twice as wide as the one before, or 4, 8, ... times where that leaves too many: from 100 on they are
    100..199, 200..399, 400..799, 800..1599. Zeros have a bar of their own.
    """
    counts = Counter(values)
    median = sorted(values)[len(values) // 2]
    if len(counts) <= _MAX_BARS:
        return AmountHistogram(
            resource, [HistogramBar(v, v, n) for v, n in sorted(counts.items())], median, len(counts)
        )
    low = min(value for value in counts if value > 0)
    bars = [HistogramBar(0, 0, counts[0])] if counts[0] else []
    doublings = max(counts).bit_length() - low.bit_length() + 1
    step = 1 << -(-doublings // (_MAX_BARS - 1))
    while low <= max(counts):
        high = low * step - 1
        bars.append(HistogramBar(low, high, sum(n for value, n in counts.items() if low <= value <= high)))
        low = high + 1
    return AmountHistogram(resource, bars, median, len(counts))


def _arrival_bars(plan: GenerationPlan) -> ArrivalCounts:
    times = [pod.at for pod in plan.pods if pod.at is not None]
    last = max(times, default=0)
    width = next((round_ for round_ in _WIDTHS if round_ * TIME_BARS > last), -(-(last + 1) // TIME_BARS))
    counts = [0] * (last // width + 1 if times else 0)
    for time in times:
        counts[time // width] += 1
    return ArrivalCounts(width, counts, len(plan.pods) - len(times), last)


# ---------------------------------------------------------------- warnings


def _warnings(plan: GenerationPlan, asked: list[RequestedTotal]) -> list[PlanWarning]:
    description = plan.description
    if not description.n_nodes or not plan.pods:
        return [PlanWarning("empty", "There are no pods." if description.n_nodes else "There are no nodes.")]
    warnings = []
    for one in asked:
        if one.allocatable and one.at_once > one.allocatable:
            times = one.at_once / one.allocatable
            text = f"{one.resource} is asked for {times:,.2f} times over: not all pods can run at once."
            warnings.append(PlanWarning("over", text))
    return [*warnings, *_alone(plan)]


def _alone(plan: GenerationPlan) -> list[PlanWarning]:
    """For each workload, how many of its pods no node could hold even when it is empty, and a reason of the first."""
    nodes = [(pool, _taints(pool)) for pool in plan.description.pools if pool.nodes]
    # Pods of one size and variant fare alike.
    kinds = Counter((pod.workload, pod.variant, tuple(pod.requests.items())) for pod in plan.pods)
    stuck: dict[int, tuple[int, str]] = {}
    for (index, variant, requests), n in kinds.items():
        reason = _reason(plan.description, index, variant, dict(requests), nodes)
        if reason:
            count, first = stuck.get(index, (0, reason))
            stuck[index] = (count + n, first)
    return [
        PlanWarning("alone", f"No node can hold {n:,} of the {workload.pods:,} pods of {workload.name}: {reason}.")
        for index, (n, reason) in sorted(stuck.items())
        for workload in [plan.description.workloads[index]]
    ]


def _reason(
    description: Description,
    index: int,
    variant: int,
    requests: dict[str, int],
    nodes: list[tuple[NodePool, list[Taint]]],
) -> str:
    """Why no empty node could hold a pod, "" where one could; affinity and spread are not looked at."""
    workload = description.workloads[index]
    constraints = objects.placement_fields(workload, workload.variants[variant] if variant >= 0 else None)
    selector = constraints.get("nodeSelector") or {}
    fitting = [entry for entry in nodes if _selects(selector, entry[0])]
    if not fitting:
        return "no node has the labels of their node selector"
    tolerations = [_toleration(raw) for raw in constraints.get("tolerations") or []]
    fitting = [
        (pool, taints)
        for pool, taints in fitting
        if not (pool.unschedulable and not _tolerated(_CORDON, tolerations))
        and all(_tolerated(taint, tolerations) for taint in taints)
    ]
    if not fitting:
        return "they do not tolerate the taints of any node that their node selector allows"
    for pool, _ in fitting:
        if all(value <= pool.allocatable.get(name, 0) for name, value in requests.items()):
            return ""
    lacks = [name for name, value in requests.items() if all(value > p.allocatable.get(name, 0) for p, _ in fitting)]
    if not lacks:
        return "no single node that they may run on has all that they request"
    return f"they request more {' and '.join(lacks)} than any node that they may run on has"


_CORDON = Taint(key="node.kubernetes.io/unschedulable", value="", effect="NoSchedule")


def _selects(selector: dict[str, str], pool: NodePool) -> bool:
    """Whether a node of the pool has the labels."""
    return any(
        all(labels.get(key) == value for key, value in selector.items())
        for labels in (objects.node_labels(pool, i) for i in _index_by_labels(selector, pool))
    )


def _index_by_labels(selector: dict[str, str], pool: NodePool) -> range:
    """Indexes of nodes that stand for all: their labels differ by zone and, where it is asked for, by host name."""
    return range(pool.nodes if objects.HOSTNAME in selector else min(pool.nodes, max(1, len(pool.zones))))


def _taints(pool: NodePool) -> list[Taint]:
    """The taints that keep pods away."""
    taints = [Taint(key=raw["key"], value=raw.get("value") or "", effect=raw["effect"]) for raw in pool.taints]
    return [taint for taint in taints if taint.effect != "PreferNoSchedule"]


def _toleration(raw: Raw) -> Toleration:
    return Toleration(
        key=raw.get("key") or "",
        operator=raw.get("operator") or "Equal",
        value=raw.get("value") or "",
        effect=raw.get("effect") or "",
    )


def _tolerated(taint: Taint, tolerations: list[Toleration]) -> bool:
    return any(toleration.tolerates(taint) for toleration in tolerations)
