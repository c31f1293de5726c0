"""Configurations reviewed, saved with a history, archived and downloaded."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from dashboard.accounts.models import AuditEntry
from dashboard.documents.configurations import checking
from dashboard.documents.models import SchedulerConfig
from dashboard.documents.yaml_templates import CONFIGURATION_TEMPLATES
from scheduler_core.manifests import ManifestSource, load_config

SAVE = "/w/team/configurations/save"
DEFAULT = CONFIGURATION_TEMPLATES["default"].text


def test_saving_leads_to_the_page_and_is_written_down(editor):
    response = editor.post(SAVE, {"name": "spread", "text": DEFAULT, "message": "first", "step": "save"})
    assert response["Location"] == "/w/team/configurations/spread/"
    page = editor.get(response["Location"]).content.decode()
    assert "first" in page
    assert "NodeResourcesFit" in page
    assert AuditEntry.objects.filter(action="config.created", object="spread r1").exists()


def test_the_configuration_in_a_config_map_is_what_is_saved(editor):
    block = "".join(f"    {line}\n" for line in DEFAULT.splitlines())
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m}}\ndata:\n  s.yaml: |\n{block}"
    response = editor.post(SAVE, {"name": "held", "text": text, "message": "", "step": "save"})
    assert response["Location"] == "/w/team/configurations/held/"
    assert SchedulerConfig.objects.get(name="held").revisions.get().text == DEFAULT


def test_the_default_is_in_every_workspace(viewer):
    assert "Default configuration" in viewer.get("/w/team/configurations/").content.decode()
    page = viewer.get("/w/team/configurations/default/").content.decode()
    assert "readonly" in page
    assert "Every run without" in page


def test_an_installed_plugin_that_cannot_be_used_is_named_with_the_reason(viewer, editor, monkeypatch):
    monkeypatch.setattr(checking.registry(), "unusable", {"Odd": "ImportError: no <such> module"})
    page = viewer.get("/w/team/configurations/").content.decode()
    assert "<b>Odd</b> is installed and cannot be used: ImportError: no &lt;such&gt; module." in page
    head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    text = head + "profiles: [{plugins: {filter: {enabled: [{name: Odd}]}}}]\n"
    said = editor.post("/w/team/configurations/table", {"text": text}).content.decode()
    assert "runs without Odd: nodes that it would refuse count as feasible. It is installed and cannot be used" in said


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


def test_a_revision_has_a_link_that_stays_and_a_sentence(viewer, config):
    page = viewer.get("/w/team/configurations/pack/").content.decode()
    assert 'data-copy-text="http://testserver/w/team/configurations/pack/?r=1"' in page
    assert re.search(r'name="description" content="Configuration pack, revision 1 of\s+1\."', page, re.I)


# ---------------------------------------------------------------- timelines


MALFORMED = sorted((Path(__file__).parent / "malformed").iterdir())
# What another installation may have, or what a run may be given answers for, is saved with a notice of these words.
SAVED_WITH_NOTICE = {"cfg-unknown-plugin.yaml": "NodeResorcesFit", "cfg-extender-url.yaml": "extender"}


@pytest.mark.parametrize("path", MALFORMED, ids=lambda path: path.name)
def test_a_malformed_text_gets_the_findings_of_the_command_line_and_is_not_saved(editor, path):
    text = path.read_text()
    findings = load_config(ManifestSource(path.name, path.read_bytes()))[1]
    is_saved = path.name in SAVED_WITH_NOTICE or all(one.severity != "error" for one in findings)
    checked = editor.post("/w/team/configurations/table", {"text": text})
    assert checked.status_code == 200
    saved = editor.post(SAVE, {"name": "bad", "text": text, "step": "save"})
    assert saved.status_code == (302 if is_saved else 422)
    assert SchedulerConfig.objects.filter(name="bad").exists() == is_saved
    for answer in (checked, editor.get(saved["Location"]) if is_saved else saved):
        said = html.unescape(answer.content.decode())
        if path.name in SAVED_WITH_NOTICE:
            assert SAVED_WITH_NOTICE[path.name] in said
            assert "if you choose so" in said or "answer for it, or leaves it out" in said
            continue
        for one in findings:
            assert one.message in said
            assert one.field in said
            assert one.line is None or f"line {one.line}" in said.lower()
