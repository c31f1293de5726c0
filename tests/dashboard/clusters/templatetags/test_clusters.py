"""What tags of clusters write is escaped."""

from __future__ import annotations

from dashboard.clusters.drafts.operations import Edit
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import NewCluster
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.templatetags import clusters
from tests.dashboard.clusters.conftest import draft, node, pod, saved_as
from tests.dashboard.clusters.saved_edits import save_edits
from tests.dashboard.helpers import assert_strict_csp

HERE = "/w/team/clusters/prod/"
CHINESE, RTL, LONG = "训练-数据", "مهندس المنصة <b>", "n" * 253
SCRIPT = "<script>alert(1)</script>"


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


def test_a_doubt_has_what_is_not_played_in_bold_before_the_colon():
    assert clusters.doubt("quota <q>: so: it is") == "<b>Quota &lt;q&gt;</b>: so: it is"
    assert clusters.doubt("quota q") == "<b>Quota q</b>"
