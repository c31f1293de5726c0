"""Pages of clusters: what they show, that they obey the policy, odd names, bad input, full and part forms."""

from __future__ import annotations

import asyncio
import json

import pytest
from django.urls import reverse

from dashboard.clusters.editor.actions import delete_objects, save_edits
from dashboard.clusters.editor.edits import Edit
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import NewCluster
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.yaml_templates import OBJECT_TEMPLATES
from scheduler_core.manifests import ManifestSource, dump_yaml, load_cluster
from tests.dashboard.clusters.conftest import draft, node, pod, saved_as, small
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


@pytest.fixture
def edited(editor, cluster, config, timeline):
    """Revision 2 of "prod" beside revision 1."""
    return delete_objects(editor.member, cluster, [Key("Pod", "default", "web-2")], saved_as())


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


def test_an_empty_workspace_says_what_to_do(editor, viewer):
    assert "Import" in editor.get("/w/team/clusters/").content.decode()
    page = viewer.get("/w/team/clusters/").content.decode()
    assert "This workspace has no cluster yet" in page
    assert reverse("clusters:import", kwargs={"slug": "team"}) not in page


def test_the_list_shows_sizes_and_hides_archived(editor, cluster):
    page = editor.get("/w/team/clusters/").content.decode()
    assert "prod" in page
    assert "1 pending" in page
    editor.post(HERE + "archive", {"archived": "1"})
    assert HERE not in editor.get("/w/team/clusters/").content.decode()
    assert HERE in editor.get("/w/team/clusters/?archived=1").content.decode()
    assert "It is out of the list" in editor.get(HERE).content.decode()


@pytest.mark.parametrize(
    ("tab", "part"), [("nodes", "nodes"), ("pods", "pods"), ("objects", "objects"), ("history", "history")]
)
def test_tables_come_as_page_and_as_part(viewer, cluster, tab, part):
    full = viewer.get(f"{HERE}{tab}/").content
    alone = viewer.get(f"{HERE}{tab}/", headers={"HX-Request": "true"}).content
    assert full.startswith(b"<!DOCTYPE html>")
    assert alone.lstrip().startswith(f'<section class="panel" id="{part}">'.encode())


def shown(response, names):
    page = response.content.decode()
    return [name for name in names if f">{name}</span></a>" in page]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["node-a", "node-b"]),
        ("?q=NODE-B", ["node-b"]),
        ("?q=topology.kubernetes.io/zone%3Dzone-a", ["node-a"]),
        ("?zone=zone-b", ["node-b"]),
        ("?state=empty", ["node-b"]),
        ("?state=cordoned", []),
        ("?sort=-cpu", ["node-a", "node-b"]),
    ],
)
def test_nodes_are_searched_and_filtered(viewer, cluster, query, found):
    assert shown(viewer.get(f"{HERE}nodes/{query}"), ["node-a", "node-b"]) == found


def test_sorting_goes_by_the_figure_and_turns_round(viewer, cluster):
    page = viewer.get(f"{HERE}pods/?sort=-cpu").content.decode()
    assert page.index(">web-2</span>") < page.index(">web-1</span>")
    assert 'aria-sort="descending"' in page
    assert "?sort=cpu" in page
    page = viewer.get(f"{HERE}pods/?sort=cpu").content.decode()
    assert page.index(">web-1</span>") < page.index(">web-2</span>")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?status=pending", ["job-1"]),
        ("?node=node-a", ["web-1", "web-2"]),
        ("?q=app%3Dweb%20web-2", ["web-2"]),
        ("?q=high", ["job-1"]),
    ],
)
def test_pods_are_searched_and_filtered(viewer, cluster, query, found):
    assert shown(viewer.get(f"{HERE}pods/{query}"), ["web-1", "web-2", "job-1"]) == found


def test_pods_of_a_workload_lead_to_it(editor, cluster):
    text = OBJECT_TEMPLATES["Deployment"].text
    editor.post(HERE + "object/save", {"text": text, "base": 1, "step": "save"})
    page = editor.get(HERE + "pods/?q=web-").content.decode()
    assert page.count("kind=Deployment&amp;ns=default&amp;name=web") == 3
    assert "Its pods" in editor.get(HERE + "object/?kind=Deployment&ns=default&name=web").content.decode()


@pytest.mark.parametrize("path", ["nodes/?state=none", "pods/?sort=colour", "nodes/?page=0", "?r=x", "pods/?q=%00"])
def test_bad_queries_are_refused_with_words(viewer, cluster, path):
    response = viewer.get(HERE + path)
    assert response.status_code == 400
    assert b"problem" in response.content


@pytest.mark.parametrize(
    "path", ["?r=9", "object/?kind=Pod&ns=default&name=gone", "diff/?from=1&to=4", "object/export?kind=Node&name=x"]
)
def test_what_is_not_there_is_404(viewer, cluster, path):
    assert viewer.get(HERE + path).status_code == 404


def test_an_old_revision_is_marked_and_cannot_be_edited(editor, edited):
    page = editor.get(HERE + "object/?kind=Pod&ns=default&name=web-2&r=1").content.decode()
    assert "The newest is revision 2" in page
    assert "Review and save" not in page
    assert "readonly" in page


# ---------------------------------------------------------------- editing


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


# ---------------------------------------------------------------- history, export


def test_the_difference_counts_and_names_objects(viewer, edited):
    page = viewer.get(HERE + "diff/?from=1&to=2").content.decode()
    assert "Pod default/web-2" in page
    assert '<b class="tn">1</b><span>removed</span>' in page
    assert "Both revisions hold the same objects" in viewer.get(HERE + "diff/?from=2&to=2").content.decode()
    assert '<b class="tn">6</b><span>added</span>' in viewer.get(HERE + "diff/?from=0&to=1").content.decode()


def test_export_reads_back_as_the_same_objects(viewer, cluster):
    response = viewer.get(HERE + "export")

    async def read():
        return b"".join([part async for part in response.streaming_content])

    body = asyncio.run(read())
    loaded = load_cluster([ManifestSource("export", body)])
    assert loaded.ok
    expected = sorted(json.dumps(raw, sort_keys=True) for raw in small())
    assert sorted(json.dumps(manifest.raw, sort_keys=True) for manifest in loaded.manifests) == expected
    assert response["Content-Disposition"] == 'attachment; filename="prod-r1.yaml"'


def test_one_object_is_exported(viewer, cluster):
    response = viewer.get(HERE + "object/export?kind=Node&name=node-a")
    assert response.content.decode() == dump_yaml([node("node-a")])


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
