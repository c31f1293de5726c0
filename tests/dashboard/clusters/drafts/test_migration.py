"""The unsaved edits of before become a draft with operations, undone ones included."""

from __future__ import annotations

import json

import pytest

from tests.dashboard.clusters.conftest import node, pod, small
from tests.faults.processes import embedded_environment, manage, prepare

pytestmark = pytest.mark.slow

BEFORE = """
import json
from django.core.management import call_command
from django.db import connection
from dashboard.accounts.models import User, Workspace
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions.object_store import Saving, save_revision
from django.db.migrations.executor import MigrationExecutor

author = User.objects.get()
cluster = Cluster.objects.create(workspace=Workspace.objects.get(), name="prod", slug="prod")
base = save_revision(cluster, json.loads({objects!r}), Saving(author))
call_command("migrate", "clusters", "0003", verbosity=0)
old = MigrationExecutor(connection).loader.project_state([("clusters", "0003_import_reading")]).apps
old.get_model("clusters", "Draft").objects.create(
    cluster_id=cluster.pk, author_id=author.pk, base_id=base.pk, version=7,
    edits=json.loads({edits!r}), undone=json.loads({undone!r}),
)
"""
AFTER = """
import json
from django.core.management import call_command
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import redo, undo
from dashboard.clusters.models import Draft
from dashboard.clusters.revisions.object_keys import Key

call_command("migrate", verbosity=0)

def state():
    held = OpenedDraft(Draft.objects.get()).objects([Key("Pod", "default", "job-1"), Key("Node", "", "node-a")])
    job = held[Key("Pod", "default", "job-1")][1]
    return [job["spec"]["containers"][0]["resources"]["requests"]["cpu"], len(held)]

author = Draft.objects.get().author
out = [Draft.objects.get().name, state()]
out.append([redo(author, Draft.objects.get()).name for _ in range(2)] + state())
out.append([undo(author, Draft.objects.get()).name for _ in range(4)] + state())
print(json.dumps(out))
"""


def edit(kind, name, manifest, namespace=""):
    return {"kind": kind, "namespace": namespace, "name": name, "manifest": manifest}


@pytest.mark.long
def test_unsaved_edits_become_operations(tmp_path):
    environment = prepare(embedded_environment(tmp_path / "var"))
    edits = [edit("Pod", "job-1", pod("job-1", cpu="3"), "default"), edit("Node", "node-a", None)]
    undone = [edit("Node", "node-c", node("node-c")), edit("Pod", "job-1", pod("job-1", cpu="9"), "default")]
    texts = {"objects": small(), "edits": edits, "undone": undone}
    script = BEFORE.format(**{name: json.dumps(value) for name, value in texts.items()})
    manage(environment, "shell", "--no-imports", "-c", script)
    printed = manage(environment, "shell", "--no-imports", "-c", AFTER).splitlines()[-1]
    change, delete, add = "Change Pod default/job-1", "Delete Node node-a", "Add Node node-c"
    assert json.loads(printed) == [
        "Unsaved edits",
        ["3", 1],
        [add, change, "9", 1],
        [change, add, delete, change, "500m", 2],
    ]
