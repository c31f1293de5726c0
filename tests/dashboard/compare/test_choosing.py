"""Runs to choose from: kin first, then runs of the same cluster, then all others."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from dashboard.common.problems import NotFound
from dashboard.compare.choosing import run_choice
from dashboard.runs.branches.actions import Branching, branch_run
from tests.dashboard.run_helpers import cluster_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def choice(workspace):
    """A function that returns the choice of a query."""
    return lambda query="": run_choice(workspace, QueryDict(query))


def test_kin_come_first_and_then_runs_of_the_same_cluster(choice, run, other, execute, editor):
    again = execute(cluster_of(1, 1), slug="prod")
    branch = branch_run(editor.member, run, Branching(0, [{"action": "set_policies", "policies": {"cycle_us": 7}}]))
    offered = choice(f"a={run.number}").offered
    assert [(one.line.run.number, one.relation) for one in offered] == [
        (branch.number, f"left run {run.number}"),
        (again.number, "same cluster"),
        (other.number, ""),
    ]
    back = choice(f"b={branch.number}").offered
    assert (back[0].line.run.number, back[0].relation) == (run.number, f"run {branch.number} left it")
    assert back[0].url.endswith(f"?b={branch.number}&a={run.number}")


def test_a_name_narrows_the_choice_and_a_moment_is_carried_along(choice, run, other):
    assert [one.line.run.number for one in choice("q=larger").offered] == [other.number]
    assert choice("q=nothing").offered == []
    assert "a_seq=10" in choice(f"a={run.number}&a_seq=10").offered[0].url


def test_without_a_run_the_first_one_is_chosen(choice, run, other):
    shown = choice()
    assert shown.first is None
    assert [one.url.partition("?")[2] for one in shown.offered] == [f"a={other.number}", f"a={run.number}"]


def test_a_run_that_is_not_there_is_said(choice):
    with pytest.raises(NotFound):
        choice("a=77")
