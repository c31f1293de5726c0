"""Objects edited as YAML on the pages of a saved revision: into the editor's own draft, errors that keep the text."""

from __future__ import annotations

import re

import pytest

from dashboard.clusters.drafts.operations import Edit, undoable
from dashboard.clusters.models import Cluster, Draft
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.object_store import Saving, save_revision
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import node, pod, saved_as
from tests.dashboard.clusters.drafts.draft_helpers import JOB, change, cpu_of, new_draft, seen
from tests.dashboard.clusters.saved_edits import save_edits
from tests.dashboard.helpers import assert_strict_csp

HERE = "/w/team/clusters/prod/"


def form_of(name="job-1", cpu="4", base=1, **more):
    text = dump_yaml([pod(name, cpu=cpu)])
    return {"kind": "Pod", "ns": "default", "name": "job-1", "base": base, "text": text, **more}


def own(person, cluster):
    """Return the person's only draft."""
    return Draft.objects.get(cluster=cluster, author=person.user)


def test_an_edit_of_a_saved_revision_opens_a_private_draft_and_saves_no_revision(editor, cluster):
    response = editor.post(HERE + "object/save", form_of())
    draft = own(editor, cluster)
    assert response["Location"] == f"{HERE}object/?kind=Pod&ns=default&name=job-1&draft={draft.pk}"
    assert (cpu_of(draft), draft.base.number, draft.invited.count()) == ("4", 1, 0)
    assert cluster.revisions.count() == 1
    page = editor.get(response["Location"]).content.decode()
    assert 'id="draftbar"' in page
    assert "default/job-1, in Draft" in page
    assert_strict_csp(page)


def test_the_next_edit_goes_on_in_the_same_draft_and_the_page_says_so_before(editor, cluster):
    where = "object/?kind=Pod&ns=default&name=job-1"
    assert re.search(r"draft of revision\s+1", editor.get(HERE + where).content.decode())
    editor.post(HERE + "object/save", form_of())
    page = editor.get(HERE + where).content.decode()
    assert "draft Draft 1" in page
    editor.post(HERE + "nodes/change", {"node": "node-a", "what": "cordon", "base": 1})
    changes = [one.changes.get().name for one in own(editor, cluster).operations.all()]
    assert changes == ["job-1", "node-a"]


def test_a_form_of_an_older_revision_edits_that_revision_and_is_put_on_top_when_it_is_saved(editor, owner, cluster):
    save_edits(owner.member, cluster, [Edit(None, pod("new-1"))], saved_as())
    editor.post(HERE + "object/save", form_of())
    draft = own(editor, cluster)
    assert draft.base.number == 1
    editor.post(f"{HERE}drafts/{draft.pk}/save", {"message": "more room"})
    saved = actions.newest_revision(cluster)
    assert (saved.number, saved.message, saved.counts["Pod"]) == (3, "more room", 4)


def test_a_text_with_errors_comes_back_with_them_and_opens_no_draft(editor, cluster):
    form = form_of(seen="ab" * 32)
    form["text"] = form["text"].replace('cpu: "4"', "cpu: 4 cores")
    response = editor.post(HERE + "object/save", form)
    page = response.content.decode()
    assert response.status_code == 422
    assert "cpu: 4 cores" in page
    assert 'data-severity="error"' in page
    assert form["seen"] in page, "what the text began from is not forgotten"
    assert not Draft.objects.exists()


def test_a_name_that_is_taken_comes_back_with_the_text_and_opens_no_draft(editor, cluster):
    response = editor.post(HERE + "object/save", form_of(name="web-1"))
    assert response.status_code == 422
    assert "default/web-1 exists already" in response.content.decode()
    assert "name: web-1" in response.content.decode()
    assert not Draft.objects.exists()


def test_an_edit_of_what_the_draft_has_changed_already_shows_both_versions(editor, cluster):
    draft = new_draft(editor, cluster)
    opened = seen(draft, JOB).hex()
    change(editor, draft, pod("job-1", cpu="3"))
    response = editor.post(HERE + "object/save", form_of(cpu="7", seen=opened))
    page = response.content.decode()
    assert response.status_code == 409
    assert "cpu: &quot;7&quot;" in page
    assert "cpu: &quot;3&quot;" in page
    assert cpu_of(draft) == "3"


def test_the_message_s_undo_takes_back_that_edit_and_comes_back_to_the_page(editor, cluster):
    back = HERE + "nodes/?zone=zone-a"
    form = {"node": ["node-a", "node-b"], "what": "delete", "base": 1, "back": back}
    response = editor.post(HERE + "nodes/change", form)
    draft = own(editor, cluster)
    assert response["Location"] == f"{back}&draft={draft.pk}"
    page = editor.get(response["Location"]).content.decode()
    assert "more, in Draft" in page
    number = undoable(editor.user, draft).number
    undone = editor.post(f"{HERE}drafts/{draft.pk}/undo?number={number}&back={back}%26draft%3D{draft.pk}")
    assert undone["Location"] == response["Location"]
    assert undoable(editor.user, draft) is None


def test_duplicate_offers_a_free_name(editor, cluster):
    page = editor.get(HERE + "object/new/?kind=Node&name=node-a").content.decode()
    assert "name: node-a-2" in page


def test_several_documents_are_added_at_once(editor, cluster):
    text = dump_yaml([pod("new-1"), pod("new-2")])
    editor.post(HERE + "object/save", {"text": text, "base": 1})
    changes = undoable(editor.user, own(editor, cluster)).changes
    assert sorted(changes.values_list("name", flat=True)) == ["new-1", "new-2"]


def test_quick_actions_come_back_to_where_one_was_with_the_draft_open(editor, cluster):
    back = HERE + "nodes/?zone=zone-a"
    form = {"node": "node-a", "what": "cordon", "base": 1, "back": back}
    at = editor.post(HERE + "nodes/change", form)["Location"]
    assert at == f"{back}&draft={own(editor, cluster).pk}"
    form = {"node": "node-a", "what": "uncordon", "base": 1, "back": "https://elsewhere.example/"}
    assert editor.post(HERE + "nodes/change", form)["Location"].startswith(HERE + "nodes/?draft=")


@pytest.mark.parametrize(
    "form",
    [
        {"what": "cordon"},
        {"what": "melt", "node": "node-a"},
        {"what": "taint", "node": "node-a"},
        {"what": "cordon", "node": "nobody"},
        {"what": "taint", "node": "node-a", "taint_key": "k", "taint_effect": "Never"},
        {"what": "delete"},
    ],
)
def test_bad_quick_actions_change_nothing(editor, cluster, form):
    assert editor.post(HERE + "nodes/change", {**form, "base": 1}).status_code in (400, 404, 422)
    assert not Draft.objects.exists()
    assert cluster.revisions.count() == 1


def test_a_post_without_a_base_is_refused(editor, cluster):
    form = form_of()
    form["base"] = "soon"
    assert editor.post(HERE + "object/save", form).status_code == 400
    del form["base"]
    assert editor.post(HERE + "object/save", form).status_code == 404
    assert not Draft.objects.exists()


def test_the_page_of_a_pod_that_ended_says_what_took_it(editor, workspace):
    target = {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI", "message": "<b>drain"}
    evicted = pod("gone", "node-a") | {"status": {"phase": "Failed", "conditions": [target]}}
    ending = pod("ending", "node-a") | {"status": {"phase": "Running", "conditions": [target]}}
    cluster = Cluster.objects.create(workspace=workspace, slug="drained", name="drained")
    save_revision(cluster, [node("node-a"), evicted, ending, pod("stays", "node-a")], Saving(None))

    def page(name):
        return editor.get(f"/w/team/clusters/drained/object/?kind=Pod&ns=default&name={name}").content.decode()

    gone = page("gone")
    assert 'data-code="EVICTED_BY_API"' in gone
    assert "&lt;b&gt;drain" in gone
    assert "It has not ended yet" in page("ending")
    assert 'id="departure"' not in page("stays")


def test_words(editor, cluster):
    where = "object/?kind=Pod&ns=default&name=job-1"
    said = [editor.get(HERE + where).content.decode()]
    said.append(editor.get(editor.post(HERE + "object/save", form_of())["Location"]).content.decode())
    said.append(editor.post(HERE + "object/save", form_of(name="web-1")).content.decode())
    said.append(editor.get(HERE + where).content.decode())
    opens, changed, taken, goes_on = (" ".join(page.split()) for page in said)
    assert "It opens a private draft of revision 1" in opens
    assert "Change Pod default/job-1, in Draft 1" in changed
    assert "Pod default/web-1 exists already" in taken
    assert "your private draft Draft 1" in goes_on
