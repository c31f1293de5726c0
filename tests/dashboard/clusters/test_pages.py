"""Pages of clusters: what they show, that they obey the policy, odd names, bad input, full and part forms."""

from __future__ import annotations

import pytest

from dashboard.clusters.editor.actions import save_edits
from dashboard.clusters.editor.edits import Edit
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import NewCluster
from dashboard.clusters.revisions.object_keys import Key
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import draft, node, pod, saved_as
from tests.dashboard.helpers import assert_strict_csp

HERE = "/w/team/clusters/prod/"
PAGES = [
    "/w/team/clusters/",
    "/w/team/clusters/?archived=1",
    "/w/team/clusters/?q=nothing",
    "/w/team/clusters/new/",
    HERE,
    HERE + "?r=1",
    HERE + "nodes/",
    HERE + "pods/?status=pending",
    HERE + "objects/",
    HERE + "history/",
    HERE + "diff/?from=1&to=2",
    HERE + "settings/",
    HERE + "object/?kind=Node&name=node-a",
    HERE + "object/?kind=Pod&ns=default&name=web-1",
    HERE + "object/?kind=PriorityClass&name=high&r=1",
    HERE + "object/new/?kind=Node",
    "/w/team/import/",
    "/w/team/import/?cluster=prod",
    "/w/team/configurations/",
    "/w/team/configurations/default/",
    "/w/team/configurations/new/?start=two-profiles",
    "/w/team/configurations/pack/",
    "/w/team/timelines/",
    "/w/team/timelines/new/",
    "/w/team/timelines/rush/",
]
CHINESE, RTL, LONG = "训练-数据", "مهندس المنصة <b>", "n" * 253
SCRIPT = "<script>alert(1)</script>"


@pytest.mark.parametrize("path", PAGES)
def test_pages_obey_the_strict_policy_for_editors_and_viewers(editor, viewer, edited, path):
    for person in (editor, viewer):
        response = person.get(path)
        assert_strict_csp(response.content)
        assert "unsafe" not in response["Content-Security-Policy"]
        assert response.status_code in (200, 403)
    assert editor.get(path).status_code == 200


def test_pages_of_the_editing_steps_obey_it_too(editor, cluster):
    text = dump_yaml([pod("job-1", cpu="4")])
    form = {"kind": "Pod", "ns": "default", "name": "job-1", "base": 1, "text": text}
    for step in ("review", "edit"):
        response = editor.post(HERE + "object/save", {**form, "step": step})
        assert response.status_code == 200
        assert_strict_csp(response.content)
    fragment = editor.post(HERE + "object/validate", form)
    assert_strict_csp(fragment.content)
    assert b"No finding" in fragment.content


# ---------------------------------------------------------------- list, overview, tables


@pytest.mark.parametrize(
    "path", ["?r=9", "object/?kind=Pod&ns=default&name=gone", "diff/?from=1&to=4", "object/export?kind=Node&name=x"]
)
def test_what_is_not_there_is_404(viewer, cluster, path):
    assert viewer.get(HERE + path).status_code == 404


# ---------------------------------------------------------------- editing


# ---------------------------------------------------------------- history, export


# ---------------------------------------------------------------- odd names


def test_odd_names_survive_on_every_page(editor, viewer):
    name = f"{RTL}{SCRIPT}{CHINESE}"[:120]
    cluster = actions.create_cluster(
        editor.member, NewCluster(name, SCRIPT), [node(LONG, zone="z" * 63), pod("p", LONG)]
    )
    here = f"/w/team/clusters/{cluster.slug}/"
    object_url = f"{here}object/?kind=Node&name={LONG}"
    for path in ("/w/team/clusters/", here, here + "nodes/", here + "pods/", here + "history/", object_url):
        page = editor.get(path).content.decode()
        assert "<script>alert" not in page
        assert_strict_csp(page)
        assert "مهندس المنصة &lt;b&gt;" in page
    assert LONG in editor.get(here + "nodes/").content.decode()


def test_a_message_cannot_run_code(editor, cluster):
    save_edits(editor.member, cluster, [Edit(Key("Pod", "default", "job-1"), None)], saved_as(message=SCRIPT))
    for path in ("history/", "diff/?to=2"):
        assert "<script>alert" not in editor.get(HERE + path).content.decode()


def test_findings_escape_what_they_quote(editor, cluster):
    text = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: '{SCRIPT}'}}\nspec: {{containers: [{{name: c, image: i}}]}}\n"
    response = editor.post(HERE + "object/validate", {"text": text})
    assert b"<script>" not in response.content
    assert b'data-severity="error"' in response.content
    made = draft(editor, text)
    assert b"<script>alert" not in editor.get(f"/w/team/import/{made.pk}/").content
