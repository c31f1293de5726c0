"""Drafts made, shared with people, discarded by who made them."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Draft
from tests.dashboard.clusters.drafts.draft_helpers import (
    HERE,
    new_draft,
    page_of,
)


@pytest.fixture
def draft(editor, owner, cluster):
    return new_draft(editor, cluster, owner)


def test_a_new_draft_leads_into_it(editor, cluster):
    response = editor.post(HERE + "drafts/new", {"name": "More nodes"})
    made = Draft.objects.get()
    assert response["Location"] == f"{HERE}?draft={made.pk}"
    assert "More nodes" in page_of(editor, f"?draft={made.pk}")
    assert "More nodes" in page_of(editor, "drafts/")


@pytest.mark.slow
def test_a_draft_is_its_authors_until_somebody_is_invited(editor, owner, people, cluster):
    draft = new_draft(editor, cluster)
    assert owner.get(f"{HERE}?draft={draft.pk}").status_code == 404
    assert "More nodes" not in page_of(owner, "drafts/")
    form = {"name": "Ours", "user": [owner.user.pk, people["viewer"].user.pk]}
    assert editor.post(f"{HERE}drafts/{draft.pk}/people", form).status_code == 302
    assert "shared with Edda" in page_of(owner, f"?draft={draft.pk}")
    assert people["viewer"].get(f"{HERE}?draft={draft.pk}").status_code == 404
    assert owner.post(f"{HERE}drafts/{draft.pk}/discard").status_code == 403
    assert editor.post(f"{HERE}drafts/{draft.pk}/discard").status_code == 302
    assert not Draft.objects.exists()
