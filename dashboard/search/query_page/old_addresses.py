"""Addresses of the list of cycles that was here before the page of queries, as queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.common.http.params import bool_param, choice_param, optional_int, text_param
from dashboard.runs.models import Cycle
from dashboard.runs.queries import CYCLE_SORTS, OUTCOMES
from dashboard.search.query_page.address import PRESET, RunPlace, SearchAddress
from dashboard.search.query_page.narrowing import condition
from scheduler_core.query.search import LAST_INDEX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.runs.models import Run

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
