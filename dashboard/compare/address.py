"""The address of a comparison: two runs with where each ends, both cursors, and what the list of pods shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.common.http.params import INT32_MAX, bool_param, choice_param, int_param, optional_int, text_param
from dashboard.common.problems import BadQuery, NotFound, WayOut
from dashboard.runs.actions import find_run
from scheduler_core.compare.pods import GROUPS, SAME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.accounts.models import Workspace
    from dashboard.runs.models import Run

NAME_LIMIT = 200
# Changes of these leave the cursors where they are, and begin the list at its first page.
OF_THE_LIST = ("every", "group", "q")


@dataclass(frozen=True)
class ComparedRun:
    """A side: the run, and how many of its events count; None for all that it has."""

    run: Run
    until: int | None = None

    @property
    def seq(self) -> int:
        """Return how many events count."""
        return self.run.head.seq if self.until is None else self.until

    @property
    def title(self) -> str:
        """Return what the side is called."""
        return self.run.name or f"Run {self.run.number}"

    @property
    def is_live(self) -> bool:
        """Return whether more may come: the run goes on, and its head is what counts."""
        return self.until is None and not self.run.has_ended


@dataclass(frozen=True)
class AskedComparison:
    """What an address asks for. `a_cycle` and `b_cycle` are where the cursors stand: with one of them 0 it follows the
    other to the same attempt of the same pod; with both each stands by itself; with none they are at the first
    difference. `every` lists the pods that do not differ as well."""

    slug: str
    a: ComparedRun
    b: ComparedRun
    a_cycle: int = 0
    b_cycle: int = 0
    every: bool = False
    group: str = ""
    q: str = ""
    page: int = 1

    @property
    def path(self) -> str:
        """Return where the page is."""
        return reverse("compare:page", args=[self.slug])

    @property
    def is_free(self) -> bool:
        """Return whether each cursor stands by itself."""
        return bool(self.a_cycle and self.b_cycle)

    @property
    def is_one_run(self) -> bool:
        """Return whether a run is set against itself at another moment."""
        return self.a.run.pk == self.b.run.pk

    def url(self, **changes: Any) -> str:
        """Return the address with some of it changed; another list begins with its first page."""
        if not changes.keys().isdisjoint(OF_THE_LIST):
            changes.setdefault("page", 1)
        return f"{self.path}?{replace(self, **changes).query}" if changes else f"{self.path}?{self.query}"

    def at(self, a_cycle: int, b_cycle: int) -> str:
        """Return the address with both cursors on a pair of attempts, 0 for one that is not there."""
        return self.url(a_cycle=a_cycle, b_cycle=0 if a_cycle else b_cycle)

    @property
    def query(self) -> str:
        """Return the query of the address."""
        return urlencode(self._values())

    @property
    def parts_query(self) -> str:
        """Return the query for parts of a page: it names the moments too, so that they fit where a run goes on."""
        return urlencode(self._values() | {"a_seq": self.a.seq, "b_seq": self.b.seq})

    @property
    def swapped_url(self) -> str:
        """Return the address that has A for B."""
        a_cycle, b_cycle = self.b_cycle, self.a_cycle
        return f"{self.path}?{replace(self, a=self.b, b=self.a, a_cycle=a_cycle, b_cycle=b_cycle, group='').query}"

    @property
    def own_query(self) -> dict[str, str]:
        """Return the fields of the address that a search of the list leaves as they are."""
        return {name: str(value) for name, value in replace(self, q="", page=1)._values().items()}

    def export(self, form: str) -> str:
        """Return the address of the comparison as a file."""
        return f"{reverse('compare:export', args=[self.slug, form])}?{self.query}"

    def _values(self) -> dict[str, Any]:
        values = {
            "a": self.a.run.number,
            "b": self.b.run.number,
            "a_seq": self.a.until,
            "b_seq": self.b.until,
            "a_cycle": self.a_cycle or None,
            "b_cycle": self.b_cycle or None,
            "all": "1" if self.every else None,
            "group": self.group or None,
            "q": self.q or None,
            "page": self.page if self.page > 1 else None,
        }
        return {name: value for name, value in values.items() if value is not None}


def asked_comparison(workspace: Workspace, query: Mapping[str, str]) -> AskedComparison:
    """Return what the address asks for; raises BadQuery, NotFound."""
    a, b = _side(workspace, query, "a"), _side(workspace, query, "b")
    return AskedComparison(
        workspace.slug,
        a,
        b,
        int_param(query, "a_cycle", default=0, high=INT32_MAX),
        int_param(query, "b_cycle", default=0, high=INT32_MAX),
        bool_param(query, "all"),
        choice_param(query, "group", (*GROUPS, SAME), ""),
        text_param(query, "q", NAME_LIMIT),
        int_param(query, "page", default=1, low=1, high=1_000_000),
    )


def _side(workspace: Workspace, query: Mapping[str, str], name: str) -> ComparedRun:
    number = optional_int(query, name, 1, INT32_MAX)
    if number is None:
        raise BadQuery(f'"{name}" must be the number of a run.')
    run, until = find_run(workspace, number), optional_int(query, f"{name}_seq")
    if until is not None and until > run.head.seq:
        runs = reverse("runs:list", args=[workspace.slug])
        raise NotFound(
            f"Run {run.number} has {run.head.seq:,} events; there is no event {until:,}.",
            title="After the end of the run",
            way_out=WayOut(runs, "Open the runs"),
        )
    return ComparedRun(run, until)
