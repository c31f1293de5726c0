"""How well each resource is used at the end of a run. Shares are from 0 to 1, None where there is nothing to divide by.

- ``share``: requested / allocatable, summed over all nodes.
- ``deviation`` (balance): the standard deviation of requested / allocatable over the nodes that have the resource.
- ``packing``: requested / allocatable over the nodes in use alone, those on which a pod is placed.
- ``fragmentation``: the part of what is free that a pod of this run, drawn by chance from those that ask for the
  resource, could not use, because on its node it lacks this or another resource or a slot. After F_n(M) of Weng et al.,
  "Beware of Fragmentation", USENIX ATC 2023, with the run's pods as M, for any resource, divided by what is free:
  sum over requests m of p_m * (free on nodes where m does not fit) / free. Only sizes count: no taints, no selectors.
"""

from __future__ import annotations

from collections import Counter

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.resources import PODS
from scheduler_core.explain.outcomes import OutcomesTally
from scheduler_core.explain.outcomes.nodes import NodeColumns
from scheduler_core.explain.outcomes.objects import Requests, counted


class ResourceUse(msgspec.Struct, frozen=True):
    """One resource at the end of one run; see the head of the module."""

    share: float | None = None
    deviation: float | None = None
    packing: float | None = None
    fragmentation: float | None = None


NONE = ResourceUse()


class ResourceDifference(msgspec.Struct, frozen=True):
    """One resource on both sides."""

    resource: str
    a: ResourceUse
    b: ResourceUse

    def swapped(self) -> ResourceDifference:
        """The resource as seen from the other side."""
        return ResourceDifference(self.resource, self.b, self.a)


def resource_use(tally: OutcomesTally) -> dict[str, ResourceUse]:
    """The use of each resource that a pod of the run asks for."""
    columns = NodeColumns(tally)
    demand = Counter(tally.objects.requests(tally.objects.pods.get(record.pod)) for record in tally.records)
    resources = sorted({name for requests in demand for name, _ in requests})
    waste = _wasted(columns, demand, resources)
    return {name: _use(columns, name, waste[name]) for name in resources}


def resource_differences(a: dict[str, ResourceUse], b: dict[str, ResourceUse]) -> list[ResourceDifference]:
    """Every resource that pods of either run ask for, by name."""
    return [ResourceDifference(name, a.get(name, NONE), b.get(name, NONE)) for name in sorted({**a, **b})]


def _use(columns: NodeColumns, resource: str, waste: float) -> ResourceUse:
    whole, used = _floats(columns.allocatable(resource)), _floats(columns.used(resource))
    has = whole > 0
    if not has.any():
        return NONE
    in_use = has & (columns.used(PODS) > 0)
    free = float(_free(columns, resource).sum())
    return ResourceUse(
        share=float(used[has].sum() / whole[has].sum()),
        deviation=columns.deviation(resource),
        packing=float(used[in_use].sum() / whole[in_use].sum()) if in_use.any() else None,
        fragmentation=waste / free if free else None,
    )


def _wasted(columns: NodeColumns, demand: Counter[Requests], resources: list[str]) -> dict[str, float]:
    """{resource: what of it a pod drawn by chance from those that ask for it cannot use}."""
    pods, sums = Counter[str](), dict.fromkeys(resources, 0.0)
    for requests, n in demand.items():
        unfit = ~columns.fits(counted(requests))
        for name, _ in requests:
            pods[name] += n
            sums[name] += n * float(_free(columns, name)[unfit].sum())
    return {name: sums[name] / pods[name] for name in resources}


def _free(columns: NodeColumns, resource: str) -> NDArray[np.float64]:
    return _floats(np.maximum(columns.free(resource), 0))


def _floats(column: NDArray[np.int64]) -> NDArray[np.float64]:
    return column.astype(np.float64)
