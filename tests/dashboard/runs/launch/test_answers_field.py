"""What answers for extenders, on the launch page: offered where a configuration has some, checked, and pinned."""

from __future__ import annotations

import pytest

from dashboard.documents.actions import NewText
from dashboard.documents.extenders import answering
from dashboard.documents.extenders.actions import save_declared
from dashboard.runs import execution
from dashboard.runs.models import Run
from tests.dashboard.extender_scene import scene_of, take
from tests.dashboard.helpers import assert_strict_csp

pytestmark = pytest.mark.django_db

URL = "/w/team/runs/new/"
HERE = URL + "?cluster=extenders&config=extenders"


@pytest.fixture
def scene(editor, messages):
    answering._tapes.clear()
    return scene_of(editor)


def chosen(response):
    return response.context["form"].data["answers"]


def test_a_configuration_without_extenders_asks_for_nothing(editor, scene):
    page = editor.get(URL + "?cluster=extenders").content.decode()
    assert 'id="id_answers"' not in page


def test_what_fits_is_chosen_to_begin_with(editor, scene):
    response = editor.get(HERE)
    page = response.content.decode()
    assert_strict_csp(page)
    assert chosen(response) == "declared:extenders"
    assert "http://data.example:8888/scheduler" in page
    assert 'id="id_answers"' in page
    assert "Rules answer" in page
    assert "leave_out" not in page
    take(editor, scene)
    response = editor.get(HERE)
    assert chosen(response) == "tape:recorded"
    assert "describe the real" in response.content.decode()


def test_without_an_answer_the_page_says_what_would_happen_and_starts_nothing(editor, scene):
    page = editor.get(HERE + "&answers=").content.decode()
    assert "Without an answer" in page
    assert "leave_out" in page
    answer = post(editor, answers="")
    assert answer.status_code == 422
    assert "Nothing answers for" in answer.content.decode()
    assert Run.objects.count() == 1


def test_the_extenders_can_be_left_out_instead(editor, scene):
    assert post(editor, answers="", leave_out="on").status_code == 302
    run = Run.objects.get(number=2)
    assert run.declared_revision is None
    assert [one["kind"] for one in run.left_out] == ["extender", "extender"]


def test_a_tape_is_pinned_with_its_revision(editor, scene):
    take(editor, scene)
    assert post(editor, answers="tape:recorded", answers_r="1", kubernetes="1.34").status_code == 302
    run = Run.objects.get(number=2)
    assert (run.tape_revision.number, run.declared_revision) == (1, None)
    while execution.work():
        pass
    assert len(set(Run.objects.values_list("recording_hash", flat=True))) == 1


def test_a_run_like_another_one_has_its_answers(editor, scene):
    response = editor.get(f"{URL}?from={scene.number}")
    assert (chosen(response), response.context["form"].data["answers_r"]) == ("declared:extenders", "1")


def test_what_does_not_fit_says_why_before_the_start(editor, scene):
    save_declared(editor.member, None, NewText("one", "extenders: [{}]\n"))
    page = editor.get(HERE + "&answers=declared:one").content.decode()
    assert "1 are declared" in page
    answer = post(editor, answers="declared:one", answers_r="1")
    assert answer.status_code == 422
    assert "1 are declared" in answer.content.decode()


@pytest.mark.parametrize("answers", ["tape:none", "x", "declared:extenders:", "tape:"])
def test_what_is_not_there_is_refused(editor, scene, answers):
    assert post(editor, answers=answers).status_code == 422
    assert Run.objects.count() == 1


def test_a_revision_that_is_not_there_is_refused(editor, scene):
    assert post(editor, answers="declared:extenders", answers_r="7").status_code == 422


def post(person, **fields):
    form = person.get(HERE).context["form"].data
    same = {name: form[name] for name in form if name not in ("answers", "answers_r") and form[name] is not None}
    return person.post(
        URL, {**same, "config": "extenders", "config_r": "1", "schedule": "timeline", "seed": "7", **fields}
    )


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("", "None of them is ever called from here."),
        ("", "Rules answer, from the labels of nodes and pods at the moment of each call."),
        ("&answers=tape:recorded", "The answers describe the real cluster as it was"),
        ("&answers=", "Without an answer, kube-scheduler would end each attempt with the error of the call."),
        ("&answers=", "Leave out what is not installed here"),
        ("&answers=declared:one", "1 are declared; the configuration has 2 extenders"),
        (None, "Nothing answers for the extenders."),
    ],
)
def test_words(editor, scene, query, sentence):
    if query == "&answers=tape:recorded":
        take(editor, scene)
    save_declared(editor.member, None, NewText("one", "extenders: [{}]\n"))
    shown = editor.get(f"{HERE}{query or '&answers=declared:extenders'}")
    answer = post(editor, answers="") if query is None else shown
    assert sentence in answer.content.decode()
