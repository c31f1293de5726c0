"""Answers about two runs: equal to the comparison of the core, in turns or in one."""

from __future__ import annotations

import pytest

from dashboard.answers.answering.comparing import sides as comparing
from dashboard.answers.answering.sessions import Sessions
from dashboard.answers.answering.source import Source
from dashboard.answers.answering.time_limit import TimeLimit
from dashboard.answers.asking import answer_deadline, ask
from dashboard.answers.outcomes import Answer, Failed
from dashboard.answers.questions import ComparisonReport, DivergenceOf, FiguresCompared, PodsCompared
from dashboard.runs.inputs import load_inputs
from dashboard.runs.storage import recordings
from scheduler_core.compare import RunToCompare, comparison, decided_by, side_reading
from scheduler_core.compare.pods import MOVED
from scheduler_core.compare.report import as_csv, as_markdown
from tests.dashboard.debugger.conftest import scene
from tests.dashboard.run_helpers import node, pod


@pytest.fixture
def other(execute):
    """The scene with another node."""
    return execute([*scene(), node("spare", "128")], slug="larger", schedule="pending")


def sides_of(a, b):
    return b.pk, b.created_at.isoformat(), a.head.seq, b.head.seq


def answered(run, question):
    outcome = ask(run, question, answer_deadline(question))
    assert isinstance(outcome, Answer), outcome
    return outcome.value


def whole_of(a, b):
    """The comparison as the core makes it."""

    def compared(first, second):
        return comparison(
            RunToCompare(load_inputs(a), first, None, a.engine_version),
            RunToCompare(load_inputs(b), second, None, b.engine_version),
        )

    return recordings.read(a.pk, lambda first: recordings.read(b.pk, lambda second: compared(first, second)))


def test_each_answer_is_a_part_of_the_comparison_of_the_core(run, other):
    whole, sides = whole_of(run, other), sides_of(run, other)
    divergence = answered(run, DivergenceOf(*sides))
    assert (divergence.divergence, divergence.inputs) == (whole.divergence, whole.inputs)
    figures = answered(run, FiguresCompared(*sides))
    assert figures.is_complete
    assert (figures.totals, figures.figures, figures.n_pods) == (whole.totals, whole.figures, whole.n_pods)
    pods = answered(run, PodsCompared(*sides))
    assert (pods.pods, pods.n_matching) == (whole.pods, len(whole.pods))
    assert sum(figures.groups.values()) == len(whole.pods)
    for form, lines in (("markdown", as_markdown(whole)), ("csv", as_csv(whole))):
        assert answered(run, ComparisonReport(*sides, form=form)).text == "".join(f"{line}\n" for line in lines)


def moved_pair(execute):
    """Two runs of one cluster, and the scene packed on another node: its pod moves by points."""
    objects = [node("a", "8"), node("b", "8"), pod("held", "2", nodeName="a"), pod("new", "1")]
    first = execute(objects, slug="one", schedule="pending")
    more = [node("a", "8"), node("b", "8"), pod("held", "2", nodeName="b"), pod("new", "1")]
    return first, execute(more, slug="two", schedule="pending")


def test_of_a_pod_on_another_node_it_says_which_plugin_moved_it(execute):
    a, b = moved_pair(execute)
    sides = sides_of(a, b)
    assert answered(a, PodsCompared(*sides)).decided == ()
    answer = answered(a, PodsCompared(*sides, decides=True))
    moved = {one.pod: by for one, by in zip(answer.pods, answer.decided, strict=True) if one.group == MOVED}
    (one,) = (one for one in answer.pods if one.pod == "default/new")
    by = recordings.read(a.pk, lambda first: recordings.read(b.pk, lambda second: decided_by(first, second, one)))
    assert moved["default/new"] == by
    assert by.startswith("NodeResourcesFit +")


def test_pods_that_are_looked_at_in_turns_are_all_looked_at(execute, monkeypatch):
    a, b = moved_pair(execute)
    sides, source = sides_of(a, b), Source(a, Sessions(1 << 60))
    late = TimeLimit(0.0)
    answer = comparing.compare_pods(source, PodsCompared(*sides, decides=True), late)
    while answer.reached < answer.total:
        answer = comparing.compare_pods(source, PodsCompared(*sides, decides=True), late)
    left = [answer.n_undecided]
    while not answer.is_complete:
        answer = comparing.compare_pods(source, PodsCompared(*sides, decides=True), late)
        left.append(answer.n_undecided)
    assert left == sorted(left, reverse=True)
    assert left[-1] == 0


def test_pods_come_in_pages_by_group_and_by_a_part_of_a_name(run, other):
    sides = sides_of(run, other)
    every = answered(run, PodsCompared(*sides, every=True, size=500)).pods
    pages = [answered(run, PodsCompared(*sides, every=True, start=start, size=3)) for start in range(0, len(every), 3)]
    assert tuple(one for page in pages for one in page.pods) == every
    group = answered(run, PodsCompared(*sides)).pods[0].group
    assert {one.group for one in answered(run, PodsCompared(*sides, group=group)).pods} == {group}
    assert {one.pod for one in answered(run, PodsCompared(*sides, text="NEVER")).pods} == {"default/never-0"}
    assert answered(run, PodsCompared(*sides, text="nobody")).n_matching == 0


def test_turns_add_up_to_what_one_reading_says(run, other, monkeypatch):
    monkeypatch.setattr(side_reading, "BATCH", 40)
    sides, source = sides_of(run, other), Source(run, Sessions(2**40))
    late, turns = TimeLimit(0.0), []
    while not turns or not turns[-1].is_complete:
        turns.append(comparing.compare_figures(source, FiguresCompared(*sides, turn=len(turns)), late))
        assert len(turns) < 200
    assert len(turns) > 2
    assert [one.reached for one in turns] == sorted({one.reached for one in turns})
    assert all(one.totals is None for one in turns[:-1])
    whole = whole_of(run, other)
    assert (turns[-1].totals, turns[-1].figures) == (whole.totals, whole.figures)


@pytest.mark.parametrize("question", [DivergenceOf, FiguresCompared, PodsCompared, ComparisonReport])
def test_a_run_that_is_gone_is_said(run, question):
    asked = question(10**6, run.created_at.isoformat(), run.head.seq, 0)
    outcome = ask(run, asked, answer_deadline(asked))
    assert isinstance(outcome, Failed)
    assert "not exist" in outcome.text


def test_an_unknown_group_is_said(run):
    question = PodsCompared(*sides_of(run, run), group="nobody")
    outcome = ask(run, question, answer_deadline(question))
    assert isinstance(outcome, Failed)
    assert 'no group "nobody"' in outcome.text


def test_words(run):
    asked = DivergenceOf(10**6, run.created_at.isoformat(), run.head.seq, 0)
    assert "does not exist any more" in ask(run, asked, answer_deadline(asked)).text


def test_only_pods_that_moved_are_left_to_be_decided(run, other):
    answer = answered(run, PodsCompared(*sides_of(run, other), decides=True, every=True))
    assert {one.group for one in answer.pods} - {MOVED}
    assert answer.n_undecided == 0
