"""Every template is valid as it stands."""

from __future__ import annotations

import pytest

from dashboard.clusters.configurations.checking import check_config
from dashboard.clusters.timelines.checking import check_timeline
from dashboard.clusters.yaml_templates import CONFIGURATION_TEMPLATES, OBJECT_TEMPLATES, TIMELINE_TEMPLATE
from scheduler_core.manifests import load_manifests


@pytest.mark.parametrize("name", CONFIGURATION_TEMPLATES)
def test_every_template_of_a_configuration_is_valid(name):
    config, findings = check_config(CONFIGURATION_TEMPLATES[name].text)
    assert config is not None
    assert findings == []


@pytest.mark.parametrize("kind", OBJECT_TEMPLATES)
def test_every_template_of_an_object_is_valid(kind):
    from dashboard.clusters.editor.checking import check_text

    checked = check_text(OBJECT_TEMPLATES[kind].text)
    assert checked.findings == []
    assert [raw["kind"] for raw in checked.manifests] == [kind]
    assert load_manifests(checked.manifests).findings == []


def test_the_template_of_a_timeline_is_valid():
    checked = check_timeline(TIMELINE_TEMPLATE)
    assert checked.findings == []
    assert len(checked.raw["entries"]) == 2
