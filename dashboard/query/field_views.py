"""What the query field requests while somebody types: completions with counts, syntax errors, and the list
of fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import JsonResponse

from dashboard.accounts.access import Access, workspace_view
from dashboard.common.http.htmx import render_page
from dashboard.common.http.params import INT32_MAX, int_param, optional_int
from dashboard.query.run_values import values_in
from dashboard.runs.actions import find_run
from dashboard.runs.queries import list_runs
from scheduler_core.query import FIELDS, Field, QueryError, QuerySubject, parse
from scheduler_core.query import completions as completions_of
from scheduler_core.query.grammar import MAX_LENGTH

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.runs.models import Run

# Longer texts get no completions, only the error that they are too long.
MOST_SHOWN = 60


@workspace_view()
def completions(request: HttpRequest, access: Access) -> HttpResponse:
    """Return completions for the text ?q= at ?column=, with values of ?run= (by default the newest run), and the text's
    syntax error if it has one.
    """
    text = request.GET.get("q", "")
    column = int_param(request.GET, "column", default=len(text) + 1, low=1, high=INT32_MAX)
    number = optional_int(request.GET, "run", 1, INT32_MAX)
    run = list_runs(access.workspace).first() if number is None else find_run(access.workspace, number)
    items = [] if len(text) > MAX_LENGTH else _items(text, column, run)
    return JsonResponse({"items": items, **_understood(text)})


def _items(text: str, column: int, run: Run | None) -> list[dict[str, Any]]:
    counts: dict[str, str] = {}

    def values_of(field: Field, begun: str) -> list[str]:
        values = values_in(run, field, begun) if run is not None else []
        counts.update({one.text: one.count_text for one in values})
        return [one.text for one in values]

    completions = completions_of(text, column, values_of)[:MOST_SHOWN]
    return [
        {
            "text": one.text,
            "kind": one.kind,
            "help": counts.get(one.text.strip('"'), "") if one.kind == "value" else one.help,
            "column": one.column,
        }
        for one in completions
    ]


def _understood(text: str) -> dict[str, Any]:
    """The syntax error of a text as a template context; {} if the text is empty or a query."""
    if not text.strip():
        return {}
    try:
        parse(text)
    except QueryError as error:
        return {"error": {"column": error.column, "end": error.end, "text": error.text()}}
    return {}


@workspace_view()
def fields(request: HttpRequest, access: Access) -> HttpResponse:
    """Return all fields by subject, from the same list that the parser uses."""
    subjects = [
        {"name": str(subject), "help": subject.help, "fields": [one for one in FIELDS if one.subject is subject]}
        for subject in QuerySubject
    ]
    return render_page(request, "query/fields.html", {"subjects": subjects})
