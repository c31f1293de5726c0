"""The choice of the run that another one is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.db.models import Case, When
from django.urls import reverse

from dashboard.common.http.params import INT32_MAX, optional_int, text_param
from dashboard.common.pages.pagination import paginate
from dashboard.runs import queries
from dashboard.runs.actions import find_run
from dashboard.runs.branches.lineage import list_branches, living_origin
from dashboard.runs.list.lines import run_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import QueryDict

    from dashboard.accounts.models import Workspace
    from dashboard.common.pages.pagination import Page
    from dashboard.runs.list.lines import RunLine
    from dashboard.runs.models import Run

SIZE = 25


@dataclass(frozen=True)
class OfferedRun:
    """A run that may be chosen, what ties it to the first one ("" for nothing), and where the choice leads."""

    line: RunLine
    relation: str
    url: str


@dataclass(frozen=True)
class ComparedRunChoice:
    """A page of runs to choose from; `first` is the run that was chosen already."""

    first: Run | None
    side: str
    q: str
    page: Page[Run]
    offered: list[OfferedRun]

    @property
    def moments(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Return (field, label) of both moments at which the first run is set against itself."""
        return ("a_seq", "A to event"), ("b_seq", "B to event")


def run_choice(workspace: Workspace, query: QueryDict) -> ComparedRunChoice:
    """Return what is offered; runs of the first one's cluster and its kin come first. Raises BadQuery, NotFound."""
    number, side = optional_int(query, "a", 1, INT32_MAX), "a"
    if number is None:
        number, side = optional_int(query, "b", 1, INT32_MAX), "b"
    first = None if number is None else find_run(workspace, number)
    text = text_param(query, "q")
    runs = queries.list_runs(workspace, "", text)
    kin = _kin(first) if first is not None else {}
    if first is not None:
        near = Case(
            When(pk__in=list(kin), then=0), When(revision__cluster=first.revision.cluster_id, then=1), default=2
        )
        runs = runs.exclude(pk=first.pk).order_by(near, "-number")
    page = paginate(runs, query, size=SIZE)
    path = reverse("compare:page", args=[workspace.slug])
    offered = [
        OfferedRun(line, _relation(line.run, first, kin), f"{path}?{_chosen(first, side, line.run, query)}")
        for line in run_lines(page.items)
    ]
    return ComparedRunChoice(first, side, text, page, offered)


def _chosen(first: Run | None, side: str, run: Run, query: Mapping[str, str]) -> str:
    """The query of the choice: the run that was chosen first stays A where it came before the other."""
    if first is None:
        return urlencode({"a": run.number})
    other = "b" if side == "a" else "a"
    seqs = {name: query[name] for name in ("a_seq", "b_seq") if query.get(name)}
    return urlencode({side: first.number, other: run.number} | seqs)


def _kin(first: Run) -> dict[int, str]:
    origin = living_origin(first)
    kin = {} if origin is None else {origin.pk: f"run {first.number} left it"}
    return kin | {run.pk: f"left run {first.number}" for run in list_branches(first)}


def _relation(run: Run, first: Run | None, kin: Mapping[int, str]) -> str:
    if first is None:
        return ""
    return kin.get(run.pk, "same cluster" if run.revision.cluster_id == first.revision.cluster_id else "")
