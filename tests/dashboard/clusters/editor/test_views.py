"""Objects edited as YAML: reviewed before they are saved, errors and conflicts that keep the text, quick actions."""

from __future__ import annotations

import pytest

from dashboard.clusters.editor.actions import save_edits
from dashboard.clusters.editor.edits import Edit
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.object_keys import Key
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import pod, saved_as
from tests.dashboard.helpers import assert_strict_csp

HERE = "/w/team/clusters/prod/"


def form_of(name="job-1", cpu="4", base=1, **more):
    text = dump_yaml([pod(name, cpu=cpu)])
    return {"kind": "Pod", "ns": "default", "name": "job-1", "base": base, "text": text, **more}


def test_review_shows_the_difference_and_saves_nothing(editor, cluster):
    page = editor.post(HERE + "object/save", form_of(step="review", message="more room")).content.decode()
    assert "Save as revision 2?" in page
    assert 'class="add"' in page
    assert 'value="more room"' in page
    assert cluster.revisions.count() == 1


def test_save_leads_to_the_object(editor, cluster):
    response = editor.post(HERE + "object/save", form_of(step="save", message="more room"))
    assert response["Location"] == HERE + "object/?kind=Pod&ns=default&name=job-1"
    revision = actions.newest_revision(cluster)
    assert (revision.number, revision.message, revision.author) == (2, "more room", editor.user)


def test_a_text_with_errors_comes_back_with_them(editor, cluster):
    form = form_of(step="review")
    form["text"] = form["text"].replace('cpu: "4"', "cpu: 4 cores")
    response = editor.post(HERE + "object/save", form)
    page = response.content.decode()
    assert response.status_code == 422
    assert "cpu: 4 cores" in page
    assert 'data-severity="error"' in page


def test_a_name_that_is_taken_comes_back_with_the_text(editor, cluster):
    for step in ("review", "save"):
        response = editor.post(HERE + "object/save", form_of(name="web-1", step=step))
        assert response.status_code == 422
        assert "Pod default/web-1 exists already" in response.content.decode()
        assert "name: web-1" in response.content.decode()


def test_a_conflict_shows_both_versions(editor, owner, cluster):
    save_edits(owner.member, cluster, [Edit(Key("Pod", "default", "job-1"), pod("job-1", cpu="3"))], saved_as())
    response = editor.post(HERE + "object/save", form_of(cpu="7", step="save"))
    page = response.content.decode()
    assert response.status_code == 409
    assert "r2, theirs" in page
    assert "cpu: &quot;7&quot;" in page
    assert "cpu: &quot;3&quot;" in page
    assert_strict_csp(page)
    assert editor.post(HERE + "object/save", form_of(cpu="7", base=2, step="save")).status_code == 302


def test_duplicate_offers_a_free_name(editor, cluster):
    page = editor.get(HERE + "object/new/?kind=Node&name=node-a").content.decode()
    assert "name: node-a-2" in page


def test_several_documents_are_added_at_once(editor, cluster):
    text = dump_yaml([pod("new-1"), pod("new-2")])
    editor.post(HERE + "object/save", {"text": text, "base": 1, "step": "save"})
    assert actions.newest_revision(cluster).counts["Pod"] == 5


def test_quick_actions_come_back_to_where_one_was(editor, cluster):
    back = HERE + "nodes/?zone=zone-a"
    form = {"node": "node-a", "what": "cordon", "base": 1, "back": back}
    assert editor.post(HERE + "nodes/change", form)["Location"] == back
    form = {"node": "node-a", "what": "uncordon", "base": 2, "back": "https://elsewhere.example/"}
    assert editor.post(HERE + "nodes/change", form)["Location"] == HERE + "nodes/"


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
    assert editor.post(HERE + "nodes/change", {**form, "base": 1}).status_code in (400, 422)
    assert cluster.revisions.count() == 1


def test_a_post_without_a_base_is_refused(editor, cluster):
    form = form_of(step="save")
    form["base"] = "soon"
    assert editor.post(HERE + "object/save", form).status_code == 400
    del form["base"]
    assert editor.post(HERE + "object/save", form).status_code == 404
