"""The address of a search: the query, the runs, what is counted by, the range of time, and where the page begins."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.common.http.params import (
    INT32_MAX,
    bool_param,
    choice_param,
    int_param,
    optional_int,
    shown,
    text_param,
)
from dashboard.common.problems import BadQuery
from dashboard.query.searching import MAX_RUNS
from dashboard.runs.models import Cycle
from dashboard.runs.queries import CYCLE_SORTS, OUTCOMES
from dashboard.search.query_page.narrowing import condition
from scheduler_core.query.search import LAST_INDEX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import QueryDict

    from dashboard.runs.models import Run

PRESET = "cycle"
GROUPS = ("reason", "plugin", "namespace", "node", "outcome", "type", "run", "none")
LAST_US = 2**53
MOST_TURNS = 10_000
# A query of any length is answered: with what is wrong about it.
LONGEST = 20_000
_PLACE = re.compile(r"(\d{1,9})\.(-?\d{1,16})\.(-?\d{1,19})", re.ASCII)
_NUMBERS = re.compile(r"\d{1,9}(?:,\d{1,9})*", re.ASCII)


@dataclass(frozen=True)
class RunPlace:
    """A place in the hits of a run, by the run's number."""

    run: int
    seq: int
    index: int

    def __str__(self) -> str:
        return f"{self.run}.{self.seq}.{self.index}"


@dataclass(frozen=True)
class SearchAddress:
    """What is asked for. `run` is that of the tab; without one `runs` are chosen ones, () the whole workspace.

    Hits are those from virtual time `low` until before `high`, after `after` or before `before`; `at` is the time
    with whose hits the page begins. Cycles may be sorted, in pages from 1. `turn` counts what was read of a search by
    chunks, which `is_stopped` ends.
    """

    slug: str
    run: int | None = None
    runs: tuple[int, ...] = ()
    q: str = PRESET
    group: str = ""
    low: int | None = None
    high: int | None = None
    after: RunPlace | None = None
    before: RunPlace | None = None
    sort: str = ""
    order: str = ""
    page: int = 1
    turn: int = 0
    is_stopped: bool = False

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of the runs that are searched, () for all of the workspace."""
        return (self.run,) if self.run is not None else self.runs

    @property
    def path(self) -> str:
        """Return where the page is."""
        if self.run is not None:
            return reverse("search:run", args=[self.slug, self.run])
        return reverse("search:workspace", args=[self.slug])

    @property
    def query(self) -> str:
        """Return the query of the address."""
        values = {
            "q": self.q,
            "runs": ",".join(map(str, self.runs)),
            "group": self.group,
            "from": self.low,
            "to": self.high,
            "after": self.after,
            "before": self.before,
            "sort": self.sort,
            "order": self.order,
            "page": self.page if self.page > 1 else "",
            "turn": self.turn or "",
            "stopped": "1" if self.is_stopped else "",
        }
        return urlencode({name: value for name, value in values.items() if value not in ("", None)})

    def url(self, **changes: Any) -> str:
        """Return the address with some of it changed; what is not named keeps its place among the hits."""
        changed = replace(self, **changes) if changes else self
        return f"{changed.path}?{changed.query}"

    def first(self, **changes: Any) -> SearchAddress:
        """Return the address of the first page of what is changed."""
        return replace(self, **{"after": None, "before": None, "page": 1, "turn": 0, "is_stopped": False, **changes})

    def first_url(self, **changes: Any) -> str:
        """Return `first` as text."""
        return self.first(**changes).url()


def search_address(slug: str, run: int | None, query: QueryDict) -> SearchAddress:
    """Return what the address asks for; raises BadQuery."""
    text = query.get("q", "").strip()
    return SearchAddress(
        slug,
        run,
        _numbers(query) if run is None else (),
        text[:LONGEST] or PRESET,
        choice_param(query, "group", GROUPS, ""),
        optional_int(query, "from", 0, LAST_US),
        optional_int(query, "to", 0, LAST_US),
        _place(query, "after"),
        _place(query, "before"),
        choice_param(query, "sort", CYCLE_SORTS, ""),
        choice_param(query, "order", ("asc", "desc"), ""),
        int_param(query, "page", default=1, low=1, high=1_000_000),
        int_param(query, "turn", default=0, low=0, high=MOST_TURNS),
        bool_param(query, "stopped"),
    )


def _numbers(query: QueryDict) -> tuple[int, ...]:
    """The runs in ?runs=3,5; a form says ?runs=3&runs=5."""
    text = ",".join(query.getlist("runs"))[: 10 * MAX_RUNS].strip(",")
    if not text:
        return ()
    if not _NUMBERS.fullmatch(text):
        raise BadQuery(f'"runs" must be numbers of runs with commas between them, not "{shown(text)}".')
    return tuple(dict.fromkeys(int(number) for number in text.split(",") if int(number) <= INT32_MAX))


def _place(query: Mapping[str, str], name: str) -> RunPlace | None:
    text = query.get(name, "")
    if not text:
        return None
    match = _PLACE.fullmatch(text)
    if match is None or not (-1 <= int(match[2]) <= 2**53 and -1 <= int(match[3]) <= 2**62):
        raise BadQuery(f'"{name}" must be a place among hits as the page writes it, not "{shown(text)}".')
    return RunPlace(int(match[1]), int(match[2]), int(match[3]))


_FIELDS = {
    "pod": "pod",
    "node": "node",
    "plugin": "refusal.plugin",
    "reasons": "refusal.reason",
    "decided": "decided_by",
}


def address_of_cycles(slug: str, run: Run, query: Mapping[str, str]) -> SearchAddress:
    """Return the search that shows the cycles which the old address asked for; raises BadQuery."""
    parts = []
    if outcome := choice_param(query, "outcome", OUTCOMES, ""):
        parts.append(condition("outcome", outcome))
    for name, field in _FIELDS.items():
        if value := text_param(query, name, 2_000):
            parts.append(condition(field, value))
    if bool_param(query, "preempting"):
        parts.append("preempting")
    if text := text_param(query, "q", 400):
        part = condition("", text).removeprefix(":")
        parts.append(f"(pod~{part} or node~{part})")
    return SearchAddress(
        slug,
        run.number,
        q=" and ".join(parts) or PRESET,
        after=_place_behind(run, optional_int(query, "after")),
        sort=choice_param(query, "sort", CYCLE_SORTS, ""),
        order=choice_param(query, "order", ("asc", "desc"), ""),
    )


def _place_behind(run: Run, cycle: int | None) -> RunPlace | None:
    row = Cycle.objects.filter(run_id=run.pk, number=cycle).first() if cycle else None
    return RunPlace(run.number, row.first_seq, LAST_INDEX) if row else None
