"""Problems: what a raised one says, and what Django makes of it."""

from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404

from dashboard.common.problems import BadQuery, Conflict, Forbidden, NotFound, Problem, TooLarge, WayOut


@pytest.mark.parametrize(
    ("kind", "status"),
    [(Problem, 400), (BadQuery, 400), (NotFound, 404), (Forbidden, 403), (Conflict, 409), (TooLarge, 413)],
)
def test_each_kind_has_its_status_and_a_title_of_its_own(kind, status):
    problem = kind("node gone")
    assert (problem.status, problem.detail, str(problem)) == (status, "node gone", "node gone")
    assert problem.title == kind.title


def test_one_that_is_raised_may_say_more():
    problem = Conflict("x", title="Taken", status=410, way_out=WayOut("/w/", "Workspaces"))
    assert (problem.title, problem.status, problem.way_out.label) == ("Taken", 410, "Workspaces")
    assert (Conflict.title, Conflict.status) == ("It has changed meanwhile", 409)


def test_django_sees_its_own_refusals():
    assert issubclass(NotFound, Http404)
    assert issubclass(Forbidden, PermissionDenied)
