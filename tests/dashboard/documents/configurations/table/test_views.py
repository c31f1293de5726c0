"""The table of the editor's text, before and after an edit; nothing is stored."""

from __future__ import annotations

import json
import re

import pytest

from dashboard.documents.models import ConfigRevision
from dashboard.documents.yaml_templates import CONFIGURATION_TEMPLATES

TABLE = "/w/team/configurations/table"
SAVE = "/w/team/configurations/save"
TEXT = CONFIGURATION_TEMPLATES["two-profiles"].text
OFF = json.dumps({"do": "switch", "profile": 0, "plugin": "ImageLocality", "point": "score", "on": False})


def text_in(html):
    return re.search(r'<textarea id="config-text" hidden>\n(.*?)</textarea>', html, re.DOTALL)[1]


def test_an_edit_is_answered_with_the_text_and_the_table_of_it(viewer):
    html = viewer.post(TABLE, {"text": TEXT, "edit": OFF}).content.decode()
    assert 'data-state="ready"' in html
    assert "- name: ImageLocality" in text_in(html)
    again = viewer.post(TABLE, {"text": text_in(html)}).content.decode()
    assert text_in(again) == text_in(html)
    assert ConfigRevision.objects.count() == 0


def test_a_text_with_an_error_is_answered_with_the_findings_alone(viewer):
    html = viewer.post(TABLE, {"text": TEXT.replace("profiles:", "profile:")}).content.decode()
    assert 'data-state="invalid"' in html
    assert "config-table" not in html
    assert "no known field" in html


def test_a_refused_edit_is_answered_with_its_reason_and_the_text_as_it_was(viewer):
    bind = json.dumps({"do": "switch", "plugin": "DefaultBinder", "point": "bind", "on": False})
    html = viewer.post(TABLE, {"text": TEXT, "edit": bind}).content.decode()
    assert 'data-refused="Not changed: ' in html
    assert text_in(html) == TEXT


@pytest.mark.parametrize("edit", ["{", '{"do": "rename", "name": ""}', "x" * 40_000])
def test_what_is_no_edit_is_refused(viewer, edit):
    assert viewer.post(TABLE, {"text": TEXT, "edit": edit}).status_code == 400


def test_markup_in_names_is_shown_as_text(viewer):
    hostile = TEXT.replace("batch-scheduler", "'<img src=x onerror=alert(1)>'")
    html = viewer.post(TABLE, {"text": hostile}).content.decode()
    assert "<img" not in html
    assert "&lt;img" in html


def test_what_the_address_selects_is_shown_after_a_reload(editor, config):
    page = editor.get("/w/team/configurations/pack/?plugin=NodeResourcesFit&view=table").content.decode()
    assert "view-table" in page
    assert "scoringStrategy.type" in page
    order = editor.get("/w/team/configurations/pack/?point=filter").content.decode()
    assert "order of calls" in order
    settings = editor.get("/w/team/configurations/pack/?profile=-1").content.decode()
    assert "podMaxBackoffSeconds" in settings


def test_it_is_compared_with_the_defaults_or_with_what_is_saved(editor, config):
    against_defaults = editor.get("/w/team/configurations/pack/").content.decode()
    assert "MostAllocated" in against_defaults
    assert "Nothing differs" not in against_defaults
    saved = editor.get("/w/team/configurations/pack/?against=saved").content.decode()
    assert "Nothing differs" in saved
    changed = editor.post(
        f"{TABLE}?against=saved", {"text": config.revisions.first().text, "thing": "pack", "edit": OFF}
    )
    assert "ImageLocality" in re.search(r'id="config-differences".*', changed.content.decode(), re.DOTALL)[0]


def test_without_scripts_a_cell_is_a_button_of_the_form(editor):
    page = editor.post(SAVE, {"text": TEXT, "name": "spread", "edit": OFF, "step": "save"})
    assert page.status_code == 200
    html = page.content.decode()
    assert "- name: ImageLocality" in html
    assert 'value="spread"' in html
    assert ConfigRevision.objects.count() == 0


def test_who_may_not_edit_sees_the_table_without_its_controls(viewer, config):
    html = viewer.get("/w/team/configurations/pack/?plugin=NodeResourcesFit").content.decode()
    assert "data-can-edit" not in html
    assert not re.findall(r'<button[^>]*class="cfg-cell[^>]*(?<!disabled)\s*>', html)
    assert "data-read-only" in html


def test_a_configuration_that_is_not_of_the_workspace_is_not_found(stranger, editor, config):
    assert editor.post(TABLE, {"text": TEXT, "thing": "no-such"}).status_code == 404
    assert stranger.post(TABLE, {"text": TEXT, "thing": config.slug}).status_code in (403, 404)
