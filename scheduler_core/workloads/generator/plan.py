"""What a description comes to, before it is written as manifests: each pod with its size, arrival and end."""

from __future__ import annotations

import math
from typing import NamedTuple

from scheduler_core.workloads.generator import description as d
from scheduler_core.workloads.generator.description import ArrivalProcess
from scheduler_core.workloads.generator.draws import DrawStream
from scheduler_core.workloads.generator.ready_lists import SizeList

_MILLISECOND = 1_000


def arrival_times(arrivals: ArrivalProcess, n: int, stream: DrawStream) -> list[int]:
    """``n`` times; 0 for each where the pods are there from the start."""
    match arrivals.process:
        case "at-once":
            return [arrivals.at or 0] * n
        case "list":
            return list(arrivals.times[:n])
        case "bursts":
            times = _bursts(arrivals, n, stream)
        case "daily":
            times = [_daily(arrivals, stream) for _ in range(n)]
        case _:
            # Given how many come, the moments of a Poisson process are uniform and independent.
            times = [stream.uniform(0, arrivals.over) for _ in range(n)]
    return sorted(int(time) // _MILLISECOND * _MILLISECOND for time in times)


def _bursts(arrivals: ArrivalProcess, n: int, stream: DrawStream) -> list[float]:
    """A burst at 0 and every ``burst_every`` before the end; where pods are too few, bursts are smaller alike."""
    starts = range(0, arrivals.over, arrivals.burst_every)
    size = min(arrivals.burst_pods, n // len(starts))
    times = [
        start + stream.uniform(0, min(arrivals.burst_within, arrivals.over - start))
        for start in starts
        for _ in range(size)
    ]
    return times + [stream.uniform(0, arrivals.over) for _ in range(n - len(times))]


def _daily(arrivals: ArrivalProcess, stream: DrawStream) -> float:
    """A time drawn by rejection: kept in proportion to the rate, a cosine from 1 at the peak to ``trough``."""
    middle, swing = (1 + arrivals.trough) / 2, (1 - arrivals.trough) / 2
    while True:
        time = stream.uniform(0, arrivals.over)
        rate = middle + swing * math.cos(2 * math.pi * (time - arrivals.peak) / arrivals.period)
        if stream.happens(rate):
            return time


_MIB = 1 << 20


class PlannedPod(NamedTuple):
    """A pod of a workload (its index), with its number there from 0 and its requests in canonical integers.

    ``variant`` is an index too, -1 for none.

    ``at`` is when it arrives, None for a pod that is in the cluster from the start; ``end`` when it is deleted, None
    for never; both in microseconds.
    """

    workload: int
    number: int
    requests: dict[str, int]
    variant: int
    at: int | None
    end: int | None


class GenerationPlan(NamedTuple):
    """A description and its pods in the order in which they arrive; those of the start first."""

    description: d.Description
    pods: list[PlannedPod]


def make_plan(description: d.Description) -> GenerationPlan:
    """The pods of a description. The same for the same description."""
    seed = description.seed
    names = [f"{one.namespace}/{one.name}" for one in description.workloads]
    sizes = [_sizes(one, seed, name) for one, name in zip(description.workloads, names, strict=True)]
    variants = [_variants(one, seed, name) for one, name in zip(description.workloads, names, strict=True)]
    stays = [
        _Stays(one.lifetime or description.lifetime, DrawStream(seed, name, "lifetime"))
        for one, name in zip(description.workloads, names, strict=True)
    ]
    pods = []
    numbers = [0] * len(names)
    for at, workload in _order(description, names):
        unit = numbers[workload]
        numbers[workload] += 1
        end = stays[workload].end(at or 0)
        shared = (sizes[workload][unit], variants[workload][unit], at, end)
        pods += [PlannedPod(workload, number, *shared) for number in pod_numbers(description.workloads[workload], unit)]
    return GenerationPlan(description, pods)


def pod_numbers(workload: d.WorkloadOfPods, unit: int) -> range:
    """The numbers of the pods of a Deployment, or of the one pod where there are none."""
    each = workload.replicas or 1
    return range(unit * each, min((unit + 1) * each, workload.pods))


def _order(description: d.Description, names: list[str]) -> list[tuple[int | None, int]]:
    """(time, workload) of each pod, by time; None is before all. Workloads that share a process are mixed at random."""
    seed = description.seed
    shared = [i for i, one in enumerate(description.workloads) for _ in range(one.units) if one.arrivals is None]
    arrivals = description.arrivals
    times = arrival_times(arrivals, len(shared), DrawStream(seed, "arrivals"))
    order = list(zip(times, DrawStream(seed, "order").shuffled(shared), strict=True))
    first = [(None, i) for _, i in order] if _is_start(arrivals) else []
    later: list[tuple[int | None, int]] = [] if first else [*order]
    for i, one in enumerate(description.workloads):
        if one.arrivals is None:
            continue
        own: list[tuple[int | None, int]]
        if _is_start(one.arrivals):
            first += [(None, i)] * one.units
        else:
            own = [(time, i) for time in arrival_times(one.arrivals, one.units, DrawStream(seed, names[i], "arrivals"))]
            later += own
    return [*first, *sorted(later, key=lambda entry: entry[0] or 0)]


def _is_start(arrivals: d.ArrivalProcess) -> bool:
    return arrivals.process == "at-once" and arrivals.at is None


class _Stays(NamedTuple):
    """How long the pods of a workload stay."""

    lifetime: d.PodLifetime | None
    stream: DrawStream

    def end(self, at: int) -> int | None:
        """When the next pod goes, on whole milliseconds and at least one after it came."""
        lifetime = self.lifetime
        if lifetime is None or lifetime.form == "forever":
            return None
        length = float(lifetime.length)
        if lifetime.form == "exponential":
            length = self.stream.exponential(lifetime.length)
        elif lifetime.form == "lognormal":
            length = self.stream.lognormal(lifetime.length, lifetime.sigma)
        whole = max(1, round(min(length, d.MAX_TIME) / _MILLISECOND)) * _MILLISECOND
        return at + whole


# ---------------------------------------------------------------- sizes and variants


def _sizes(workload: d.WorkloadOfPods, seed: int, name: str) -> list[dict[str, int]]:
    """The requests of each pod; pods of one choice share a mapping."""
    if isinstance(workload.sizes, SizeList):
        sizes = workload.sizes.sizes
        picked = DrawStream(seed, name, "sizes").picks([size.share for size in sizes], workload.units)
        return [sizes[i].resources for i in picked]
    columns = {
        resource: _amounts(amount, resource, workload.units, DrawStream(seed, name, "sizes", resource))
        for resource, amount in workload.sizes.items()
        if not isinstance(amount, d.AmountPerCpu)
    }
    for resource, amount in workload.sizes.items():
        if isinstance(amount, d.AmountPerCpu):
            cpus = columns.get("cpu", [0] * workload.units)
            columns[resource] = [_per_cpu(amount.value, cpu, resource) for cpu in cpus]
    # In the order in which they are written.
    rows = [columns[resource] for resource in workload.sizes]
    return [dict(zip(workload.sizes, row, strict=True)) for row in zip(*rows, strict=True)] or [
        {} for _ in range(workload.units)
    ]


def _amounts(amount: d.Amount, resource: str, n: int, stream: DrawStream) -> list[int]:
    match amount:
        case d.UniformAmount(low, high):
            drawn = (_rounded(stream.uniform(low, high), resource) for _ in range(n))
            return [min(max(value, low), high) for value in drawn]
        case d.LognormalAmount(median, sigma, low, high):
            drawn = (_rounded(min(stream.lognormal(median, sigma), high), resource) for _ in range(n))
            return [min(max(value, low), high) for value in drawn]
        case d.ChoiceOfAmounts(values, weights):
            return [values[i] for i in stream.picks(weights, n)]
        case d.FixedAmount(value) | d.AmountPerCpu(value):
            return [value] * n


def _per_cpu(value: int, cpu: int, resource: str) -> int:
    """``value`` for each 1,000 thousandths of a CPU."""
    return min(_rounded(value * cpu / 1000, resource), d.MAX_AMOUNT) if value and cpu else 0


def _rounded(value: float, resource: str) -> int:
    """The amount to two significant digits, of MiB for memory.

    Few different sizes are what clusters have, and a last bit in which two machines compute a logarithm differently
    is lost in them.
    """
    unit = _MIB if resource == "memory" else 1
    units = max(1, round(value / unit))
    step = int(10 ** max(0, len(str(units)) - 2))
    return (units + step // 2) // step * step * unit


def _variants(workload: d.WorkloadOfPods, seed: int, name: str) -> list[int]:
    if not workload.variants:
        return [-1] * workload.units
    shares = [variant.share for variant in workload.variants]
    picked = DrawStream(seed, name, "variants").picks([*shares, max(0.0, 1.0 - sum(shares))], workload.units)
    return [i if i < len(shares) else -1 for i in picked]
