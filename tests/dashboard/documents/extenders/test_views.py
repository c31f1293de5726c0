"""The pages of declared extenders."""

from __future__ import annotations

import pytest

from dashboard.documents.models import DeclaredExtenders
from dashboard.documents.yaml_templates import DECLARED_TEMPLATE
from tests.dashboard.helpers import assert_strict_csp

pytestmark = pytest.mark.django_db

HERE = "/w/team/extenders/declared/"


def test_the_list_names_what_is_saved_and_leads_to_tapes(viewer, declared):
    page = viewer.get(HERE).content.decode()
    assert f'href="{HERE}rules/"' in page
    assert 'href="/w/team/extenders/tapes/"' in page
    assert "Declare extenders" not in page


def test_a_workspace_without_any_says_what_they_are_for(editor):
    page = editor.get(HERE).content.decode()
    assert "no declared extenders" in page


def test_rules_are_written_checked_and_saved(editor):
    page = editor.get("/w/team/extenders/declare/").content.decode()
    assert_strict_csp(page)
    assert "disk is too" in page
    findings = editor.post("/w/team/extenders/validate", {"text": "extenders:\n- filtr: []"}).content.decode()
    assert "line 2" in findings
    assert "extenders[0].filtr" in findings
    saved = editor.post("/w/team/extenders/save", {"name": "mine", "text": DECLARED_TEMPLATE, "step": "save"})
    assert saved["Location"] == f"{HERE}mine/"
    assert editor.get(f"{HERE}mine/export").content.decode() == DECLARED_TEMPLATE
    copy = editor.get("/w/team/extenders/declare/?copy=mine").content.decode()
    assert "disk is too" in copy


def test_a_page_deletes_what_no_run_needs(editor, declared):
    page = editor.get(f"{HERE}rules/").content.decode()
    assert f'action="{HERE}rules/delete"' in page
    assert editor.post(f"{HERE}rules/delete")["Location"] == HERE
    assert not DeclaredExtenders.objects.exists()


def test_declared_extenders_are_archived_by_the_address_of_all_texts(editor, declared):
    answer = editor.post("/w/team/texts/declared/archive", {"thing": "rules", "archived": "1"})
    assert answer["Location"] == HERE
    declared.refresh_from_db()
    assert declared.archived_at is not None
