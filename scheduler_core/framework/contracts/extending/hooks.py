"""What the phases of a cycle ask of extenders. The engine hands in the answers; nothing here knows of HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from scheduler_core.api.objects import Node
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.extending.recorded import BindCall, FilterCall, PreemptCall
from scheduler_core.framework.contracts.status import Code, Status

SCORE_RATIO = 10
"""An extender's score counts this many times its weight: MaxNodeScore / MaxExtenderPriority, which are 100 and 10."""
LEFT_OUT = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE)
"""What a node counts with that an extender neither returned nor named: the reference has no status for it, and takes
such nodes for unresolvable (NodeToStatus.Get)."""


class ExtenderError(Exception):
    """A call failed, and so does what it was made for. The message is kube-scheduler's."""


class NodeReplacement(msgspec.Struct, frozen=True):
    """A node as an extender's answer has it: typed, and as it was sent."""

    node: Node
    raw: Mapping[str, Any]


class ExtendedFilter(msgspec.Struct):
    """What extenders make of the nodes that passed the filters, over both passes of a cycle.

    ``names`` are the nodes left, in order, perhaps with unknown ones and some several times; ``replaced`` is set where
    they go on as an answer has them. ``statuses`` are those that extenders gave, by name of node. ``calls`` grows with
    each call. ``unknown`` are the ``names`` without a row, ``n_plugins`` the rows of the outcome's codes that are those
    of plugins, and ``n_left_out`` the visited nodes without a status: filled in once all extenders were asked.
    """

    names: list[str] = []
    replaced: dict[str, NodeReplacement] | None = None
    statuses: dict[str, Status] = {}
    calls: list[FilterCall] = []
    unknown: tuple[str, ...] = ()
    n_plugins: int = 0
    n_left_out: int = 0


class HostScores(msgspec.Struct, frozen=True):
    """An extender's scores by name of node, those of one name added up; ``error`` where the call failed."""

    extender: int
    name: str
    weight: int
    scores: Mapping[str, int] = {}
    error: str = ""


class NodeVictims(msgspec.Struct, frozen=True):
    """Who would be evicted on a node, in order, and how many of these evictions violate a budget."""

    pods: tuple[PodInfo, ...]
    violations: int = 0


class PreemptOutcome(msgspec.Struct, frozen=True):
    """What extenders left of the candidates, by node; ``error`` where a call failed and its extender counts."""

    candidates: Mapping[str, NodeVictims]
    calls: tuple[PreemptCall, ...] = ()
    error: str = ""


class Extenders(Protocol):
    """The extenders of a configuration that has some, as the phases of a cycle ask them."""

    any_filters: bool
    """Whether any of them has a filterVerb."""
    any_scores: bool
    """Whether any of them has a prioritizeVerb."""

    def filter(self, pod: PodInfo, extended: ExtendedFilter, *, nominated: bool = False) -> None:
        """Have the nodes ``extended.names`` filtered, and note there what came of it. Raises ExtenderError."""
        ...

    def prioritize(self, pod: PodInfo, extended: ExtendedFilter) -> list[HostScores]:
        """What each extender that scores the pod gives the nodes; a call that fails is reported, never raised."""
        ...

    def preempt(self, pod: PodInfo, candidates: Mapping[str, NodeVictims]) -> PreemptOutcome:
        """Have each extender that takes part in preemption choose among the candidates."""
        ...

    def bind(self, pod: PodInfo, node: str, cycle: int) -> Sequence[BindCall]:
        """The calls made to bind the pod, in order. It is bound where the last one has no error; where there is none,
        or the last one's error is ignored, a bind plugin has to."""
        ...
