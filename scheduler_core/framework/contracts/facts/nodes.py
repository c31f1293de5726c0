"""Facts that follow from a pod, a node and the pods on it."""

from __future__ import annotations

from scheduler_core.api.taints import Toleration
from scheduler_core.framework.contracts.facts.base import Fact, Holder


class ResourceFact(Fact, frozen=True, kw_only=True):
    """A resource that the pod asks for; canonical integers (cpu in thousandths, others whole units; "pods": 1 each).

    ``requested`` is the sum of the requests of all pods counted on the node, of which nominated pods, not placed there
    yet, have ``promised``. ``holders`` are the pods with a part of it, the largest part first, then by name.
    """

    resource: str
    asked: int
    allocatable: int
    requested: int
    promised: int = 0
    holders: tuple[Holder, ...] = ()

    @property
    def subject(self) -> str:
        """The resource."""
        return self.resource

    @property
    def free(self) -> int:
        """What placed pods leave of the allocatable amount; negative where they have more than that."""
        return self.allocatable - self.requested + self.promised

    @property
    def missing(self) -> int:
        """How much would have to be freed, or added where the node is too small; 0 where it suffices."""
        return max(0, self.asked - (self.allocatable - self.requested))

    @property
    def is_too_small(self) -> bool:
        """Whether even the empty node would not do."""
        return self.asked > self.allocatable


class LabelFact(Fact, frozen=True, kw_only=True):
    """A requirement on a label (or on metadata.name) and the node's value, None where the label is missing.

    ``source``: "nodeSelector", "required node affinity" or "addedAffinity" (the profile's own). Requirements of one
    ``term`` (from 0) hold together; one term of a source is enough. An empty ``key`` stands for a term without
    requirements, which matches no node. ``met`` is the verdict on this requirement alone.
    """

    source: str
    key: str
    operator: str
    values: tuple[str, ...] = ()
    value: str | None = None
    met: bool = False
    term: int = 0

    @property
    def subject(self) -> str:
        """The field that requires it."""
        return _LABEL_FIELDS.get(self.source, self.source)

    @property
    def needs(self) -> dict[str, str]:
        """The key with the value, or with the operator and the values."""
        if self.operator == "In" and len(self.values) == 1:
            return {self.key: self.values[0]}
        return {self.key: f"{self.operator} {', '.join(self.values)}".strip()} if self.key else {}


_LABEL_FIELDS = {"nodeSelector": "spec.nodeSelector", "required node affinity": "spec.affinity.nodeAffinity"}


class TaintFact(Fact, frozen=True, kw_only=True):
    """A taint of the node. ``by`` is the toleration that tolerates it; where none does, ``missing`` is the narrowest
    one that would."""

    key: str
    value: str = ""
    effect: str = "NoSchedule"
    code: str = "TAINT_UNTOLERATED"
    by: Toleration | None = None
    missing: Toleration | None = None

    @property
    def subject(self) -> str:
        """The taint as kubectl writes it: "key=value:effect"."""
        return f"{self.key}{f'={self.value}' if self.value else ''}:{self.effect}"


class CordonFact(Fact, frozen=True, kw_only=True):
    """Whether the node is cordoned (spec.unschedulable), and whether the pod tolerates that."""

    code: str = "CORDONED"
    cordoned: bool
    tolerated: bool

    @property
    def subject(self) -> str:
        """The node's field."""
        return "spec.unschedulable"


class NodeNameFact(Fact, frozen=True, kw_only=True):
    """The one node that the pod asks for by spec.nodeName."""

    code: str = "NODE_NAME"
    node_name: str

    @property
    def subject(self) -> str:
        """The pod's field."""
        return "spec.nodeName"

    @property
    def needs(self) -> dict[str, str]:
        """The node."""
        return {"name": self.node_name}


class FeatureFact(Fact, frozen=True, kw_only=True):
    """A feature that the pod needs of its node, by the name that nodes declare it under."""

    code: str = "FEATURE_NOT_DECLARED"
    feature: str

    @property
    def subject(self) -> str:
        """The node's field."""
        return "status.declaredFeatures"

    @property
    def needs(self) -> dict[str, str]:
        """The feature."""
        return {"feature": self.feature}


class PortFact(Fact, frozen=True, kw_only=True):
    """A host port that the pod wants, and the pod on the node that holds it; ``address`` 0.0.0.0 stands for all.

    ``holder`` is "" where the port is free. ``held_address`` is the address that the holder listens on.
    """

    code: str = "PORT_TAKEN"
    port: int
    protocol: str = "TCP"
    address: str = "0.0.0.0"
    holder: str = ""
    held_address: str = ""

    @property
    def subject(self) -> str:
        """The port: "80/TCP", with its address where it asks for one."""
        address = "" if self.address == "0.0.0.0" else f"{self.address}:"
        return f"{address}{self.port}/{self.protocol}"


class ShareFact(Fact, frozen=True, kw_only=True):
    """A resource that a score looks at: canonical integers, ``requested`` with the pod's ``asked`` in it.

    ``points`` is what the formula makes of this resource alone, None where it only combines resources; the score is the
    mean of the points by ``weight``.
    """

    resource: str
    asked: int
    requested: int
    allocatable: int
    weight: int = 1
    points: int | None = None


class DeviationFact(Fact, frozen=True, kw_only=True):
    """How far the used fractions of resources are from each other with the pod: their standard deviation, 0..0.5.

    ``before``: the same without the pod, None where it does not count.
    """

    deviation: float
    before: float | None = None


class PreferenceFact(Fact, frozen=True, kw_only=True):
    """A preferred node affinity term with its weight; it counts where all of its requirements are met."""

    weight: int
    met: bool
    requirements: tuple[LabelFact, ...] = ()


class ImageFact(Fact, frozen=True, kw_only=True):
    """An image of the pod: whether the node has it, its size in bytes, on how many of how many nodes it is.

    ``counted``: the bytes that count, the size times the share of nodes that hold it.
    """

    image: str
    here: bool
    size: int = 0
    nodes: int = 0
    of_nodes: int = 0
    counted: int = 0
