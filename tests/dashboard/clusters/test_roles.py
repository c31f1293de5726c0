"""Who may use which address of clusters: the table role x endpoint."""

from __future__ import annotations

import pytest
from django.urls import reverse

from dashboard.clusters.models import Cluster, Draft
from dashboard.clusters.yaml_templates import OBJECT_TEMPLATES
from dashboard.documents.yaml_templates import CONFIGURATION_TEMPLATES, DECLARED_TEMPLATE, TIMELINE_TEMPLATE
from tests.dashboard.clusters.background.task_helpers import left
from tests.dashboard.clusters.conftest import draft
from tests.dashboard.role_tables import ORDER, assert_each_address_has_a_row

POD = OBJECT_TEMPLATES["Pod"].text
BENCHMARK = (
    "- {name: Basic, workloads: [{name: small}], workloadTemplate: [{opcode: createNodes, count: 2}]}\n"
    "- {name: Other, workloads: [{name: small}], workloadTemplate: []}\n"
)
BENCHMARK_CASE = '["pasted.yaml", "Basic", "small"]'
DESCRIPTION = "pools: [{name: n, nodes: 1, shape: m5.large}]"
KEY = {"kind": "Pod", "ns": "default", "name": "job-1"}
# name, method, smallest role that may, query or form data, status for those who may
ENDPOINTS = [
    ("list", "get", "viewer", {}, 200),
    ("field_guide", "get", "viewer", {}, 200),
    ("message", "get", "viewer", {}, 200),
    ("message", "post", "viewer", {"text": "x"}, 200),
    ("new", "get", "editor", {}, 200),
    ("new", "post", "editor", {"name": "another"}, 302),
    ("detail", "get", "viewer", {}, 200),
    ("map", "get", "viewer", {}, 200),
    ("map_selected", "get", "viewer", {"node": "node-a"}, 200),
    ("map_unbound", "get", "viewer", {"ns": "default"}, 200),
    ("nodes", "get", "viewer", {}, 200),
    ("change_nodes", "post", "editor", {"node": "node-a", "what": "cordon", "base": 1}, 302),
    ("pods", "get", "viewer", {}, 200),
    ("objects", "get", "viewer", {}, 200),
    ("object", "get", "viewer", KEY, 200),
    ("add_object", "get", "editor", {}, 200),
    ("validate_object", "post", "viewer", {"text": POD}, 200),
    ("save_object", "post", "editor", {"text": POD.replace("web-1", "web-9"), "base": 1}, 302),
    ("delete_object", "post", "editor", {**KEY, "base": 1}, 302),
    ("export_object", "get", "viewer", KEY, 200),
    ("history", "get", "viewer", {}, 200),
    ("restore", "post", "editor", {"r": 1}, 400),
    ("undo", "post", "editor", {}, 404),
    ("diff", "get", "viewer", {}, 200),
    ("short_revision", "get", "viewer", {}, 302),
    ("short_changes", "get", "viewer", {}, 302),
    ("short_object", "get", "viewer", {}, 302),
    ("export", "get", "viewer", {}, 200),
    ("settings", "get", "editor", {}, 200),
    ("settings", "post", "editor", {"name": "prod 2"}, 302),
    ("archive", "post", "editor", {"archived": "1"}, 302),
    ("drafts", "get", "viewer", {}, 200),
    ("new_draft", "post", "editor", {}, 302),
    ("draft", "get", "viewer", {}, 200),
    ("draft_edit", "get", "viewer", {}, 200),
    ("draft_tree", "get", "viewer", {}, 303),
    ("draft_selected", "get", "viewer", {"node": "node-a"}, 200),
    ("draft_panel", "get", "viewer", {}, 200),
    ("draft_picked", "get", "viewer", {"q": ":node"}, 200),
    ("draft_act", "post", "editor", {"what": "cordon", "objects": "Node//node-a"}, 302),
    ("draft_progress", "get", "editor", {"progress": "f00"}, 200),
    ("draft_bar", "get", "viewer", {"seen": "0"}, 204),
    ("draft_form", "get", "viewer", KEY, 200),
    ("draft_form", "post", "editor", {**KEY, "text": POD}, 422),
    ("draft_form_matching", "get", "viewer", KEY, 404),
    ("draft_undo", "post", "editor", {}, 400),
    ("draft_redo", "post", "editor", {}, 400),
    ("draft_settle", "post", "editor", {"number": 1}, 404),
    ("draft_put_back", "post", "editor", KEY, 400),
    ("draft_save", "post", "editor", {}, 400),
    ("draft_resolve", "post", "editor", {**KEY, "newest": 1}, 409),
    ("draft_run", "post", "editor", {}, 302),
    ("draft_people", "post", "editor", {"name": "Other"}, 302),
    ("draft_discard", "post", "editor", {}, 302),
    ("generate", "get", "editor", {}, 200),
    ("generate", "post", "editor", {"text": "seed: 1"}, 200),
    ("description_guide", "get", "editor", {}, 200),
    ("make_generated", "post", "editor", {"text": DESCRIPTION, "name": "made"}, 302),
    ("scheduler_perf", "get", "editor", {}, 200),
    ("scheduler_perf", "post", "editor", {"text": BENCHMARK}, 200),
    ("make_scheduler_perf", "post", "editor", {"text": BENCHMARK, "case": BENCHMARK_CASE}, 302),
    ("import", "get", "editor", {}, 200),
    ("import", "post", "editor", {"text": POD}, 302),
    ("task", "get", "editor", {}, 200),
    ("cancel_task", "post", "editor", {}, 302),
    ("import_preview", "get", "editor", {}, 200),
    ("import_save", "post", "editor", {"name": "fresh"}, 302),
    ("import_merge", "post", "editor", {"into": "prod"}, 302),
    ("import_files", "post", "editor", {"text": POD.replace("web-1", "web-9")}, 302),
    ("import_file", "get", "editor", {}, 200),
    ("import_file", "post", "editor", {"text": POD}, 302),
    ("import_discard", "post", "editor", {}, 302),
    ("configurations", "get", "viewer", {}, 200),
    ("new_configuration", "get", "editor", {}, 200),
    ("default_configuration", "get", "viewer", {}, 200),
    ("preset", "get", "viewer", {}, 200),
    ("configuration_table", "post", "viewer", {"text": "x"}, 200),
    (
        "save_configuration",
        "post",
        "editor",
        {"name": "n", "text": CONFIGURATION_TEMPLATES["default"].text, "step": "save"},
        302,
    ),
    ("configuration", "get", "viewer", {}, 200),
    ("export_configuration", "get", "viewer", {}, 200),
    ("timelines", "get", "viewer", {}, 200),
    ("new_timeline", "get", "editor", {}, 200),
    ("validate_timeline", "post", "viewer", {"text": "x"}, 200),
    ("save_timeline", "post", "editor", {"name": "n", "text": TIMELINE_TEMPLATE, "step": "save"}, 302),
    ("timeline", "get", "viewer", {}, 200),
    ("export_timeline", "get", "viewer", {}, 200),
    ("change_timeline", "post", "editor", {"base": 1, "do": "shift", "by": "1s"}, 302),
    ("undo_timeline", "post", "editor", {}, 400),
    ("timeline_draft", "get", "editor", {}, 302),
    ("timeline_changes", "get", "editor", {}, 302),
    ("timeline_draft_bar", "get", "editor", {}, 404),
    ("undo_timeline_draft", "post", "editor", {}, 404),
    ("redo_timeline_draft", "post", "editor", {}, 404),
    ("save_timeline_draft", "post", "editor", {}, 404),
    ("discard_timeline_draft", "post", "editor", {}, 404),
    ("tapes", "get", "viewer", {}, 200),
    ("upload_tape", "get", "editor", {}, 200),
    ("upload_tape", "post", "editor", {"name": "another"}, 422),
    ("tape", "get", "viewer", {}, 200),
    ("export_tape", "get", "viewer", {}, 200),
    ("archive_tape", "post", "editor", {"archived": "1"}, 302),
    ("delete_tape", "post", "editor", {}, 302),
    ("declared", "get", "viewer", {}, 200),
    ("new_declared", "get", "editor", {}, 200),
    ("validate_declared", "post", "viewer", {"text": "x"}, 200),
    ("save_declared", "post", "editor", {"name": "n", "text": DECLARED_TEMPLATE, "step": "save"}, 302),
    ("declared_one", "get", "viewer", {}, 200),
    ("export_declared", "get", "viewer", {}, 200),
    ("delete_declared", "post", "editor", {}, 302),
    ("archive_text", "post", "editor", {"thing": "pack", "archived": "1"}, 302),
]
IN_CLUSTER = {
    "detail", "map", "map_selected", "map_unbound",
    "nodes", "change_nodes", "pods", "objects", "object", "add_object", "validate_object", "save_object",
    "delete_object", "export_object", "history", "restore", "undo", "diff", "export", "settings", "archive",
    "drafts", "new_draft", "short_revision", "short_changes", "short_object",
}  # fmt: skip
SHORT = {
    "short_revision": {"number": 1},
    "short_changes": {"number": 1, "base": 0},
    "short_object": {"number": 1, "kind": "Pod", "key": "default/web-1/"},
}


def is_of_draft(name):
    return name == "draft" or name.startswith("draft_")


def own_draft(person):
    """Return the number of a draft that is the person's own."""
    cluster = Cluster.objects.get(workspace__slug="team", slug="prod")
    return Draft.objects.create(
        cluster=cluster, author=person.user, base=cluster.revisions.get(number=1), name="Mine"
    ).pk


def address(name, person=None, slug="team"):
    """Return the address of an endpoint; imports are private, so they belong to the person who asks."""
    kwargs = {"slug": slug}
    if name in IN_CLUSTER or is_of_draft(name):
        kwargs["cluster"] = "prod"
    if is_of_draft(name):
        kwargs["draft_id"] = own_draft(person) if person else 1
    if name.startswith("import_"):
        kwargs["draft_id"] = draft(person, POD).pk if person else 1
    if name in ("task", "cancel_task"):
        kwargs["number"] = left(person).pk if person else 1
    if name == "import_file":
        kwargs["position"] = 0
    if name in ("configuration", "export_configuration"):
        kwargs["config"] = "pack"
    if "timeline" in name and name not in ("timelines", "new_timeline", "validate_timeline", "save_timeline"):
        kwargs["timeline"] = "rush"
    if name in ("tape", "export_tape", "archive_tape", "delete_tape"):
        kwargs["tape"] = "monday"
    if name in ("declared_one", "export_declared", "delete_declared"):
        kwargs["declared"] = "rules"
    if name in ("undo", "undo_timeline"):
        kwargs["number"] = 1
    kwargs |= SHORT.get(name, {})
    if name == "preset":
        kwargs["preset"] = "least-requested-2017"
    if name == "archive_text":
        kwargs["sort"] = "configurations"
    return reverse(f"clusters:{name}", kwargs=kwargs)


@pytest.mark.parametrize(
    ("name", "method", "needed", "data", "status"), ENDPOINTS, ids=[f"{e[1]} {e[0]}" for e in ENDPOINTS]
)
def test_each_endpoint_lets_in_who_may(
    people, cluster, config, timeline, tape, declared, name, method, needed, data, status
):
    url = address(name)
    anonymous = getattr(people["anonymous"], method)(url, data)
    assert anonymous.status_code == 302
    assert anonymous["Location"].startswith("/signin?next=")
    assert getattr(people["stranger"], method)(url, data).status_code == 404
    for role in ORDER[: ORDER.index(needed)]:
        assert getattr(people[role], method)(url, data).status_code == 403
    assert getattr(people[needed], method)(address(name, people[needed]), data).status_code == status


def test_every_address_is_in_the_table():
    assert_each_address_has_a_row("clusters", [endpoint[0] for endpoint in ENDPOINTS])


@pytest.mark.parametrize("name", sorted({e[0] for e in ENDPOINTS} - {e[0] for e in ENDPOINTS if e[1] == "get"}))
def test_writes_refuse_get(editor, cluster, name):
    assert editor.get(address(name, editor)).status_code == 405


@pytest.mark.parametrize("name", sorted({e[0] for e in ENDPOINTS} - {e[0] for e in ENDPOINTS if e[1] == "post"}))
def test_reads_refuse_post(editor, cluster, config, timeline, name):
    assert editor.post(address(name, editor)).status_code == 405


def test_an_import_is_its_owners_alone(owner, editor, cluster):
    url = address("import_preview", editor)
    assert editor.get(url).status_code == 200
    assert owner.get(url).status_code == 404


@pytest.mark.slow
def test_another_workspaces_cluster_cannot_be_reached_through_ones_own(stranger, cluster):
    for name in IN_CLUSTER:
        method, data = next((e[1], e[3]) for e in ENDPOINTS if e[0] == name)
        assert getattr(stranger, method)(address(name, slug="elsewhere"), data).status_code == 404
    assert cluster.revisions.count() == 1
