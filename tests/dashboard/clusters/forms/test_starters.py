"""Texts of new objects are valid, and have a form."""

from __future__ import annotations

import pytest

from dashboard.clusters.editor.object_text import check_text
from dashboard.clusters.forms import kinds
from dashboard.clusters.forms.starters import starter_text
from dashboard.clusters.forms.values import section_values
from dashboard.clusters.texts.changes import read_document


@pytest.mark.parametrize("form", kinds._FORMS, ids=lambda one: one.kind)
def test_a_starter_is_valid_and_fills_fields(form):
    text = starter_text(form.kind)
    checked = check_text(text)
    assert checked.findings == []
    assert checked.manifests[0]["kind"] == form.kind
    assert any(one.is_set for section in section_values(read_document(text), form) for one in section.fields)
