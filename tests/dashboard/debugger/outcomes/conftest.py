"""The outcomes page of a run, and summaries of runs without a database."""

from __future__ import annotations

import pytest
from django.urls import reverse

from dashboard.debugger.outcomes.address import OutcomesView
from dashboard.debugger.outcomes.table import OutcomesTable


@pytest.fixture
def visit(viewer):
    """A function that opens the outcomes of a run as a viewer: visit(run, by="owner"); part="oc-list" asks as htmx."""

    def visit(run, part="", **query):
        headers = {"HX-Request": "true", "HX-Target": part} if part else {}
        url = reverse("debugger:outcomes", kwargs={"slug": "team", "number": run.number})
        return viewer.get(url, query, headers=headers)

    return visit


@pytest.fixture
def rows_of():
    """A function that returns the table's rows of a summary: rows_of(outcomes, by="owner")."""

    def rows_of(outcomes, has_ended=True, **view):
        return OutcomesTable(outcomes, OutcomesView("team", 1, **view), has_ended).rows()

    return rows_of
