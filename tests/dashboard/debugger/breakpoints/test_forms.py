"""The form of a breakpoint: what it takes, and what is wrong at which column."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dashboard.debugger.breakpoints.forms import BreakpointForm, condition, query_at
from dashboard.runs.breakpoints.definitions import BreakpointFields
from dashboard.runs.models import Breakpoint, Cycle
from scheduler_core.query import parse
from tests.dashboard.debugger.conftest import page_of

GOOD = {"query": " margin<5 ", "name": "Narrow", "hit_count": "3", "is_on": "on"}


def test_what_is_written_is_taken():
    form = BreakpointForm(GOOD)
    assert form.is_valid(), form.errors
    assert form.fields_of(None) == BreakpointFields("Narrow", "margin<5", 3, True)
    assert form.fields_of(Breakpoint(is_enabled=False)) == BreakpointFields("Narrow", "margin<5", 3, False)
    assert form.cleaned_data["is_on"]


def test_a_name_that_nobody_typed_is_not_written_into_its_field():
    both = [Breakpoint(name=name, query="margin<5") for name in ("margin<5", "Narrow")]
    assert [BreakpointForm.values_of(one, True)["name"] for one in both] == ["", "Narrow"]
    assert BreakpointForm(GOOD | {"name": ""}).is_valid()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("query", "", "Write a query."),
        ("query", "margin<", "column 8"),
        ("query", "nonsense:1", "column 1: there is no field 'nonsense'"),
        ("query", "a" * 2_001, "at most 2000"),
        ("name", "n" * 81, "at most 80"),
        ("name", "a\0b", ""),
        ("hit_count", "0", "from 1 to 1,000,000"),
        ("hit_count", "ten", "from 1 to 1,000,000"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(field, value, message):
    form = BreakpointForm(GOOD | {field: value})
    assert not form.is_valid()
    assert list(form.errors) == [field]
    assert message in form.errors[field][0]


def test_the_field_is_told_the_column():
    assert BreakpointForm(GOOD).query_error is None
    for text, column in (("margin:abc", 8), ("", 1)):
        assert BreakpointForm(GOOD | {"query": text}).query_error.column == column


@pytest.mark.slow
def test_a_refused_cell_is_named_with_its_verdict(run, cycle_of):
    page = page_of(run, cycle=cycle_of("never-0").number, plugin="NodeResourcesFit", node="full-a")
    assert query_at(page).split(" and ") == [
        "pod:default/never-0",
        "plugin:NodeResourcesFit",
        "node:full-a",
        "verdict:refused",
    ]
    assert parse(query_at(page)).subject == "cell"


@pytest.mark.slow
def test_a_score_is_named_with_its_value(plain_run):
    scored = Cycle.objects.filter(run_id=plain_run.pk, total__isnull=False).order_by("number").first()
    page = page_of(plain_run, cycle=scored.number, plugin="NodeResourcesFit", node=scored.node)
    query = parse(query_at(page))
    assert query.subject == "cell"
    assert [one.field.name for one in query.conditions()] == ["pod", "plugin", "node", "score"]


@pytest.mark.slow
def test_without_a_cell_it_is_pod_and_node(run, cycle_of):
    number = cycle_of("small-0").number
    assert query_at(page_of(run, cycle=number)) == "pod:default/small-0"
    assert query_at(page_of(run, cycle=number, node="full-b")) == "pod:default/small-0 and chosen:full-b"
    assert query_at(page_of(run, seq=0)) == ""


@pytest.mark.parametrize("value", ["a b", 'a"b', "a\\b", "(x)", "<b>", "and", ""])
def test_signs_of_the_language_lose_their_meaning(value):
    (read,) = parse(condition("message", value)).conditions()
    assert read.value == value


SCORE, PASSED, OTHER = SimpleNamespace(norm=70), SimpleNamespace(look="ok"), SimpleNamespace(look="?")


@pytest.mark.parametrize(
    ("kind", "score", "verdict", "said"),
    [
        ("score", SCORE, None, ["score:70"]),
        ("score", SCORE, PASSED, ["score:70"]),
        ("score", None, PASSED, ["verdict:passed"]),
        ("score", None, None, []),
        ("verdict", SCORE, PASSED, ["verdict:passed"]),
        ("verdict", None, OTHER, []),
        ("verdict", None, None, []),
    ],
)
def test_a_cell_is_named_with_what_the_plugin_said_of_it(kind, score, verdict, said):
    cell = SimpleNamespace(kind=kind, plugin="Fit", score=score, verdict=verdict)
    selection = SimpleNamespace(pod="", node="n1")
    page = SimpleNamespace(moment=SimpleNamespace(selection=selection), attempt=SimpleNamespace(chosen_cell=cell))
    assert query_at(page) == " and ".join(["plugin:Fit", "node:n1", *said])
    cell.kind = "event"
    assert query_at(page) == "chosen:n1"
