"""``python -m tests.dashboard.databases.make``: the database of this version, kept for tests of later ones.

It has a finished run with a timeline, a draft, a review with a thread and a verdict, a search and a breakpoint; a run
whose worker died in its middle; and a queued one. Made once for a release, and never again: later versions have to open
what this one wrote.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from dashboard.documents.yaml_templates import TIMELINE_TEMPLATE
from tests.dashboard.run_helpers import cluster_of, pod
from tests.faults.processes import ROOT, embedded_environment, manage, prepare

FOLDER = Path(__file__).parent
SEED = 7
"""Of all three runs."""

FINISHED = """
from django.core.management import call_command
from dashboard.accounts.models import Member
from dashboard.clusters.drafts.actions import new_draft
from dashboard.clusters.drafts.edits import put_nodes
from dashboard.clusters.drafts.node_changes import NodeChange
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.models import Cluster
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.query.saved import save_search
from dashboard.review.actions import open_thread
from dashboard.review.deciding.asking import ReviewRequest, ask_for_review
from dashboard.review.deciding.verdicts import give_verdict
from dashboard.review.pins.pin import Pin
from dashboard.runs import execution
from dashboard.runs.models import Run

call_command("start_run", {cluster!r}, "--cluster", "shop", "--timeline", {timeline!r}, "--seed", "{seed}")
while execution.work():
    pass
run, member = Run.objects.get(), Member.objects.get()
ask_for_review(member, run, ReviewRequest("Why is `wide` pending?"))
open_thread(member, run, Pin(1), "It took `node-0`.")
give_verdict(member, run, "comment", "More nodes are ordered.")
draft = new_draft(member, Cluster.objects.get(slug="shop"))
put_nodes(member, OpenedDraft(draft), ["node-0"], NodeChange("taint", "gpu", "yes", "NoSchedule"))
configuration = "apiVersion: kubescheduler.config.k8s.io/v1\\nkind: KubeSchedulerConfiguration\\n"
save_config(member, None, NewText("defaults", configuration))
save_search(member, "refused", "outcome:unschedulable", True)
"""
# A worker that ends with its second commit leaves the run to the next one.
LEFT = """
import os
from django.core.management import call_command
from dashboard.runs import committing, execution
from dashboard.runs.storage import batches

write, commits = batches.write, []

def write_and_end(lease, batch):
    write(lease, batch)
    commits.append(batch)
    if len(commits) == 2:
        os._exit(7)

batches.write = write_and_end
execution.SLICE_CYCLES = 15
call_command("start_run", {cluster!r}, "--cluster", "shop", "--seed", "{seed}")
execution.work()
"""
# The lease of the worker that ended is over, as it is whenever a later version opens the database.
QUEUED = """
from datetime import timedelta
from django.core.management import call_command
from django.db.models import F
from dashboard.runs.models import RunHead

RunHead.objects.filter(run__number=2).update(lease_until=F("lease_until") - timedelta(hours=1))
call_command("start_run", {cluster!r}, "--cluster", "shop", "--seed", "{seed}")
"""


def make(folder: Path) -> bytes:
    """Return the bytes of a database that was filled by the program as it is."""
    environment = prepare(embedded_environment(folder / "var"))
    names = {"cluster": str(folder / "objects.json"), "timeline": str(folder / "timeline.yaml"), "seed": SEED}
    items = [*cluster_of(4, 60), pod("wide", "64")]
    Path(names["cluster"]).write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    Path(names["timeline"]).write_text(TIMELINE_TEMPLATE)
    manage(environment, "shell", "--no-imports", "-c", FINISHED.format_map(names))
    left = [sys.executable, "manage.py", "shell", "--no-imports", "-c", LEFT.format_map(names)]
    if (status := subprocess.run(left, cwd=ROOT, env=environment, check=False).returncode) != 7:
        raise RuntimeError(f"the worker ended with status {status}, not in the middle of its run")
    manage(environment, "shell", "--no-imports", "-c", QUEUED.format_map(names))
    (path,) = (folder / "var").glob("*.sqlite3")
    copy = folder / "copy.sqlite3"
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM django_session")
        database.commit()
        database.execute("VACUUM INTO ?", (str(copy),))
    return copy.read_bytes()


if __name__ == "__main__":
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    target = FOLDER / f"{version}.sqlite3.gz"
    if target.exists():
        sys.exit(f"{target.name} is there: it is what this version wrote when it was released")
    with tempfile.TemporaryDirectory() as place:
        target.write_bytes(gzip.compress(make(Path(place)), mtime=0))
    print(f"{target.name}: {target.stat().st_size:,} bytes")
