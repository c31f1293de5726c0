"""Cycles as lines of lists, failed ones with short reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.panels.missing import RESOURCES, MissingOnNodes, names_resource, short_of
from dashboard.runs import queries
from dashboard.runs.models import Cycle
from scheduler_core.recording.vocabulary import Code

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.runs.models import PluginVerdict, Run
    from scheduler_core.explain.pending.missing import MissingRoom

# Heads of the columns that sort.
HEADS = {
    "": "Cycle",
    "pod": "Pod",
    "attempt": "Attempt",
    "priority": "Priority",
    "feasible": "Fit",
    "total": "Total",
    "margin": "Lead",
}


@dataclass(frozen=True)
class Head:
    """A head that sorts: its words, the query of a click, and aria-sort of what holds ("" where another one does)."""

    label: str
    query: str
    aria: str


@dataclass(frozen=True)
class ListedReason:
    """Why one plugin refused `nodes` nodes of a cycle: `brief` adds to its name, such as the scarce resources."""

    plugin: str
    text: str
    brief: str
    nodes: int

    @property
    def line(self) -> str:
        """Return it in one line: "NodeResourcesFit gpu-count insufficient on 391"."""
        return f"{self.plugin} {self.text} on {grouped(self.nodes)}"


@dataclass(frozen=True)
class CycleLine:
    """A cycle, and if it found no node the reasons; those about resources first, since they differ most
    between pods.
    """

    cycle: Cycle
    reasons: list[ListedReason]

    @property
    def reason_text(self) -> str:
        """Return all reasons in one line."""
        return " \N{MIDDLE DOT} ".join(one.line for one in self.reasons) or self.cycle.message

    @property
    def lacks_room(self) -> bool:
        """Return whether nodes were refused for lack of room, so that amounts are missing."""
        return any(one.plugin == RESOURCES for one in self.reasons)


def cycle_lines(run: Run, cycles: list[Cycle]) -> list[CycleLine]:
    """Return the lines of these cycles, in their order."""
    verdicts = queries.verdicts_among(run, [cycle.number for cycle in cycles if not cycle.node])
    return [CycleLine(cycle, _reasons(verdicts.get(cycle.number, []))) for cycle in cycles]


def refused_lines(run: Run, numbers: list[int], missing: Mapping[int, MissingRoom]) -> list[CycleLine]:
    """Return the lines of those cycles that found no node, with the `missing` amounts that are known."""
    cycles = Cycle.objects.filter(run_id=run.pk, number__in=numbers, node="").order_by("number")
    verdicts = queries.verdicts_among(run, [cycle.number for cycle in cycles])
    return [CycleLine(cycle, _reasons(verdicts.get(cycle.number, []), missing.get(cycle.number))) for cycle in cycles]


def reason_texts(run: Run, numbers: list[int]) -> dict[int, str]:
    """Return {cycle: who refused, in one line} of those of the cycles in which a node was refused."""
    verdicts = queries.verdicts_among(run, numbers)
    return {
        number: " \N{MIDDLE DOT} ".join(one.line for one in _reasons(cycle_verdicts))
        for number, cycle_verdicts in verdicts.items()
    }


def _reasons(verdicts: list[PluginVerdict], missing: MissingRoom | None = None) -> list[ListedReason]:
    """The reasons; one with an amount replaces those that it sums up."""
    summed = _short_of(missing.resource, verdicts) if missing is not None else []
    rest = [one for one in verdicts if one not in summed]
    reasons = [_reason(one.plugin, _text(one.plugin, one.reasons), one.nodes) for one in rest]
    if missing is not None:
        text = short_of(missing.resource, missing.least, missing.most)
        reasons.insert(0, ListedReason(RESOURCES, text, text, missing.nodes))
    return sorted(reasons, key=lambda one: one.plugin != RESOURCES)


def _short_of(resource: str, verdicts: list[PluginVerdict]) -> list[PluginVerdict]:
    """The refusals for a resource on nodes where preemption could make room; if there are none, on nodes that are too
    small.
    """
    of_resources = [one for one in verdicts if one.plugin == RESOURCES]
    possible = [one for one in of_resources if one.code != Code.UNSCHEDULABLE_AND_UNRESOLVABLE]
    return [one for one in possible or of_resources if names_resource(one.reasons.split(", "), resource)]


def _reason(plugin: str, text: str, nodes: int) -> ListedReason:
    return ListedReason(plugin, text, text.replace(" insufficient", "") if plugin == RESOURCES else "", nodes)


def _text(plugin: str, reasons: str) -> str:
    """The short reasons, without amounts: those need the state at each cycle and are requested separately."""
    return MissingOnNodes().text(plugin, reasons.split(", "), ())
