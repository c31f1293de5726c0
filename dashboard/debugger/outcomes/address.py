"""The address of the page: filters, grouping, open rows, the run's cursor and the form of the charts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.common.http.params import WHOLE, bool_param, choice_param, int_param, text_param
from dashboard.common.problems import BadQuery
from scheduler_core.explain.outcomes import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping

NEVER_MADE, STUCK_ROLLOUT = OWNER_OUTCOMES = ("never-made", "stuck")
"""What the page filters by beside the kinds of pods: owners of pods that were never made, stuck rollouts."""
GROUPINGS = ("reason", "owner", "namespace")
CHARTS = ("beside", "wide")
"""Where the charts stand: beside the table, or above it across the page."""
PODS = 12
MOST_PODS = 10_000
MOST_OPEN = 2_000


@dataclass(frozen=True)
class OutcomesView:
    """One view of a run's outcomes. `open` are ids of rows that are open, `n` how many pods are listed below one.

    `all`: all groups, not only the largest. `waited`: only pods that waited at some moment from the first to the second
    of these virtual microseconds. `seq` is the event that the debugger is at, -1 for none. Defaults are left out
    of addresses.
    """

    slug: str
    number: int
    outcome: str = ""
    by: str = "reason"
    q: str = ""
    open: tuple[str, ...] = ()
    n: int = PODS
    all: bool = False
    waited: tuple[int, int] | None = None
    seq: int = -1
    charts: str = "beside"

    @property
    def is_filtered(self) -> bool:
        """Whether some pods may be left out."""
        return bool(self.outcome or self.q or self.waited)

    def url(self, **changes: Any) -> str:
        """Return the address with some fields changed."""
        view = replace(self, **changes)
        rows = {"open": ",".join(view.open), "n": str(view.n) if view.n != PODS else "", "all": "1" if view.all else ""}
        fields = {**view.beside_text, "q": view.q, **rows}
        query = urlencode({name: value for name, value in fields.items() if value}, safe=",")
        return f"{self.path}?{query}" if query else self.path

    @property
    def beside_text(self) -> dict[str, str]:
        """Return the fields that stay when another text is searched for, with their values; defaults are left out."""
        fields = {
            "outcome": self.outcome,
            "by": self.by if self.by != "reason" else "",
            "waited": "-".join(map(str, self.waited or ())),
            "seq": str(self.seq) if self.seq >= 0 else "",
            "charts": self.charts if self.charts != "beside" else "",
        }
        return {name: value for name, value in fields.items() if value}

    @property
    def path(self) -> str:
        """Return the page's path."""
        return reverse("debugger:outcomes", kwargs={"slug": self.slug, "number": self.number})

    def filtered(self, outcome: str) -> str:
        """Return the address that shows one kind alone, or all again where it is shown already."""
        return self.url(outcome="" if outcome == self.outcome else outcome, all=False)

    def grouped(self, by: str) -> str:
        """Return the address with another grouping, whose rows are closed."""
        return self.url(by=by, open=(), n=PODS, all=False)

    @property
    def other_charts(self) -> str:
        """Return the address with the charts in their other form."""
        return self.url(charts=CHARTS[self.charts == CHARTS[0]])

    @property
    def any_time(self) -> str:
        """Return the address without the filter by time."""
        return self.url(waited=None)

    def toggled(self, row: str) -> str:
        """Return the address with a row opened, or closed with all below it."""
        if row in self.open:
            return self.url(open=tuple(one for one in self.open if one != row and not one.startswith(f"{row}.")))
        return self.url(open=(*self.open, row))

    def export(self, name: str) -> str:
        """Return the address of the download "md" or "csv" of what is shown."""
        path = reverse("debugger:outcomes_export", kwargs={"slug": self.slug, "number": self.number, "form": name})
        query = self.url(open=(), n=PODS, all=False, seq=-1, charts=CHARTS[0]).partition("?")[2]
        return f"{path}?{query}" if query else path


def view_of(slug: str, number: int, query: Mapping[str, str]) -> OutcomesView:
    """Return the view that a query names; raises BadQuery."""
    opened = text_param(query, "open", MOST_OPEN)
    return OutcomesView(
        slug=slug,
        number=number,
        outcome=choice_param(query, "outcome", (*KINDS, *OWNER_OUTCOMES), ""),
        by=choice_param(query, "by", GROUPINGS, "reason"),
        q=text_param(query, "q", 200),
        open=tuple(dict.fromkeys(one for one in opened.split(",") if one)),
        n=int_param(query, "n", default=PODS, low=1, high=MOST_PODS),
        all=bool_param(query, "all"),
        waited=_waited(text_param(query, "waited", 50)),
        seq=int_param(query, "seq", default=-1),
        charts=choice_param(query, "charts", CHARTS, CHARTS[0]),
    )


def _waited(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    first, _, last = text.partition("-")
    if not (WHOLE.fullmatch(first) and WHOLE.fullmatch(last)) or int(first) > int(last):
        raise BadQuery(f'"waited" must be two moments in microseconds, "0-1500000", not "{text}".')
    return int(first), int(last)
