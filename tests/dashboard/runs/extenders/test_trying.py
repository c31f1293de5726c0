"""What is tried in a run with extenders: asked of the rules or the tape of the run, or said to be unknown."""

from __future__ import annotations

import pytest

from dashboard.answers import computing
from dashboard.answers.asking import answer_deadline, ask, ask_of_revision
from dashboard.answers.questions import RemediesOf, WhatChangesOf
from dashboard.documents.extenders.answering import ExtenderAnswers
from dashboard.runs.models import Cycle
from tests.dashboard.extender_scene import started

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def new_worker():
    """Nothing that another test asked is kept."""
    computing.sessions.cache_clear()


def changed(run, text):
    """What a configuration would change in the run."""
    question = WhatChangesOf(before="default", after=text, run=run.pk, run_made=run.created_at.isoformat())
    return ask_of_revision(run.revision, question, answer_deadline(question)).value


def remedies(run, pod):
    cycle = Cycle.objects.filter(run=run, pod=pod, outcome="unschedulable").order_by("number").last()
    question = RemediesOf(cycle.number)
    return ask(run, question, answer_deadline(question)).value


def test_a_configuration_is_tried_with_the_runs_tape_and_says_where_it_leaves_it(editor, scene, tape, done):
    taped = done(started(editor, scene, answers=ExtenderAnswers(tape)))
    text = taped.config_revision.text
    same = changed(taped, text)
    assert (same.is_complete, same.divergence, same.off_tape) == (True, None, ())
    other = text + "profiles: [{plugins: {multiPoint: {disabled: [{name: NodeResourcesFit}]}}}]\n"
    (said,) = changed(taped, other).off_tape
    assert said.startswith("The run with this text asks extenders at cycle ")
    assert "for what is not on the tape: " in said
    by_rules = changed(scene, other)
    assert by_rules.off_tape == ()
    assert by_rules.is_complete


def test_remedies_of_a_run_with_rules_ask_them(scene):
    """No licence is left for ledger-0 on any node, says an extender: whatever priority it has."""
    answer = remedies(scene, "shop/ledger-0")
    assert answer.verified == ()
    assert answer.unknown == ()
    assert {one.failure for one in answer.not_enough if "no licence" not in one.failure} == set()


def test_remedies_of_a_run_with_a_tape_are_unknown_where_it_has_no_answer(editor, scene, tape, done):
    taped = done(started(editor, scene, answers=ExtenderAnswers(tape)))
    answer = remedies(taped, "shop/ledger-0")
    assert answer.verified == ()
    assert all("of extenders[" in one.unanswered for one in answer.unknown)
    assert answer.unknown
    number = Cycle.objects.filter(run=taped, pod="shop/ledger-0", outcome="unschedulable").last().number
    page = editor.get(f"/w/team/runs/{taped.number}/answers/remedies/?cycle={number}").content.decode()
    assert "no answer to" in page
    assert "unknown" in page
