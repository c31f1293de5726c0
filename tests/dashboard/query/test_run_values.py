"""Values of a run that a query may name: those that its rows have, with how often."""

from __future__ import annotations

from collections import Counter

import pytest

from dashboard.query.run_values import values_in
from dashboard.runs.models import Cycle
from scheduler_core.query import FIELDS_OF, QuerySubject
from tests.dashboard.debugger.conftest import execute, run

__all__ = ["execute", "run"]
pytestmark = pytest.mark.django_db


def values(run, subject, name, begun=""):
    return values_in(run, FIELDS_OF[QuerySubject(subject)][name], begun)


@pytest.mark.parametrize("name", ["outcome", "priority", "attempt"])
def test_values_of_cycles_are_counted_the_frequent_first(run, name):
    counted = Counter(str(value) for value in Cycle.objects.filter(run=run).values_list(name, flat=True))
    offered = values(run, "cycle", name)
    assert {one.text: one.count for one in offered} == counted
    assert [one.count for one in offered] == sorted(counted.values(), reverse=True)


def test_pods_are_found_by_their_name_and_by_namespace_and_name(run):
    assert [one.text for one in values(run, "cycle", "pod", "never")] == ["default/never-0"]
    assert [one.text for one in values(run, "cycle", "pod", "default/never")] == ["default/never-0"]
    assert values(run, "cycle", "pod", "default/never")[0].count_text == "3 cycles"


def test_nodes_without_a_pod_are_offered_too(run):
    assert {"full-a", "full-b", "taint-c"} <= {one.text for one in values(run, "cell", "node")}


def test_reasons_come_one_by_one(run):
    offered = [one.text for one in values(run, "cell", "reason", "cpu")]
    assert offered
    assert all("," not in one for one in offered)


def test_what_begins_with_the_text_comes_first(run):
    offered = [one.text for one in values(run, "cycle", "node", "full")]
    assert offered[:2] == sorted(offered[:2])
    assert all(one.startswith("full") for one in offered)


@pytest.mark.parametrize(
    ("subject", "name"), [("move", "to"), ("move", "cause"), ("preemption", "criterion"), ("cycle", "namespace")]
)
def test_other_subjects_have_values_too(run, subject, name):
    assert values(run, subject, name)


def test_fields_that_nobody_completes_have_none(run):
    assert values(run, "cycle", "seq") == []
