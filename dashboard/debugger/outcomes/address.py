"""The address of the page: filter, grouping, open rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.common.http.params import bool_param, choice_param, int_param, text_param
from scheduler_core.explain.outcomes import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping

GROUPINGS = ("reason", "owner", "namespace")
PODS = 12
MOST_PODS = 10_000
MOST_OPEN = 2_000


@dataclass(frozen=True)
class OutcomesView:
    """One view of a run's outcomes. `open` are ids of rows that are open, `n` how many pods are listed below one.

    `all`: all groups, not only the largest. Defaults stay out of addresses.
    """

    slug: str
    number: int
    outcome: str = ""
    by: str = "reason"
    q: str = ""
    open: tuple[str, ...] = ()
    n: int = PODS
    all: bool = False

    def url(self, **changes: Any) -> str:
        """Return the address with some fields changed."""
        view = replace(self, **changes)
        fields = {
            "outcome": view.outcome,
            "by": view.by if view.by != "reason" else "",
            "q": view.q,
            "open": ",".join(view.open),
            "n": view.n if view.n != PODS else "",
            "all": 1 if view.all else "",
        }
        query = urlencode({name: value for name, value in fields.items() if value}, safe=",")
        return f"{self.path}?{query}" if query else self.path

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

    def toggled(self, row: str) -> str:
        """Return the address with a row opened, or closed with all below it."""
        if row in self.open:
            return self.url(open=tuple(one for one in self.open if one != row and not one.startswith(f"{row}.")))
        return self.url(open=(*self.open, row))

    def export(self, name: str) -> str:
        """Return the address of the download "md" or "csv" of what is shown."""
        path = reverse("debugger:outcomes_export", kwargs={"slug": self.slug, "number": self.number, "form": name})
        query = self.url(open=(), n=PODS, all=False).partition("?")[2]
        return f"{path}?{query}" if query else path


def view_of(slug: str, number: int, query: Mapping[str, str]) -> OutcomesView:
    """Return the view that a query names; raises BadQuery."""
    opened = text_param(query, "open", MOST_OPEN)
    return OutcomesView(
        slug=slug,
        number=number,
        outcome=choice_param(query, "outcome", KINDS, ""),
        by=choice_param(query, "by", GROUPINGS, "reason"),
        q=text_param(query, "q", 200),
        open=tuple(dict.fromkeys(one for one in opened.split(",") if one)),
        n=int_param(query, "n", default=PODS, low=1, high=MOST_PODS),
        all=bool_param(query, "all"),
    )
