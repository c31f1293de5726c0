"""What "Break here" writes finds what is selected."""

from __future__ import annotations

import pytest

from dashboard.debugger.breakpoints.selection_query import condition, name_at, query_at
from dashboard.runs.models import Cycle
from scheduler_core.query import parse
from tests.dashboard.debugger.conftest import page_of

pytestmark = pytest.mark.slow


def test_a_refused_cell_is_named_with_its_verdict(run, cycle_of):
    page = page_of(run, cycle=cycle_of("never-0").number, plugin="NodeResourcesFit", node="full-a")
    assert query_at(page) == ("pod:default/never-0 and plugin:NodeResourcesFit and node:full-a and verdict:refused")
    assert name_at(page) == "never-0 NodeResourcesFit on full-a"
    assert parse(query_at(page)).subject == "cell"


def test_a_score_is_named_with_its_value(plain_run):
    scored = Cycle.objects.filter(run_id=plain_run.pk, total__isnull=False).order_by("number").first()
    page = page_of(plain_run, cycle=scored.number, plugin="NodeResourcesFit", node=scored.node)
    query = parse(query_at(page))
    assert query.subject == "cell"
    assert [one.field.name for one in query.conditions()] == ["pod", "plugin", "node", "score"]


def test_without_a_cell_it_is_pod_and_node(run, cycle_of):
    number = cycle_of("small-0").number
    assert query_at(page_of(run, cycle=number)) == "pod:default/small-0"
    assert query_at(page_of(run, cycle=number, node="full-b")) == "pod:default/small-0 and chosen:full-b"
    assert query_at(page_of(run, seq=0)) == ""
    assert name_at(page_of(run, seq=0)) == ""


@pytest.mark.parametrize("value", ["a b", 'a"b', "a\\b", "(x)", "<b>", "and", ""])
def test_signs_of_the_language_lose_their_meaning(value):
    (read,) = parse(condition("message", value)).conditions()
    assert read.value == value
