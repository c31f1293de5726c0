"""Objects that admission reads before a pod exists: quotas, ranges of limits, classes of runtimes; what it is asked.

Amounts are canonical integers by the name of the resource: thousandths for cpu, requests.cpu and limits.cpu, whole
units for all others.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from scheduler_core.api.labels import Labels
from scheduler_core.api.taints import Toleration

Amounts = Mapping[str, int]


class Posted(msgspec.Struct, frozen=True, gc=False, kw_only=True, eq=False):
    """What a pod's manifest says of its priority: "" and None where it says nothing; ``is_known`` False: no manifest is
    known. Equal to every other, as it is no part of what the pod is once it is admitted."""

    is_known: bool = False
    priority_class_name: str = ""
    priority: int | None = None
    preemption_policy: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Posted)

    def __ne__(self, other: object) -> bool:
        return not isinstance(other, Posted)

    def __hash__(self) -> int:
        return 0


class QuotaScope(msgspec.Struct, frozen=True, gc=False):
    """Which pods a quota is for: ``name`` is Terminating, NotTerminating, BestEffort, NotBestEffort, PriorityClass or
    CrossNamespacePodAffinity; all but PriorityClass have the operator Exists and no values."""

    name: str
    operator: str = "Exists"
    values: tuple[str, ...] = ()


class ResourceQuota(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What the objects of a namespace may use in all. A pod counts where it matches all ``scopes``. ``used`` is what
    the status reports; it counts objects that no input holds too."""

    name: str
    namespace: str = "default"
    hard: Amounts = msgspec.field(default_factory=dict)
    scopes: tuple[QuotaScope, ...] = ()
    used: Amounts = msgspec.field(default_factory=dict)

    @property
    def key(self) -> str:
        """namespace/name."""
        return f"{self.namespace}/{self.name}"


class LimitRangeItem(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The rules of a range for one type: Container, Pod or PersistentVolumeClaim, defaults filled in as the API server
    does. ``max_ratio`` is maxLimitRequestRatio in thousandths, whatever the resource."""

    type: str
    max: Amounts = msgspec.field(default_factory=dict)
    min: Amounts = msgspec.field(default_factory=dict)
    default: Amounts = msgspec.field(default_factory=dict)
    default_request: Amounts = msgspec.field(default_factory=dict)
    max_ratio: Amounts = msgspec.field(default_factory=dict)


class LimitRange(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What requests and limits of a namespace's new pods may be, and what they are where none are given."""

    name: str
    namespace: str = "default"
    limits: tuple[LimitRangeItem, ...] = ()

    @property
    def key(self) -> str:
        """namespace/name."""
        return f"{self.namespace}/{self.name}"


class RuntimeClass(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What pods of a container runtime get: overhead, and the nodes that have it."""

    name: str
    handler: str = ""
    overhead: Amounts = msgspec.field(default_factory=dict)
    node_selector: Labels = msgspec.field(default_factory=dict)
    tolerations: tuple[Toleration, ...] = ()
