"""Every template is valid as it stands."""

from __future__ import annotations

import pytest

from dashboard.documents.configurations.checking import check_config
from dashboard.documents.timelines.checking import check_timeline
from dashboard.documents.yaml_templates import CONFIGURATION_TEMPLATES, TIMELINE_TEMPLATE


@pytest.mark.parametrize("name", CONFIGURATION_TEMPLATES)
def test_every_template_of_a_configuration_is_valid(name):
    config, findings = check_config(CONFIGURATION_TEMPLATES[name].text)
    assert config is not None
    assert findings == []


def test_the_template_of_a_timeline_is_valid():
    checked = check_timeline(TIMELINE_TEMPLATE)
    assert checked.findings == []
    assert len(checked.raw["entries"]) == 2
