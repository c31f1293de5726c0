"""Every template is valid as it stands."""

from __future__ import annotations

import pytest

from dashboard.clusters.configurations.checking import check_config
from dashboard.clusters.timelines.checking import check_timeline
from dashboard.clusters.yaml_templates import CONFIGS, OBJECTS, TIMELINE
from scheduler_core.manifests import load_manifests


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
