"""What a node lacks for a pod, in numbers."""

from __future__ import annotations

import msgspec

from scheduler_core.api.objects import Node, Resources
from scheduler_core.api.quantity import format_quantity
from scheduler_core.api.resources import CPU, EPHEMERAL_STORAGE, MEMORY, PODS

_FIRST = (PODS, CPU, MEMORY, EPHEMERAL_STORAGE)


class Shortfall(msgspec.Struct, frozen=True):
    """A resource that does not suffice: canonical integers (cpu in thousandths, others whole units)."""

    resource: str
    needs: int
    free: int
    allocatable: int

    @property
    def missing(self) -> int:
        """How much would have to be freed, or added where the node is too small."""
        return self.needs - self.free

    @property
    def is_too_small(self) -> bool:
        """Whether even the empty node would not do."""
        return self.needs > self.allocatable

    @property
    def share(self) -> float:
        """The missing part of what is needed, 0..1: how near a miss it is."""
        return min(1.0, self.missing / self.needs) if self.needs else 1.0

    def text(self) -> str:
        """ "short of 500m cpu: needs 6, has 5500m free" """
        missing, needs, free = (_amount(self.resource, v) for v in (self.missing, self.needs, max(self.free, 0)))
        if self.is_too_small:
            return f"too small: needs {needs} {self.resource}, has {_amount(self.resource, self.allocatable)} in all"
        return f"short of {missing} {self.resource}: needs {needs}, has {free} free"


def shortfalls(requests: Resources, node: Node, requested: Resources, pod_count: int) -> tuple[Shortfall, ...]:
    """Resources that do not suffice, in the order of NodeResourcesFit; ``requested`` are the sums on the node."""
    wanted = {PODS: 1, **{name: value for name, value in requests.items() if value > 0}}
    found = []
    for name in sorted(wanted, key=_place):
        needs = wanted[name]
        whole = node.allocatable.get(name, 0)
        free = whole - (pod_count if name == PODS else requested.get(name, 0))
        if needs > free:
            found.append(Shortfall(name, needs, free, whole))
    return tuple(found)


def _place(resource: str) -> tuple[int, str]:
    """Pods, then the resources that every node has, then the others by name."""
    return (_FIRST.index(resource) if resource in _FIRST else len(_FIRST), resource)


def _amount(resource: str, value: int) -> str:
    return format_quantity(resource, value)
