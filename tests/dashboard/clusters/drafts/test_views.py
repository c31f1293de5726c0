"""The pages of drafts: edits in one, its bar, undo by name, both versions of an object, saving, running, sharing."""

from __future__ import annotations

import asyncio
import re

import pytest

from dashboard.clusters.drafts.operations import Edit, undo
from dashboard.clusters.forms.kinds import forms
from dashboard.clusters.revisions.actions import newest_revision
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
from tests.dashboard.helpers import assert_strict_csp


@pytest.fixture
def draft(editor, owner, cluster):
    return new_draft(editor, cluster, owner)


def test_the_changes_are_shown_by_object_and_field_and_undone_one_by_one(editor, draft):
    change(editor, draft, pod("job-1", cpu="4"))
    change(editor, draft, node("node-c"))
    page = page_of(editor, f"drafts/{draft.pk}/")
    assert "spec.containers[0].resources.requests.cpu" in page
    assert "Save as r2" in page
    only = page_of(editor, f"drafts/{draft.pk}/?kind=Pod&ns=default&name=job-1")
    assert "1 of 2" in only
    editor.post(f"{HERE}drafts/{draft.pk}/back", {"kind": "Pod", "ns": "default", "name": "job-1"})
    assert cpu_of(draft) == "500m"
    assert [one.key for one in undo(editor.user, fresh(draft)).changes.all()] == [JOB]
    assert cpu_of(draft) == "4"


def test_undo_and_redo_by_name_come_back_to_the_page(editor, draft):
    operation = change(editor, draft, pod("job-1", cpu="4"), "to 4")
    form = {"number": operation.number, "back": f"{HERE}pods/?draft={draft.pk}"}
    assert editor.post(f"{HERE}drafts/{draft.pk}/undo", form)["Location"] == form["back"]
    page = page_of(editor, f"pods/?draft={draft.pk}")
    assert "Undone: to 4" in page
    assert 'title="Redo: to 4"' in page
    editor.post(f"{HERE}drafts/{draft.pk}/redo", {**form, "back": "https://elsewhere.example/"})
    assert cpu_of(draft) == "4"


def test_a_refused_undo_shows_both_versions_and_is_settled(editor, owner, draft):
    operation = change(editor, draft, pod("job-1", cpu="3"), "to 3")
    change(owner, draft, pod("job-1", cpu="4"), "to 4")
    response = editor.post(f"{HERE}drafts/{draft.pk}/undo")
    page = response.content.decode()
    assert response.status_code == 409
    assert "Asha: to 4" in page
    assert "after undoing" in page
    assert_strict_csp(page)
    editor.post(f"{HERE}drafts/{draft.pk}/settle", {"number": operation.number, "keep": "mine"})
    assert cpu_of(draft) == "500m"


def test_saving_says_that_the_base_is_old_and_shows_both_versions_where_both_changed(editor, owner, cluster, draft):
    change(editor, draft, pod("job-1", cpu="3"))
    save_edits(owner.member, cluster, [Edit(JOB, pod("job-1", cpu="4"))], saved_as())
    page = page_of(editor, f"drafts/{draft.pk}/")
    assert "shows both versions" in page
    assert "1 changed" in page
    assert "nothing differs" not in page
    response = editor.post(f"{HERE}drafts/{draft.pk}/save", {"message": "mine"})
    assert response.status_code == 409
    assert "r2, theirs" in response.content.decode()
    chosen = {"kind": "Pod", "ns": "default", "name": "job-1", "newest": 2, "keep": "mine"}
    assert editor.post(f"{HERE}drafts/{draft.pk}/resolve", chosen).status_code == 302
    editor.post(f"{HERE}drafts/{draft.pk}/save", {"message": "mine", "version": fresh(draft).version})
    assert newest_revision(cluster).message == "mine"


def test_running_saves_the_revision_that_the_run_needs(editor, cluster, draft):
    assert editor.post(f"{HERE}drafts/{draft.pk}/run")["Location"].endswith("?cluster=prod&r=1")
    change(editor, draft, pod("job-1", cpu="3"))
    response = editor.post(f"{HERE}drafts/{draft.pk}/run")
    assert response["Location"] == "/w/team/runs/new/?cluster=prod&r=2"
    assert newest_revision(cluster).message.startswith("More nodes, ")


def test_a_draft_of_nothing_but_clashes_is_not_run_from_its_base(editor, owner, cluster, draft):
    change(editor, draft, pod("job-1", cpu="3"))
    save_edits(owner.member, cluster, [Edit(JOB, pod("job-1", cpu="4"))], saved_as())
    assert editor.post(f"{HERE}drafts/{draft.pk}/run").status_code == 409


def test_the_export_of_a_draft_has_its_objects(editor, draft):
    change(editor, draft, node("node-c"))
    response = editor.get(f"{HERE}export?draft={draft.pk}")

    async def read():
        return b"".join([part async for part in response.streaming_content])

    assert b"name: node-c" in asyncio.run(read())
    assert f"prod-draft-{draft.pk}.yaml" in response["Content-Disposition"]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("", "saving shows both versions"),
        ("", "1 changed by both"),
        ("?kind=Node&name=node-c", "1 of 2 changed objects"),
    ],
)
def test_words(editor, owner, cluster, draft, query, sentence):
    change(editor, draft, pod("job-1", cpu="3"))
    change(editor, draft, node("node-c"))
    save_edits(owner.member, cluster, [Edit(JOB, pod("job-1", cpu="4"))], saved_as())
    assert sentence in page_of(editor, f"drafts/{draft.pk}/{query}")


def test_words_of_what_is_stored(editor, cluster, draft):
    change(editor, draft, pod("job-1", cpu="4"))
    editor.post(f"{HERE}drafts/{draft.pk}/run")
    assert newest_revision(cluster).message == "More nodes, saved for a run"
    change(editor, draft, pod("job-1", cpu="5"))
    editor.post(f"{HERE}drafts/{draft.pk}/back", {"kind": "Pod", "ns": "default", "name": "job-1"})
    assert undo(editor.user, fresh(draft)).name == "Take back the changes of Pod default/job-1"


def test_only_the_author_of_a_draft_names_it_and_invites_others(editor, owner, draft):
    for person, is_author in ((editor, True), (owner, False)):
        assert person.get(f"{HERE}drafts/{draft.pk}/").context["is_author"] is is_author


def test_a_settled_object_is_named_on_the_page_that_follows(editor, owner, cluster, draft):
    change(editor, draft, pod("job-1", cpu="3"))
    save_edits(owner.member, cluster, [Edit(JOB, pod("job-1", cpu="4"))], saved_as())
    chosen = {"kind": "Pod", "ns": "default", "name": "job-1", "newest": 2, "keep": "theirs"}
    page = editor.post(f"{HERE}drafts/{draft.pk}/resolve", chosen, follow=True)
    assert [str(one) for one in page.context["messages"]] == ["Settled: Pod default/job-1"]


def test_threads_of_a_change_are_asked_for_where_there_is_one(editor, draft):
    page = f"{HERE}drafts/{draft.pk}/"
    assert editor.get(page).context["change_query"] == ""
    change(editor, draft, node("node-c"))
    assert editor.get(page).context["change_query"] == f"cluster=prod&draft={draft.pk}"


@pytest.mark.parametrize(("length", "status", "number"), [(500, 302, 2), (501, 400, 1)])
def test_a_message_has_at_most_five_hundred_characters(editor, cluster, draft, length, status, number):
    change(editor, draft, node("node-c"))
    assert editor.post(f"{HERE}drafts/{draft.pk}/save", {"message": "m" * length}).status_code == status
    assert newest_revision(cluster).number == number


def test_after_saving_the_page_leads_to_the_revision_and_for_those_who_may_to_its_run(editor, viewer, cluster, draft):
    change(editor, draft, node("node-c"))
    editor.post(f"{HERE}drafts/{draft.pk}/save", {"message": "one more"})
    page = page_of(editor, f"drafts/{draft.pk}/")
    assert f'href="{HERE}r/2/"' in page
    run = f'href="/w/team/runs/new/?cluster={cluster.slug}&amp;r=2"'
    assert run in page
    draft.invited.add(viewer.user)
    assert run not in page_of(viewer, f"drafts/{draft.pk}/")


def test_all_pages_of_a_cluster_add_objects_by_one_menu(editor, cluster, draft):
    def offered(path):
        page = " ".join(editor.get(path).content.decode().split())
        _, _, menu = page.partition('class="popover add-menu"')
        return re.findall(r'data-command="(Add \w+|Import files)', menu.partition("</details>")[0])

    kinds = [f"Add {kind}" for kind in forms()]
    expected = [*kinds, "Add objects", "Import files"]
    for path in ("", "nodes/", "history/", f"?draft={draft.pk}", f"drafts/{draft.pk}/", f"drafts/{draft.pk}/edit/"):
        assert offered(HERE + path) == expected


def test_outside_of_a_draft_a_new_object_is_written_in_the_readers_own_one(editor, cluster):
    first = editor.post(f"{HERE}drafts/new", {"add": "Deployment"})
    again = editor.post(f"{HERE}drafts/new", {"add": "Node"})
    (made,) = cluster.drafts.filter(author=editor.user)
    assert first["Location"] == f"{HERE}drafts/{made.pk}/edit/?new=Deployment"
    assert again["Location"] == f"{HERE}drafts/{made.pk}/edit/?new=Node"
