"""Drafts made, shared with people, discarded by who made them."""

from __future__ import annotations

import pytest

from dashboard.clusters.drafts.actions import changes_anything, drop_unused, open_own_draft, own_draft
from dashboard.clusters.drafts.operations import Edit, redo, undo
from dashboard.clusters.drafts.saving import save
from dashboard.clusters.models import Draft
from dashboard.clusters.revisions.actions import find_revision, newest_revision
from dashboard.clusters.revisions.object_keys import Key
from dashboard.common.problems import Problem
from tests.dashboard.clusters.conftest import node, pod, saved_as
from tests.dashboard.clusters.drafts.draft_helpers import (
    HERE,
    JOB,
    change,
    cpu_of,
    fresh,
    new_draft,
    page_of,
)
from tests.dashboard.clusters.saved_edits import save_edits


@pytest.fixture
def draft(editor, owner, cluster):
    return new_draft(editor, cluster, owner)


def test_a_new_draft_leads_into_it(editor, cluster):
    response = editor.post(HERE + "drafts/new", {"name": "More nodes"})
    made = Draft.objects.get()
    assert response["Location"] == f"{HERE}drafts/{made.pk}/edit/"
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


def test_an_edit_of_a_saved_revision_goes_into_one_s_private_draft_of_it_changed_last(editor, owner, cluster):
    first = newest_revision(cluster)
    assert own_draft(editor.member, first) is None
    new_draft(editor, cluster, owner, name="shared")
    new_draft(owner, cluster, name="Asha's")
    assert own_draft(editor.member, first) is None
    older, newer = (new_draft(editor, cluster, name=name) for name in ("older", "newer"))
    assert own_draft(editor.member, first) == newer
    change(editor, older, pod("job-1", cpu="3"))
    assert open_own_draft(editor.member, first) == (older, False)


def test_a_draft_with_changes_stays_on_its_revision_and_another_is_opened(editor, owner, cluster):
    draft = new_draft(editor, cluster, name="Draft 1")
    change(editor, draft, pod("job-1", cpu="3"))
    second = save_edits(owner.member, cluster, [Edit(None, node("node-c"))], saved_as())
    opened, is_new = open_own_draft(editor.member, second)
    assert (opened.name, opened.base, is_new) == ("Draft 2", second, True)
    assert open_own_draft(editor.member, find_revision(cluster, 1)) == (fresh(draft), False)


def test_a_draft_that_changes_nothing_goes_on_from_what_others_saved(editor, owner, cluster):
    draft = new_draft(editor, cluster)
    change(editor, draft, pod("job-1", cpu="3"), "to 3")
    change(editor, draft, pod("web-1", cpu="3"), "web to 3")
    save(editor.member, fresh(draft), "mine")
    undo(editor.user, fresh(draft))
    assert changes_anything(fresh(draft))
    redo(editor.user, fresh(draft))
    assert not changes_anything(fresh(draft))
    third = save_edits(owner.member, cluster, [Edit(JOB, pod("job-1", cpu="7"))], saved_as(2))
    opened, is_new = open_own_draft(editor.member, third)
    assert (opened, opened.base, is_new) == (draft, third, False)
    assert not changes_anything(opened)
    assert cpu_of(draft) == "7"
    assert undo(editor.user, fresh(draft)).name == "web to 3"
    assert cpu_of(draft, Key("Pod", "default", "web-1")) == "500m"


def test_a_draft_opened_for_a_refused_edit_goes_away_and_one_in_use_stays(editor, cluster):
    draft, _ = open_own_draft(editor.member, newest_revision(cluster))
    drop_unused(draft)
    assert not Draft.objects.exists()
    draft, _ = open_own_draft(editor.member, newest_revision(cluster))
    change(editor, draft, pod("job-1", cpu="3"))
    drop_unused(draft)
    assert Draft.objects.get() == draft


def test_an_archived_cluster_gets_no_draft(editor, cluster):
    editor.post(f"{HERE}archive", {"archived": "1"})
    cluster.refresh_from_db()
    with pytest.raises(Problem, match="unarchive it"):
        open_own_draft(editor.member, newest_revision(cluster))
    assert not Draft.objects.exists()
