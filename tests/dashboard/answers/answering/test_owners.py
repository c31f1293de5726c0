"""Answers about owners: the cause at once, changes where they are asked for."""

from __future__ import annotations

import pytest

from dashboard.answers.answering.owners import of_owner, remedies_of_owner
from dashboard.answers.answering.sessions import Sessions
from dashboard.answers.answering.source import Source
from dashboard.answers.answering.time_limit import TimeLimit
from dashboard.answers.questions import OwnerOf, OwnerRemedies
from tests.dashboard.debugger.conftest import admission_run

__all__ = ["admission_run"]

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_changes_are_tried_only_where_they_are_asked_for(admission_run):
    source, seq = Source(admission_run, Sessions(2**40)), admission_run.head.seq
    first = of_owner(source, OwnerOf("team/web", seq), TimeLimit(float("inf")))
    assert (first.remedies.verified, first.cause.codes) == ((), ("NOT_CREATED_QUOTA",))
    second = remedies_of_owner(source, OwnerRemedies("team/web", seq), TimeLimit(float("inf")))
    assert [one.code for one in second.remedies.verified] == ["RAISE_QUOTA"]
    assert of_owner(source, OwnerOf("shop/api", seq), TimeLimit(float("inf"))) is None
