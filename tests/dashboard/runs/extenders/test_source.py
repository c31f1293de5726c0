"""Runs whose extenders are answered: the same history from rules and from their tape, wherever a run is taken up."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dashboard.accounts.models import Workspace
from dashboard.common.problems import NotFound, Problem
from dashboard.documents.extenders import answering, tape_files
from dashboard.documents.extenders.answering import ExtenderAnswers
from dashboard.documents.models import ExtenderTape, ExtenderTapePart, ExtenderTapeRevision
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
    with pytest.raises(Problem, match=r"1 are declared; .*2 extenders"):
        actions.create_run(editor.member, like(scene, answers=ExtenderAnswers(rules)))
    with pytest.raises(Problem, match="answers for extenders"):
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


TAPED = """
import django
django.setup()
from dashboard.accounts.models import Member
from dashboard.documents.extenders.answering import ExtenderAnswers
from dashboard.runs import execution
from tests.dashboard.extender_scene import scene_of, started, take

class Person:
    member = Member.objects.get()

rules = scene_of(Person)
while execution.work():
    pass
rules.refresh_from_db()
started(Person, rules, answers=ExtenderAnswers(take(Person, rules)))
print(rules.recording_hash)
"""
NO_NETWORK = """
import os, socket, sys

def hook(event, args):
    opens = event == "socket.__new__" and args[1] in (socket.AF_INET, socket.AF_INET6)
    if opens or event in ("socket.getaddrinfo", "socket.gethostbyname"):
        os.write(2, f"a socket was opened: {event} {args}".encode())
        os._exit(9)

sys.addaudithook(hook)
import django
django.setup()
from django.conf import settings
from django.test import Client
from dashboard.accounts.models import User
from dashboard.runs import execution
from dashboard.runs.models import Cycle, Run
while execution.work():
    pass
run = Run.objects.exclude(tape_revision=None).get()
settings.ALLOWED_HOSTS = ["testserver"]
client = Client()
client.force_login(User.objects.get())
cycle = Cycle.objects.filter(run=run, outcome="unschedulable").first().number
for part in ("", "outcomes/", f"?cycle={cycle}", f"?cycle={cycle}&tab=matrix", f"why/?cycle={cycle}"):
    answer = client.get(f"/w/default/runs/{run.number}/{part}", follow=True)
    assert answer.status_code == 200, (part, answer.status_code)
tape = run.tape_revision.tape.slug
assert client.get(f"/w/default/extenders/tapes/{tape}/").status_code == 200
print(run.recording_hash)
"""


@pytest.mark.slow
def test_web_server_and_worker_open_no_socket_for_a_run_with_a_tape_and_come_to_its_hash(tmp_path):
    """In a process of its own, on a database of its own; an audit hook ends it at the first socket of a network."""
    environment = prepare(embedded_environment(tmp_path))
    hashes = []
    for code in (TAPED, NO_NETWORK):
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
        hashes.append(ran.stdout.split()[-1])
    assert len(hashes[0]) == 64
    assert hashes[0] == hashes[1]


@pytest.mark.slow
def test_the_hook_ends_a_process_that_opens_a_socket(tmp_path):
    code = NO_NETWORK.partition("import django")[0] + "socket.create_connection(('127.0.0.1', 9))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (ran.returncode, "a socket was opened" in ran.stderr) == (9, True)
