"""Rows of hits, with the columns that fit what they are, and each with the address of its cursor."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.db.models import F
from django.urls import reverse

from dashboard.debugger.panels.cycle_list import HEADS, CycleLine, Head, cycle_lines
from dashboard.debugger.why.address import why_url
from dashboard.query.rows import cycles_matching
from dashboard.runs.models import Cycle
from dashboard.search.query_page.gathering import PAGE, ListedHits
from scheduler_core.query import QuerySubject

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.runs.models import Run
    from dashboard.search.query_page.address import SearchAddress
    from scheduler_core.query import Query
    from scheduler_core.query.hits import Hit

# More of these comes first at the first click.
FALLING = ("attempt", "priority", "feasible", "total")


@dataclass(frozen=True)
class HitRow:
    """A hit of a run: of a cycle its line, else what the search said. `why` is the page that says why, "" for none."""

    run: Run
    url: str
    why: str = ""
    line: CycleLine | None = None
    hit: Hit | None = None


@dataclass(frozen=True)
class HitTable:
    """One page of hits. `first` is the place of the first among all (0: nobody counted)."""

    rows: list[HitRow]
    next: str = ""
    previous: str = ""
    first: int = 0
    is_pending: bool = False

    @property
    def last(self) -> int:
        """Return the place of the last one."""
        return self.first + len(self.rows) - 1

    @property
    def has_totals(self) -> bool:
        """Return whether a cycle of the page chose a node, so that there are totals and leads to show."""
        return any(row.line is not None and row.line.cycle.total is not None for row in self.rows)

    @property
    def short_of_room(self) -> str:
        """Return the numbers of the cycles on the page that nodes refused for room, with commas between them."""
        lines = (row.line for row in self.rows if row.line is not None)
        return ",".join(str(line.cycle.number) for line in lines if line.lacks_room)


def hit_table(hits: ListedHits, query: Query, address: SearchAddress) -> HitTable:
    """Return the rows of a page of hits."""
    is_of_cycles = query.subject is QuerySubject.CYCLE
    lines = _lines(hits.rows) if is_of_cycles else {}
    rows = []
    for run, hit in hits.rows:
        line = lines.get((run.pk, hit.cycle))
        # A cycle without a row is one of a run that was deleted since.
        if line is not None or not is_of_cycles:
            rows.append(_row(run, address, line=line, hit=hit))
    following = address.first_url(after=hits.next) if hits.next else ""
    previous = address.first_url(before=hits.previous) if hits.previous else ""
    return HitTable(rows, following, previous, is_pending=hits.is_pending)


def sorted_table(run: Run, query: Query, address: SearchAddress) -> HitTable:
    """Return a page of the run's cycles by what the address sorts by; raises NotOfRows."""
    key, start = F(address.sort), (address.page - 1) * PAGE
    order = key.desc(nulls_last=True) if is_falling(address) else key.asc(nulls_last=True)
    cycles = list(cycles_matching(run, query).order_by(order, "number")[start : start + PAGE + 1])
    rows = [_row(run, address, line=line) for line in cycle_lines(run, cycles[:PAGE])]
    following = address.url(page=address.page + 1) if len(cycles) > PAGE else ""
    previous = address.url(page=address.page - 1) if address.page > 1 else ""
    return HitTable(rows, following, previous, first=start + 1 if rows else 0)


def place_of_first(run: Run, query: Query, table: HitTable) -> int:
    """Return which of the run's cycles the first row is, 0 without rows; raises NotOfRows."""
    line = table.rows[0].line if table.rows else None
    return 0 if line is None else 1 + cycles_matching(run, query).filter(number__lt=line.cycle.number).count()


def is_falling(address: SearchAddress) -> bool:
    """Return whether large values come first."""
    return address.order == "desc" if address.order else address.sort in FALLING


def table_heads(address: SearchAddress) -> dict[str, Head]:
    """Return the heads that sort cycles, by name."""
    heads = {}
    for name, label in HEADS.items():
        is_here = address.sort == name
        aria = ("descending" if is_falling(address) else "ascending") if is_here else ""
        turned = "" if not is_here or not name else ("asc" if is_falling(address) else "desc")
        heads[name or "number"] = Head(label, address.first(sort=name, order=turned).query, aria)
    return heads


def _lines(rows: Iterable[tuple[Run, Hit]]) -> dict[tuple[Any, int], CycleLine]:
    numbers: dict[Run, list[int]] = defaultdict(list)
    for run, hit in rows:
        numbers[run].append(hit.cycle)
    return {
        (run.pk, line.cycle.number): line
        for run, of_run in numbers.items()
        for line in cycle_lines(run, list(Cycle.objects.filter(run_id=run.pk, number__in=of_run).order_by("number")))
    }


def _row(run: Run, address: SearchAddress, line: CycleLine | None = None, hit: Hit | None = None) -> HitRow:
    why = ""
    if line is not None and line.cycle.outcome == "unschedulable":
        cycle = line.cycle
        why = f"{why_url(address.slug, run.number, cycle.pod, cycle.pod_uid or '')}&attempt={cycle.attempt}"
    return HitRow(run, hit_url(run, address, line, hit), why, line, hit)


def hit_url(run: Run, address: SearchAddress, line: CycleLine | None, hit: Hit | None) -> str:
    """Return the address of the moment of a hit, with what it is about selected and the query kept for its marks."""
    where: dict[str, Any]
    if line is not None:
        where = {"cycle": line.cycle.number} | ({} if line.cycle.outcome == "scheduled" else {"tab": "why"})
    else:
        assert hit is not None
        where = _moment(hit)
    path = reverse("debugger:run", args=[address.slug, run.number])
    return f"{path}?{urlencode(where | {'hits': address.q})}"


def _moment(hit: Hit) -> dict[str, Any]:
    if hit.subject == QuerySubject.CELL:
        return {"cycle": hit.cycle, "plugin": hit.plugin, "node": hit.node}
    if hit.subject == QuerySubject.CYCLE:
        return {"cycle": hit.cycle}
    return {"seq": hit.seq + 1} | ({"pod": hit.pod} if hit.pod else {})
