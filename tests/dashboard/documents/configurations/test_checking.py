"""Configurations judged as typed; older versions offered in v1."""

from __future__ import annotations

import pytest

from dashboard.documents.configurations.checking import check_config
from dashboard.documents.kind import CheckedText
from dashboard.documents.models import SchedulerConfig
from dashboard.documents.yaml_templates import CONFIGURATION_TEMPLATES

SAVE = "/w/team/configurations/save"
DEFAULT = CONFIGURATION_TEMPLATES["default"].text
OLD = DEFAULT.replace("config.k8s.io/v1\n", "config.k8s.io/v1beta3\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no configuration"),
        (DEFAULT + "---\n" + DEFAULT, "2 documents"),
        (DEFAULT.replace("profiles", "profile"), "profile"),
        (DEFAULT + "percentageOfNodesToScore: 101\n", "percentageOfNodesToScore"),
        ("a: [", "YAML"),
    ],
)
def test_bad_configurations_are_refused_with_words(text, message):
    config, findings = check_config(text)
    errors = [finding.text() for finding in findings]
    assert config is None or errors
    assert any(message in line for line in errors)


def test_a_plugin_at_a_point_it_has_not_is_refused():
    text = DEFAULT + "  plugins:\n    score:\n      enabled:\n      - name: NodeName\n"
    config, findings = check_config(text)
    assert config is None
    assert "NodeName" in findings[-1].message


def test_an_older_version_is_refused_with_its_conversion_at_hand(editor):
    config, findings = check_config(OLD)
    assert config is None
    assert check_config(CheckedText("", findings).suggestion)[0] is not None
    refused = editor.post(SAVE, {"name": "old", "text": OLD, "step": "save"})
    assert refused.status_code == 422
    assert 'value="convert"' in refused.content.decode()
    assert b'value="convert"' in editor.post("/w/team/configurations/table", {"text": OLD}).content
    converted = editor.post(SAVE, {"name": "old", "text": OLD, "step": "convert"}).content.decode()
    assert "apiVersion: kubescheduler.config.k8s.io/v1\n" in converted
    assert 'value="old"' in converted
    assert not SchedulerConfig.objects.exists()
