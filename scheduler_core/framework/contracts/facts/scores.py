"""The numbers in the formulas of scores."""

from __future__ import annotations

from scheduler_core.framework.contracts.facts.base import Fact
from scheduler_core.framework.contracts.facts.nodes import LabelFact


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
    """How far the used fractions of resources are from each other: their standard deviation, 0..0.5."""

    deviation: float


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
