"""Configurations and timelines: judged as typed, saved with a history, older versions offered in v1."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import AuditEntry
from dashboard.clusters.configurations import actions as configurations
from dashboard.clusters.configurations.actions import NewText, check_config, check_timeline, profiles_of, suggestion_of
from dashboard.clusters.models import SchedulerConfig, Timeline
from dashboard.clusters.revisions import object_store
from dashboard.clusters.yaml_templates import CONFIGS, OBJECTS, TIMELINE
from dashboard.common.problems import Conflict, Forbidden, Problem
from scheduler_core.manifests import load_manifests
from tests.dashboard.helpers import assert_strict_csp

SAVE = "/w/team/configurations/save"
DEFAULT = CONFIGS["default"].text
OLD = DEFAULT.replace("config.k8s.io/v1\n", "config.k8s.io/v1beta3\n")


@pytest.mark.parametrize("name", CONFIGS)
def test_every_starter_of_a_configuration_is_valid(name):
    config, findings = check_config(CONFIGS[name].text)
    assert config is not None
    assert findings == []


@pytest.mark.parametrize("kind", OBJECTS)
def test_every_starter_of_an_object_is_valid(kind):
    from dashboard.clusters.editor.edits import check_text

    checked = check_text(OBJECTS[kind].text)
    assert checked.findings == []
    assert [raw["kind"] for raw in checked.manifests] == [kind]
    assert load_manifests(checked.manifests).findings == []


def test_the_starter_of_a_timeline_is_valid():
    checked = check_timeline(TIMELINE)
    assert checked.findings == []
    assert len(checked.raw["entries"]) == 2


def test_profiles_are_shown_as_the_scheduler_understands_them():
    config, _ = check_config(CONFIGS["two-profiles"].text)
    first, second = profiles_of(config)
    weights = {line.name: line.weight for line in first.lines}
    assert (weights["TaintToleration"], weights["NodeName"]) == (3, None)
    points = {line.name: [point for point, there in line.points if there] for line in second.lines}
    assert "score" not in points["NodeResourcesBalancedAllocation"]
    assert "filter" in points["NodeResourcesFit"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no configuration"),
        (DEFAULT + "---\n" + DEFAULT, "2 documents"),
        (DEFAULT.replace("profiles", "profile"), "profile"),
        (DEFAULT + "percentageOfNodesToScore: 101\n", "percentageOfNodesToScore"),
        ("a: [", "YAML"),
    ],
)
def test_bad_configurations_are_refused_with_words(text, words):
    config, findings = check_config(text)
    errors = [finding.text() for finding in findings]
    assert config is None or errors
    assert any(words in line for line in errors)


def test_a_plugin_at_a_point_it_has_not_is_refused():
    text = DEFAULT + "  plugins:\n    score:\n      enabled:\n      - name: NodeName\n"
    config, findings = check_config(text)
    assert config is None
    assert "NodeName" in findings[-1].message


def test_an_older_version_is_refused_with_its_conversion_at_hand(editor):
    config, findings = check_config(OLD)
    assert config is None
    assert check_config(suggestion_of(findings))[0] is not None
    refused = editor.post(SAVE, {"name": "old", "text": OLD, "step": "save"})
    assert refused.status_code == 422
    assert "Use the v1 conversion" in refused.content.decode()
    assert b"Use the v1 conversion" in editor.post("/w/team/configurations/validate", {"text": OLD}).content
    converted = editor.post(SAVE, {"name": "old", "text": OLD, "step": "convert"}).content.decode()
    assert "apiVersion: kubescheduler.config.k8s.io/v1\n" in converted
    assert 'value="old"' in converted
    assert not SchedulerConfig.objects.exists()


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
        configurations.save_config(editor.member, config, NewText("", config.revisions.first().text, base=1))


def test_readers_cannot_save(viewer, config, timeline):
    with pytest.raises(Forbidden):
        configurations.save_config(viewer.member, None, NewText("x", DEFAULT))
    with pytest.raises(Forbidden):
        configurations.save_timeline(viewer.member, timeline, NewText("", TIMELINE, 1))
    with pytest.raises(Forbidden):
        configurations.archive(viewer.member, config, True)


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
    assert response.content.decode() == CONFIGS["most-allocated"].text


# ---------------------------------------------------------------- timelines


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("entries: 5\n", 1, "a list is needed"),
        ("entries:\n- at: 1s\n  action: explode\n  object: {}\n", 3, "add, update or delete"),
        ("entries:\n- at: soon\n  object: {}\n", 2, "no time"),
        ("entries: []\nextra: 1\n", None, "unknown field"),
        ("- a\n", None, "mapping"),
        ("a: [", 2, "YAML"),
    ],
)
def test_bad_timelines_name_line_and_words(text, line, words):
    checked = check_timeline(text)
    assert checked.raw is None
    assert words in checked.findings[0].message
    assert checked.findings[0].line == line


def test_a_timeline_keeps_what_was_written(editor, timeline):
    revision = timeline.revisions.get()
    assert revision.n_entries == 2
    assert check_timeline(configurations.timeline_text(revision)).raw == object_store.read_timeline(revision)
    page = editor.get("/w/team/timelines/rush/").content.decode()
    assert "web-1" in page


def test_a_timeline_is_judged_in_a_cluster(editor, cluster):
    text = TIMELINE.replace("      containers:", "      priorityClassName: high\n      containers:")
    form = {"name": "classy", "text": text, "step": "save", "cluster": "prod"}
    assert editor.post("/w/team/timelines/save", form).status_code == 302
    assert Timeline.objects.get(slug="classy").revisions.count() == 1


def test_timelines_conflict_as_well(editor, timeline):
    new = NewText("", TIMELINE.replace("10s", "20s"), base=1)
    configurations.save_timeline(editor.member, timeline, new)
    with pytest.raises(Conflict):
        configurations.save_timeline(editor.member, timeline, new)


def test_a_long_timeline_is_for_download(editor, timeline, monkeypatch):
    monkeypatch.setattr(configurations, "MAX_EDITABLE_ENTRIES", 1)
    page = editor.get("/w/team/timelines/rush/").content.decode()
    assert "too many for a text field" in page
    assert "textarea" not in page
