"""Texts with a history: reviewed, saved, archived, and saved by two people at once."""

from __future__ import annotations

import pytest

from dashboard.common.problems import Problem
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.documents.yaml_templates import CONFIGURATION_TEMPLATES
from tests.dashboard.helpers import assert_strict_csp

SAVE = "/w/team/configurations/save"
DEFAULT = CONFIGURATION_TEMPLATES["default"].text


def test_a_change_is_reviewed_before_it_is_saved(editor, config):
    text = config.revisions.first().text + "parallelism: 8\n"
    form = {"thing": "pack", "base": 1, "text": text}
    review = editor.post(SAVE, {**form, "step": "review"})
    assert_strict_csp(review.content)
    assert "Save as revision 2?" in review.content.decode()
    assert config.revisions.count() == 1
    editor.post(SAVE, {**form, "step": "save"})
    assert config.revisions.first().number == 2
    page = editor.get("/w/team/configurations/pack/?diff=1").content.decode()
    assert "Since r1" in page


def test_two_people_at_once_lose_nothing(editor, owner, config):
    text = config.revisions.first().text
    form = {"thing": "pack", "base": 1, "step": "save"}
    owner.post(SAVE, {**form, "text": text + "parallelism: 8\n"})
    response = editor.post(SAVE, {**form, "text": text + "parallelism: 4\n"})
    page = response.content.decode()
    assert response.status_code == 409
    assert "parallelism: 8" in page
    assert "parallelism: 4" in page
    assert config.revisions.count() == 2


@pytest.mark.parametrize("form", [{"name": ""}, {"name": "pack"}], ids=["no name", "a taken one"])
def test_a_bad_name_keeps_the_text(editor, config, form):
    response = editor.post(SAVE, {**form, "text": DEFAULT + "# mine\n", "step": "save"})
    assert response.status_code == 422
    assert "# mine" in response.content.decode()


def test_nothing_to_save_is_said(editor, config):
    with pytest.raises(Problem, match="Nothing differs"):
        save_config(editor.member, config, NewText("", config.revisions.first().text, base=1))


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/w/team/configurations/default/", "Every run without a configuration of its own uses this"),
        ("/w/team/extenders/declared/", "This workspace has no declared extenders yet"),
    ],
)
def test_words(viewer, path, sentence):
    assert sentence in viewer.get(path).content.decode()
