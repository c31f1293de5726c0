"""Queries that are understood, and the column at which others are not."""

from __future__ import annotations

import sys

import pytest

from scheduler_core.query import AllOf, AnyOf, Condition, Not, QueryError, QuerySubject, parse


def shown(expression):
    """The tree as nested tuples."""
    if expression is None:
        return None
    if isinstance(expression, Condition):
        return (expression.field.name, expression.operator, expression.value)
    if isinstance(expression, Not):
        return ("not", shown(expression.part))
    return ("and" if isinstance(expression, AllOf) else "or", *map(shown, expression.parts))


def where(text):
    return shown(parse(text).where)


# --- subjects --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("outcome:unschedulable and attempts>3", "cycle"),
        ("margin<5 or tie", "cycle"),
        ("pod:shop/web-* and plugin:NodeResourcesFit and verdict:refused and node:node-7", "cell"),
        ("move to:backoff cause:NodeAdd", "move"),
        ("to:backoff", "move"),
        ("preemption victim.priority>=100", "preemption"),
        ("victims>2 outcome:unschedulable", "preemption"),
        ("type:bound", "event"),
        ("event", "event"),
        ("cell (tie)", "cell"),
        ("cycle:5", "cycle"),
    ],
)
def test_the_subject_is_written_first_or_follows_from_the_fields(text, subject):
    assert parse(text).subject == subject


def test_a_subject_alone_asks_for_all_of_it():
    query = parse("move")
    assert query.where is None
    assert list(query.conditions()) == []


# --- conditions ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("attempts>3", ("attempt", ">", 3)),
        ("attempt >= -3", ("attempt", ">=", -3)),
        ("outcome!=Scheduled", ("not", ("outcome", "=", "scheduled"))),
        ("at<1m30s", ("at", "<", 90_000_000)),
        ("at<250ms", ("at", "<", 250_000)),
        ("at<1.5", ("at", "<", 1_500_000)),
        ("pod:web-*", ("pod", "=", "*/web-*")),
        ("pod=shop/web", ("pod", "=", "shop/web")),
        ("pod~web", ("pod", "~", "web")),
        ('message~"no \\"room\\" (here)"', ("message", "~", 'no "room" (here)')),
        ("node:and", ("node", "=", "and")),
        ("not tie", ("not", ("tie", "is", 1))),
    ],
)
def test_a_condition_is_read_by_the_kind_of_its_field(text, tree):
    assert where(text) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("tie preempting", ("and", ("tie", "is", 1), ("preempting", "is", 1))),
        ("tie and preempting or ties>1", ("or", ("and", ("tie", "is", 1), ("preempting", "is", 1)), ("ties", ">", 1))),
        (
            "tie and (preempting OR ties>1)",
            ("and", ("tie", "is", 1), ("or", ("preempting", "is", 1), ("ties", ">", 1))),
        ),
        ("NOT (tie or preempting)", ("not", ("or", ("tie", "is", 1), ("preempting", "is", 1)))),
        ("not tie preempting", ("and", ("not", ("tie", "is", 1)), ("preempting", "is", 1))),
        ("tie\n and\tties>1", ("and", ("tie", "is", 1), ("ties", ">", 1))),
    ],
)
def test_and_binds_closer_than_or_and_not_closer_than_both(text, tree):
    assert where(text) == tree


def test_a_condition_knows_its_column():
    conditions = parse("tie or (not ties>1)").conditions()
    assert [condition.column for condition in conditions] == [1, 13]
    assert isinstance(parse("tie or ties>1").where, AnyOf)


# --- refusals --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "column", "end", "message"),
    [
        ("", 1, 2, "the query is empty"),
        ("pod:", 5, 6, "the query ends here"),
        ("(tie", 5, 6, "the query ends here"),
        ("tie)", 4, 5, "')' does not fit here"),
        ("tie and and tie", 9, 12, "'and' does not fit here"),
        ("pod==x", 5, 6, "'=' does not fit here"),
        ('pod:"x', 5, 6, 'the text has no second "'),
        ("outcme:scheduled", 1, 7, "there is no field 'outcme'"),
        ("tie cell", 5, 9, "the subject 'cell' is written first"),
        ("tie outcome:scheduld", 13, 21, "outcome has no value 'scheduld'"),
        ("margin<x", 8, 9, "margin takes a whole number"),
        ("margin<99999999999999999999", 8, 28, "margin takes no number beyond 1,000,000,000,000,000"),
        ("at>5x", 4, 6, "at takes a time such as 90s, 250ms or 1h30m"),
        ("tie:1", 4, 5, "tie stands alone: tie, or not tie"),
        ("margin", 1, 7, "margin is compared with a whole number"),
        ("margin~5", 7, 8, "margin cannot be compared with '~': it is a number"),
        ("verdict:refused to:backoff", 17, 19, "'to' is a field of moves; the other conditions are about cells"),
        ("cycle to:backoff", 7, 9, "'to' is a field of moves; the other conditions are about cycles"),
        ("pod:x\x00", 6, 7, "a character that cannot be printed"),
    ],
)
def test_what_is_wrong_is_said_at_its_column(text, column, end, message):
    with pytest.raises(QueryError) as problem:
        parse(text)
    assert (problem.value.column, problem.value.end, problem.value.message) == (column, end, message)


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [("outcme:scheduled", "outcome"), ("Pod:x", "pod"), ("outcome:Unschedulabel", "unschedulable"), ("zzz:1", "")],
)
def test_the_name_that_was_probably_meant_is_suggested(text, suggestion):
    with pytest.raises(QueryError) as problem:
        parse(text)
    assert problem.value.suggestion == suggestion


def test_what_could_have_stood_there_is_listed():
    with pytest.raises(QueryError) as problem:
        parse("tie or")
    assert problem.value.expected == ("a field", "not", "(")
    assert (problem.value.column, problem.value.text().startswith("column 7: ")) == (7, True)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("(" * 1_999, 21),
        ("not " * 400 + "tie", 81),
        ("(not " * 300 + "tie", 51),
        ("tie " * 400, 241),
        ("tie or " * 280, 421),
        ("x" * 1_000_000, 2_001),
        ("(" * 10_000, 2_001),
        ("[" * 10_000, 2_001),
        ("((tie))" * 280, 423),
        ("[[tie]]", 1),
        ("pod:" + "?*" * 900, 5),
        ('message~"(a+)+$' + "a" * 1_900, 9),
        ("ties>" + "-" * 1_900, 6),
        ("ties>1e400", 6),
        ("ties>" + "\u0661" * 20, 6),
        ("pod:" + "*a" * 300, 5),
        ('message~"' + "\\" * 1_900, 9),
        ("<script>alert(1)</script>", 1),
        ("'; drop table runs_cycle; --", 1),
        ('pod:"a" union select * from x', 9),
        ("at>" + "1h" * 500, 4),
        ("margin>" + "9" * 1_900, 8),
        ("=" * 1_900, 1),
        ('"' * 1_900, 1),
        ("pod:\ud800", 5),
    ],
)
def test_a_hostile_query_is_refused_at_its_column(text, column):
    with pytest.raises(QueryError) as problem:
        parse(text)
    assert problem.value.column == column
    assert len(problem.value.text()) < 2_000


def calls_of(text):
    """How many functions reading the text calls, of Python and of C."""
    parse("tie")  # makes the parser
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        parse(text)
    except QueryError:
        pass
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize(
    "piece",
    ["(", "not ", "(not ", "tie ", "tie or ", '"', "=", "pod:*a ", "\\", "<b>", "'; --", "1h", "9", "\ud800", "\x00"],
)
def test_a_hostile_query_takes_no_more_work_than_its_length(piece):
    """A query as long as one may be costs some 10 ms of a slow processor."""
    longest = "tie or " * 59 + "tie"
    short, long = calls_of(piece * (1_000 // len(piece))), calls_of(piece * (2_000 // len(piece)))
    assert long <= 2 * short + 500
    assert long <= 3 * calls_of(longest)
    assert calls_of(piece * 1_000_000) < 100, "what is too long is not read"


def test_markup_and_sql_in_a_value_are_a_value():
    value = "'; drop table x; --<script>"
    assert where(f'pod:"x/{value}"') == ("pod", "=", f"x/{value}")
    assert parse("tie").subject is QuerySubject.CYCLE
