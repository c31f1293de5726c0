"""The form of a breakpoint: query, name and hit count, and what "Break here" begins it with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError

from dashboard.accounts.forms import no_nul
from dashboard.runs.breakpoints.definitions import MAX_HIT_COUNT, BreakpointFields, is_named, parsed
from dashboard.runs.models import BREAKPOINT_NAME_LENGTH
from scheduler_core.query import QueryError
from scheduler_core.query.grammar import MAX_LENGTH

if TYPE_CHECKING:
    from dashboard.debugger.page import CursorPage
    from dashboard.debugger.panels.matrix.chosen_cell import ChosenCell
    from dashboard.runs.models import Breakpoint

HIT_COUNT = f"Write a whole number from 1 to {MAX_HIT_COUNT:,}."


class BreakpointForm(forms.Form):
    """The form; `is_on`: the breakpoint stops the run on whose page the form is."""

    query = forms.CharField(max_length=MAX_LENGTH, error_messages={"required": "Write a query."})
    name = forms.CharField(max_length=BREAKPOINT_NAME_LENGTH, validators=[no_nul], required=False)
    hit_count = forms.IntegerField(
        min_value=1,
        max_value=MAX_HIT_COUNT,
        error_messages=dict.fromkeys(("required", "invalid", "min_value", "max_value"), HIT_COUNT),
    )
    is_on = forms.BooleanField(required=False)

    @staticmethod
    def values_of(breakpoint_: Breakpoint, is_on: bool) -> dict[str, Any]:
        """Return the initial values for an existing breakpoint; one that has its query's name gets an empty field."""
        name = breakpoint_.name if is_named(breakpoint_) else ""
        return {"query": breakpoint_.query, "name": name, "hit_count": breakpoint_.hit_count, "is_on": is_on}

    def clean_query(self) -> str:
        """Return the query without outer spaces. Raises ValidationError, which names the column of a syntax error."""
        text = str(self.cleaned_data["query"]).strip()
        if isinstance(read := parsed(text), QueryError):
            raise ValidationError(read.text())
        return text

    @property
    def query_error(self) -> QueryError | None:
        """Return what is wrong with the query that was sent, for its field."""
        if "query" not in self.errors:
            return None
        read = parsed(str(self.data.get("query", "")).strip())
        return read if isinstance(read, QueryError) else None

    def fields_of(self, existing: Breakpoint | None) -> BreakpointFields:
        """Return what was written, once it is valid, of a new breakpoint or one that exists."""
        written, is_enabled = self.cleaned_data, existing is None or existing.is_enabled
        return BreakpointFields(written["name"], written["query"], written["hit_count"], is_enabled)


# The characters of a value that needs no quotation marks.
_PLAIN = re.compile(r"[A-Za-z0-9_./-]+\Z")
# What a cell of a filter looks like, and the verdict that a query names it by.
_VERDICTS = {"ok": "passed", "no": "refused", "nores": "refused", "hid": "refused", "na": "not_evaluated"}


# ---------------------------------------------------------------- of what is selected


def query_at(page: CursorPage) -> str:
    """Return the query for the selected pod, plugin and node with the plugin's answer; "" if nothing is selected."""
    pod, node = page.moment.selection.pod, page.moment.selection.node
    parts = [condition("pod", pod)] if pod else []
    cell = page.attempt.chosen_cell if node else None
    if cell is not None and cell.kind in ("score", "verdict"):
        parts += [condition("plugin", cell.plugin), condition("node", node), *_said(cell)]
    elif node:
        parts.append(condition("chosen", node))
    return " and ".join(parts)


def condition(name: str, value: str) -> str:
    """Return a condition of the query language, with special characters of the value escaped."""
    if _PLAIN.fullmatch(value):
        return f"{name}:{value}"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{name}:"{escaped}"'


def _said(cell: ChosenCell) -> list[str]:
    if cell.kind == "score" and cell.score is not None:
        return [f"score:{cell.score.norm}"]
    verdict = _VERDICTS.get(cell.verdict.look, "") if cell.verdict else ""
    return [f"verdict:{verdict}"] if verdict else []
