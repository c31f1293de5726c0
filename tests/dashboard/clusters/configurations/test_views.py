"""Configurations reviewed, saved with a history, archived and downloaded."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import AuditEntry
from dashboard.clusters.configurations.actions import save_config
from dashboard.clusters.documents.actions import NewText
from dashboard.clusters.yaml_templates import CONFIGURATION_TEMPLATES
from dashboard.common.problems import Problem
from tests.dashboard.helpers import assert_strict_csp

SAVE = "/w/team/configurations/save"
DEFAULT = CONFIGURATION_TEMPLATES["default"].text


def test_saving_leads_to_the_page_and_is_written_down(editor):
    response = editor.post(SAVE, {"name": "spread", "text": DEFAULT, "message": "first", "step": "save"})
    assert response["Location"] == "/w/team/configurations/spread/"
    page = editor.get(response["Location"]).content.decode()
    assert "first" in page
    assert "NodeResourcesFit" in page
    assert AuditEntry.objects.filter(action="config.created", object="spread r1").exists()


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


def test_the_default_is_in_every_workspace(viewer):
    assert "Default configuration" in viewer.get("/w/team/configurations/").content.decode()
    page = viewer.get("/w/team/configurations/default/").content.decode()
    assert "readonly" in page
    assert "Duplicate it to change it" in page


def test_archiving_hides_and_puts_back(editor, config):
    url = "/w/team/texts/configurations/archive"
    editor.post(url, {"thing": "pack", "archived": "1"})
    assert "/pack/" not in editor.get("/w/team/configurations/").content.decode()
    assert "/pack/" in editor.get("/w/team/configurations/?archived=1").content.decode()
    editor.post(url, {"thing": "pack", "archived": "0"})
    assert "/pack/" in editor.get("/w/team/configurations/").content.decode()
    assert editor.post("/w/team/texts/cities/archive", {"thing": "pack"}).status_code == 404


def test_export_is_the_text(viewer, config):
    response = viewer.get("/w/team/configurations/pack/export")
    assert response.content.decode() == CONFIGURATION_TEMPLATES["most-allocated"].text


# ---------------------------------------------------------------- timelines
