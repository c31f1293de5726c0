"""The list of a run's cycles: one page, sorted and filtered, each failed cycle with its reasons in short."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.panels.missing import RESOURCES, MissingOnNodes, names_resource, short_of
from dashboard.runs import queries
from dashboard.runs.models import Cycle
from scheduler_core.recording.vocabulary import Code

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.runs.models import PluginVerdict, Run
    from dashboard.runs.queries import CycleFilter
    from scheduler_core.explain.pending.missing import MissingRoom

PAGE = 100
REASONS = 8
# Heads of the columns that sort; more of these comes first at the first click.
_FALLING = ("attempt", "priority", "feasible", "total")
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
class CycleQuery:
    """What the address asks for: the filter, `sort` (one of HEADS, "" the order in which they ran) and `order`.

    Pages by number go on from cycle `after` or end before `before`; pages of a sort are counted from 1.
    """

    filter: CycleFilter
    sort: str = ""
    order: str = ""
    after: int | None = None
    before: int | None = None
    page: int = 1

    @property
    def is_down(self) -> bool:
        """Return whether large values come first."""
        return self.order == "desc" if self.order else self.sort in _FALLING

    def address(self, **changes: str) -> str:
        """Return the query of an address with the same filter and sort, some changed, without a page."""
        parameters = {name: str(getattr(self.filter, field)) for name, field in _FIELDS.items()}
        parameters |= {"preempting": "1" if self.filter.preempting else "", "sort": self.sort, "order": self.order}
        return urlencode({name: value for name, value in (parameters | changes).items() if value})


_FIELDS = {
    "outcome": "outcome",
    "pod": "pod",
    "node": "node",
    "plugin": "plugin",
    "reasons": "reasons",
    "decided": "decided",
    "q": "text",
}


@dataclass(frozen=True)
class Head:
    """A head that sorts: its words, the query of a click, and aria-sort of what holds ("" where another one does)."""

    label: str
    query: str
    aria: str


@dataclass(frozen=True)
class ListedReason:
    """Why one plugin refused `nodes` nodes of a cycle: `brief` is what its name does not say, the scarce resources."""

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
    """A cycle, and where it found no node the reasons, those that differ most from pod to pod first: of resources."""

    cycle: Cycle
    reasons: list[ListedReason]

    @property
    def reason_text(self) -> str:
        """Return all reasons in one line."""
        return " \N{MIDDLE DOT} ".join(one.line for one in self.reasons) or self.cycle.message

    @property
    def lacks_room(self) -> bool:
        """Return whether nodes were refused for room, so that an amount is missing."""
        return any(one.plugin == RESOURCES for one in self.reasons)


@dataclass(frozen=True)
class ReasonCount:
    """A reason that cycles failed for, how many did, and the query of the list of them."""

    plugin: str
    text: str
    cycles: int
    query: str
    is_chosen: bool


@dataclass
class CycleList:
    """One page of the list; `first` to `last` are places among the `total` cycles that pass the filter, of `of`."""

    rows: list[CycleLine]
    query: CycleQuery
    first: int
    last: int
    total: int
    of: int
    previous: str
    next: str
    heads: dict[str, Head] = field(default_factory=dict)

    @property
    def short_of_room(self) -> str:
        """Return the numbers of the cycles on the page that nodes refused for room, with commas between them."""
        return ",".join(str(row.cycle.number) for row in self.rows if row.lacks_room)

    @property
    def place_text(self) -> str:
        """Return what is on the page: "1 to 100 of 1,944 that match, of 8,972 cycles"."""
        place = f"{grouped(self.first)} to {grouped(self.last)} of {grouped(self.total)}"
        return f"{place} cycles" if self.query.filter.is_open else f"{place} that match, of {grouped(self.of)} cycles"


def cycle_list(run: Run, query: CycleQuery) -> CycleList:
    """Return the page that the query asks for."""
    listed = _by_number(run, query) if not query.sort else _sorted(run, query)
    verdicts = queries.verdicts_among(run, [row.cycle.number for row in listed.rows if not row.cycle.node])
    listed.rows = [CycleLine(row.cycle, _reasons(verdicts.get(row.cycle.number, []))) for row in listed.rows]
    listed.heads = {name or "number": _head(name, label, query) for name, label in HEADS.items()}
    return listed


def refused_lines(run: Run, numbers: list[int], missing: Mapping[int, MissingRoom]) -> list[CycleLine]:
    """Return those of the cycles that found no node, with what was `missing` in them as far as that is known."""
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


def _by_number(run: Run, query: CycleQuery) -> CycleList:
    page = queries.cycles_page(run, query.filter, after=query.after, before=query.before, size=PAGE)
    place = queries.position_of(run, query.filter, page)
    return CycleList(
        rows=[CycleLine(cycle, []) for cycle in page.items],
        query=query,
        first=place.first,
        last=place.last,
        total=place.total,
        of=run.head.cycle,
        previous=query.address(before=str(page.before)) if page.before else "",
        next=query.address(after=str(page.after)) if page.after else "",
    )


def _sorted(run: Run, query: CycleQuery) -> CycleList:
    cycles = queries.sorted_cycles(run, query.filter, query.sort, query.is_down, query.page, PAGE)
    total = run.head.cycle if query.filter.is_open else query.filter.apply(run).count()
    first = (query.page - 1) * PAGE + 1
    return CycleList(
        rows=[CycleLine(cycle, []) for cycle in cycles],
        query=query,
        first=first if cycles else 0,
        last=first - 1 + len(cycles) if cycles else 0,
        total=total,
        of=run.head.cycle,
        previous=query.address(page=str(query.page - 1)) if query.page > 1 else "",
        next=query.address(page=str(query.page + 1)) if query.page * PAGE < total else "",
    )


def _reasons(verdicts: list[PluginVerdict], missing: MissingRoom | None = None) -> list[ListedReason]:
    """The reasons, one with an amount in place of those that it sums up."""
    summed = _short_of(missing.resource, verdicts) if missing is not None else []
    rest = [one for one in verdicts if one not in summed]
    reasons = [_reason(one.plugin, _text(one.plugin, one.reasons), one.nodes) for one in rest]
    if missing is not None:
        text = short_of(missing.resource, missing.least, missing.most)
        reasons.insert(0, ListedReason(RESOURCES, text, text, missing.nodes))
    return sorted(reasons, key=lambda one: one.plugin != RESOURCES)


def _short_of(resource: str, verdicts: list[PluginVerdict]) -> list[PluginVerdict]:
    """The refusals for a resource on nodes where room could be made; on those too small where there are no others."""
    of_resources = [one for one in verdicts if one.plugin == RESOURCES]
    possible = [one for one in of_resources if one.code != Code.UNSCHEDULABLE_AND_UNRESOLVABLE]
    return [one for one in possible or of_resources if names_resource(one.reasons.split(", "), resource)]


def _reason(plugin: str, text: str, nodes: int) -> ListedReason:
    return ListedReason(plugin, text, text.replace(" insufficient", "") if plugin == RESOURCES else "", nodes)


def _text(plugin: str, reasons: str) -> str:
    """The reasons in short: their amounts take the state at each cycle, and are asked for apart."""
    return MissingOnNodes().text(plugin, reasons.split(", "), ())


def _head(name: str, label: str, query: CycleQuery) -> Head:
    is_here = query.sort == name
    aria = ("descending" if query.is_down else "ascending") if is_here else ""
    turned = "" if not is_here or not name else ("asc" if query.is_down else "desc")
    return Head(label, query.address(sort=name, order=turned), aria)


def reason_counts(run: Run, query: CycleQuery) -> list[ReasonCount]:
    """Return the reasons of the cycles that found no node, those of most cycles first."""
    return [_count(query, row) for row in queries.reasons_of_failures(run, REASONS)]


def _count(query: CycleQuery, row: Mapping[str, str | int]) -> ReasonCount:
    plugin, reasons = str(row["plugin"]), str(row["reasons"])
    is_chosen = (query.filter.plugin, query.filter.reasons) == (plugin, reasons)
    chosen = {"plugin": "", "reasons": ""} if is_chosen else {"plugin": plugin, "reasons": reasons}
    narrowed = query.address(**chosen, outcome="" if is_chosen else "unschedulable")
    return ReasonCount(plugin, _text(plugin, reasons), int(row["cycles"]), narrowed, is_chosen)
