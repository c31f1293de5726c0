"""Runs whose extenders are answered: the same history from rules and from their tape, wherever a run is taken up."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dashboard.accounts.models import Workspace
from dashboard.clusters.extenders import answering, tape_files
from dashboard.clusters.extenders.answering import ExtenderAnswers
from dashboard.clusters.models import ExtenderTape, ExtenderTapePart, ExtenderTapeRevision
from dashboard.common.problems import NotFound, Problem
from dashboard.runs import actions, committing, execution, sessions
from dashboard.runs.inputs import load_inputs
from dashboard.runs.models import State
from scheduler_core.compare import input_differences
from tests.dashboard.extender_scene import like, started
from tests.dashboard.runs.slices import one_slice_at_a_time
from tests.faults.processes import ROOT, embedded_environment, prepare
from tests.patience import PATIENCE

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def cold():
    """Forget tapes that another test's database gave."""
    answering._tapes.clear()


def test_rules_and_their_tape_give_one_history(editor, scene, tape, done):
    assert (scene.state, scene.head.cycle) == (State.FINISHED, 10)
    taped = done(started(editor, scene, answers=ExtenderAnswers(tape)))
    assert taped.state == State.FINISHED, taped.error
    assert taped.recording_hash == scene.recording_hash
    assert taped.head.left_tape_cycle == 0


def test_what_answers_is_an_input_that_comparisons_name(editor, scene, tape):
    taped = started(editor, scene, answers=ExtenderAnswers(tape))
    (difference,) = input_differences(load_inputs(scene), load_inputs(taped))
    assert difference.what == "answers of extenders"
    assert difference.a.startswith("declared extenders extenders r1 (")
    assert difference.b.startswith("tape recorded r1 (")


def test_a_run_is_taken_up_at_any_place(editor, scene, tape, done, monkeypatch):
    one_slice_at_a_time(monkeypatch, 1)
    monkeypatch.setattr(committing, "KEYFRAME_EVENTS", 1)
    monkeypatch.setattr(committing, "KEYFRAME_BYTES_PER_EVENT", 1 << 20)
    taped = started(editor, scene, answers=ExtenderAnswers(tape))
    while not taped.has_ended:
        with monkeypatch.context() as patch:
            patch.setattr(execution.waiting, "others", lambda *_: True)
            execution.work()
        sessions.forget()
        answering._tapes.clear()
        taped.refresh_from_db()
    assert taped.recording_hash == scene.recording_hash


def test_a_run_started_anew_and_a_branch_take_the_tape_along(editor, scene, tape, done):
    taped = done(started(editor, scene, answers=ExtenderAnswers(tape)))
    anew = done(actions.start_anew(editor.member, taped))
    assert (anew.tape_revision, anew.recording_hash) == (tape, taped.recording_hash)


def test_what_does_not_fit_is_refused_before_the_start(editor, scene, tape):
    answers = ExtenderAnswers(tape)
    with pytest.raises(Problem, match="has no extenders, so tape recorded r1 would be asked by nobody"):
        actions.create_run(editor.member, like(scene, config=None, answers=answers))
    tape.header["cluster"] = "other"
    with pytest.raises(Problem, match="tape recorded r1: was recorded on another cluster"):
        actions.create_run(editor.member, like(scene, answers=answers))
    rules = scene.declared_revision
    rules.text = "extenders: [{}]\n"
    with pytest.raises(Problem, match="1 are declared; the configuration has 2 extenders"):
        actions.create_run(editor.member, like(scene, answers=ExtenderAnswers(rules)))
    with pytest.raises(Problem, match="nothing answers for extenders here"):
        actions.create_run(editor.member, like(scene))


def test_another_workspaces_tape_is_not_there(editor, scene, tape, stranger):
    ExtenderTape.objects.update(workspace=Workspace.objects.exclude(pk=scene.workspace_id).first())
    tape = ExtenderTapeRevision.objects.get()
    with pytest.raises(NotFound):
        actions.create_run(editor.member, like(scene, answers=ExtenderAnswers(tape)))


def test_a_tape_that_is_damaged_in_the_database_ends_the_run_with_words(editor, scene, tape, done):
    part = ExtenderTapePart.objects.get(revision=tape)
    part.data = bytes(part.data)[:-20]
    part.save()
    taped = done(started(editor, scene, answers=ExtenderAnswers(tape)))
    assert taped.state == State.FAILED
    assert taped.error.startswith("recorded r1: byte ")
    assert "cut off" in taped.error


def test_a_tape_is_put_together_once_for_several_sessions(tape, monkeypatch):
    opened = []
    open_tape = tape_files.open_tape
    monkeypatch.setattr(answering, "open_tape", lambda revision: opened.append(revision) or open_tape(revision))
    for _ in range(3):
        ExtenderAnswers(tape).source(())
    assert len(opened) == 1


NO_NETWORK = """
import os, sys

def hook(event, args):
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto"):
        os.write(2, f"a socket was used: {event} {args}".encode())
        os._exit(9)

sys.addaudithook(hook)
import django
django.setup()
from dashboard.runs import execution
from dashboard.runs.models import Run
while execution.work():
    pass
run = Run.objects.get()
print(run.state, run.recording_hash)
"""


@pytest.mark.slow
def test_a_worker_that_executes_such_a_run_opens_no_socket(tmp_path):
    """In a process of its own, on a database of its own; an audit hook ends it at the first socket that is used."""
    environment = prepare(embedded_environment(tmp_path))
    start = "from dashboard.accounts.models import Member; from dashboard.runs import demo\n"
    start += "demo.load_scene(Member.objects.get(), demo.EXTENDERS)"
    for code in (f"import django\ndjango.setup()\n{start}", NO_NETWORK):
        ran = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("finished ")
