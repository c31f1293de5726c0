"""What the dialogs of the editor show: the nodes that a pod may go to, and the pods that leave drained nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.answers.outcomes import Answer
from dashboard.answers.panel import OutcomePanel
from dashboard.clusters.map.cluster_map import natural
from dashboard.fit.panel import why_not

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.answers.answering.placing import DrainAnswer, Moved
    from dashboard.clusters.by_hand.drain import DrainPlan
    from scheduler_core.explain.fit import Fit, NodeFit

SHOWN = 60


@dataclass(frozen=True)
class NodeForPod:
    """A node that a pod could be bound to: its total, "" for none, and why the engine refuses it, "" where it fits."""

    node: str
    total: str
    refusal: str
    is_chosen: bool = False


@dataclass(frozen=True)
class PlacesPanel(OutcomePanel):
    """The nodes for a pod, those that fit first; `word` is what a name has to hold, `now` the pod's node."""

    pod: str
    again: str
    word: str = ""
    now: str = ""

    @property
    def fit(self) -> Fit | None:
        """The engine's answer, None where there is none."""
        return self.outcome.value if isinstance(self.outcome, Answer) else None

    @cached_property
    def _named(self) -> list[NodeFit]:
        word = self.word.casefold()
        nodes = [one for one in (self.fit.each() if self.fit else ()) if word in one.node.casefold()]
        return sorted(nodes, key=lambda one: (not one.fits, -(one.total or 0), natural(one.node)))

    @property
    def places(self) -> list[NodeForPod]:
        """The first of them, the best one chosen."""
        return [
            NodeForPod(one.node, "" if one.total is None else str(one.total), why_not(one.refusal), at == 0)
            for at, one in enumerate(self._named[:SHOWN])
        ]

    @property
    def more(self) -> int:
        """How many there are after these."""
        return max(0, len(self._named) - SHOWN)


def node_refusal(outcome: object, node: str) -> str:
    """Return why a pod does not go to a node: what the engine says, or that it does not; "" where it fits."""
    if not isinstance(outcome, Answer):
        return "The engine has not answered, so that it is not known whether the pod fits there."
    fit: Fit = outcome.value
    one = next((one for one in fit.each() if one.node == node), None)
    if one is None:
        return fit.error or fit.gated or f"The engine knows no node {node}."
    return why_not(one.refusal)


@dataclass(frozen=True)
class DrainPanel(OutcomePanel):
    """The pods of drained nodes: where each could go, as far as the engine tried, and which stay."""

    plan: DrainPlan
    again: str

    @property
    def moved(self) -> Sequence[Moved]:
        """The pods that were tried, those for which there is no room first."""
        answer: DrainAnswer | None = self.outcome.value if isinstance(self.outcome, Answer) else None
        return sorted(answer.moved, key=lambda one: bool(one.node)) if answer else ()

    @property
    def n_stuck(self) -> int:
        """How many would wait."""
        return sum(not one.node for one in self.moved)
