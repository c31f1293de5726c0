"""Every template is valid as it stands."""

from __future__ import annotations

import pytest

from dashboard.clusters.editor.object_text import check_text
from dashboard.clusters.yaml_templates import OBJECT_TEMPLATES
from scheduler_core.manifests import load_manifests


@pytest.mark.parametrize("kind", OBJECT_TEMPLATES)
def test_every_template_of_an_object_is_valid(kind):
    checked = check_text(OBJECT_TEMPLATES[kind].text)
    assert checked.findings == []
    assert [raw["kind"] for raw in checked.manifests] == [kind]
    assert load_manifests(checked.manifests).findings == []
