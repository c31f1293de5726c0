"""The list of breakpoints beside a cursor, and the numbers of hits in it."""

from __future__ import annotations

import pytest

from dashboard.answers.outcomes import Answer, Failed, Waiting, WaitsFor
from dashboard.debugger.breakpoints import panel
from dashboard.debugger.breakpoints.panel import BreakpointLine, breakpoint_panel, counted_panel, queries_on
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.runs.breakpoints.attachments import switch_attached
from dashboard.runs.models import Breakpoint, Cycle, Run, RunStop, State
from scheduler_core.query.search import END, HitNumber


def lines_at(workspace, run, turn=0, **query):
    cursor = cursor_of(run, "team", {name: str(value) for name, value in query.items()})
    return {one.breakpoint.name: one for one in counted_panel(workspace, cursor, turn, "test").lines}


def test_those_of_the_run_come_first_and_the_others_are_off(workspace, editor, run, breakpoint_of):
    breakpoint_of("tie", "A other")
    breakpoint_of("margin<5", "B on", run)
    off = breakpoint_of("preemption", "C off", run)
    switch_attached(editor.member, run, off, False)
    listed = breakpoint_panel(workspace, run)
    assert [(line.breakpoint.name, line.is_on, line.text) for line in listed.lines] == [
        ("B on", True, "…"),
        ("C off", False, "off"),
        ("A other", False, "off"),
    ]
    assert (listed.n_on, [query.text for query in queries_on(run).values()]) == (1, ["margin<5"])


def test_one_that_is_off_for_the_workspace_is_off(workspace, run, breakpoint_of):
    breakpoint_of("margin<5", stops=run)
    Breakpoint.objects.update(is_enabled=False)
    assert breakpoint_panel(workspace, run).n_on == 0
    assert queries_on(run) == {}


@pytest.mark.parametrize("text", ["outcome:unschedulable", "cell pod:default/never-0 plugin:NodeName"])
def test_hits_are_numbered_where_the_cursor_is(workspace, run, cycle_of, breakpoint_of, text):
    breakpoint_of(text, stops=run)
    line = lines_at(workspace, run, seq=1)["Found"]
    assert not line.is_here
    assert line.text == line.hits_text == f"{line.number.total} hits"
    line = lines_at(workspace, run, cycle=cycle_of("never-0").number)["Found"]
    assert line.is_here
    assert line.text.endswith(f" of {line.number.total}")
    assert line.text.startswith("hit ") == (line.number.here == 1)


def test_the_numbers_of_rows_are_those_of_chunks(workspace, run, breakpoint_of, monkeypatch):
    breakpoint_of("outcome:unschedulable", "Cycles", run)
    breakpoint_of("move to:active", "Moves", run)
    for number in Cycle.objects.filter(run_id=run.pk).values_list("number", flat=True):
        by_rows = {name: one.number for name, one in lines_at(workspace, run, cycle=number).items()}
        with monkeypatch.context() as patch:
            patch.setattr(panel, "is_of_rows", lambda *_: False)
            lines = lines_at(workspace, run, cycle=number)
        assert {name: one.number for name, one in lines.items()} == by_rows


def test_while_a_worker_counts_it_is_asked_about_one_query_at_a_time(workspace, run, breakpoint_of, monkeypatch):
    asked = []

    def ask(_run, question, *_args, **_how):
        asked.append(question.query)
        return Answer(HitNumber(7, 0, 0, "deadline", 20), 1.0)

    monkeypatch.setattr(panel, "ask", ask)
    for name in "ab":
        breakpoint_of(f"cell node:{name}", name, run)
    cursor = cursor_of(run, "team", {"seq": "5"})
    listed = counted_panel(workspace, cursor, 3, "test")
    assert [line.number.total if line.number else None for line in listed.lines] == [7, None]
    assert [line.is_counting for line in listed.lines] == [True, True]
    assert (asked, listed.turn) == (["cell node:a"], 4)


def test_what_is_not_counted_says_why(workspace, run, breakpoint_of, monkeypatch):
    breakpoint_of("cell node:a", stops=run)
    monkeypatch.setattr(panel, "ask", lambda *_a, **_h: Failed("recording damaged"))
    line = lines_at(workspace, run, seq=5)["Found"]
    assert (line.text, line.problem, line.is_counting) == ("not counted", "recording damaged", False)
    monkeypatch.setattr(panel, "ask", lambda *_a, **_h: Waiting(WaitsFor.WORKER))
    assert lines_at(workspace, run, seq=5)["Found"].is_counting
    Breakpoint.objects.update(query="gone:1")
    line = lines_at(workspace, run, seq=5)["Found"]
    assert (line.text, line.problem[:8]) == ("not counted", "column 1")


def test_the_one_that_stopped_the_run_is_marked_where_it_stands(workspace, run, breakpoint_of):
    made = breakpoint_of("pod:nobody", "Stopper", run)
    other = breakpoint_of("pod:nobody", "Other", run)
    Run.everything.filter(pk=run.pk).update(state=State.STOPPED)
    RunStop.objects.create(run=run, seq=3, breakpoint=made, name=made.name)
    run.refresh_from_db()
    lines = lines_at(workspace, run, seq=run.head.seq)
    assert (lines["Stopper"].is_here, lines[other.name].is_here) == (True, False)
    assert not lines_at(workspace, run, seq=2)["Stopper"].is_here


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (None, "…"),
        (HitNumber(7, 0, 0, "deadline", 20), "7 hits so far"),
        (HitNumber(7, 0, 0, END, 20), "7 hits"),
        (HitNumber(7, 1, 1, END, 20), "hit 2 of 7"),
        (HitNumber(7, 1, 2, END, 20), "hits 2 to 3 of 7"),
    ],
)
def test_words(number, sentence):
    assert BreakpointLine(Breakpoint(query="tie"), True, True, number=number).text == sentence
