"""What is offered at a column of a query that is being written."""

from __future__ import annotations

import pytest

from scheduler_core.query import completions, parse
from scheduler_core.query.fields import QuerySubject


def offered(text, kind=None):
    return [one.text for one in completions(text, len(text) + 1) if kind in (None, one.kind)]


def test_a_new_query_begins_with_a_subject_a_field_or_not():
    assert offered("", "subject") == list(QuerySubject)
    assert "outcome" in offered("", "field")
    assert "tie" in offered("", "flag")
    assert offered("", "word") == ["not"]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("outc", ["outcome"]),
        ("outcome", [":", "=", "!="]),
        ("margin ", [":", "=", "!=", "<", "<=", ">", ">="]),
        ("outcome:un", ["unschedulable"]),
        ("outcome:", ["scheduled", "unschedulable", "error", "skipped"]),
        ("move to:b", ["backoff"]),
        ("(verdict:", ["passed", "refused", "not_evaluated"]),
        ('cell plugin:"NodeU', ["NodeUnschedulable"]),
        ("attempts", [":", "=", "!=", "<", "<=", ">", ">="]),
        ("outcome:scheduled and margin ", [":", "=", "!=", "<", "<=", ">", ">="]),
    ],
)
def test_what_begins_so_is_offered_first(text, first):
    assert offered(text)[: len(first)] == first


def test_fields_are_those_of_the_subject_its_own_first():
    fields = offered("move ", "field")
    assert fields[:3] == ["seq", "at", "pod"]
    assert "outcome" in fields
    assert "verdict" not in fields


def test_fields_are_of_a_subject_that_has_the_fields_before():
    fields = offered("verdict:refused and ", "field")
    assert "reason" in fields
    assert "to" not in fields


@pytest.mark.parametrize("text", ["pod:x)", "((((" * 10, "tie and and ", '"x', "x" * 3_000])
def test_nothing_is_offered_behind_what_is_wrong(text):
    assert completions(text, len(text) + 1) == []


def test_values_of_a_run_are_offered_and_quoted_where_they_must_be():
    asked = []

    def values_of(field, begun):
        asked.append((field.name, begun))
        return ["shop/web-1", 'odd "name"']

    texts = [one.text for one in completions("pod:sh and tie", 7, values_of)]
    assert asked == [("pod", "sh")]
    assert texts == ["shop/web-1", '"odd \\"name\\""']
    assert all(parse(f"pod:{text}") for text in texts)


def test_a_completion_replaces_from_its_column():
    one = completions("tie and outco", 14)[0]
    assert "tie and outco"[: one.column - 1] + one.text == "tie and outcome"
