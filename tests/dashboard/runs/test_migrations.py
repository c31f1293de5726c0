"""Runs from before breakpoints and watches: their rows are kept as they were, stop at nothing, and can be stopped."""

from __future__ import annotations

import json

import pytest

from tests.faults.processes import embedded_environment, manage, prepare

pytestmark = pytest.mark.slow

BEFORE = """
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from dashboard.accounts.models import User, Workspace
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions.object_store import Saving, save_revision

author = User.objects.get()
cluster = Cluster.objects.create(workspace=Workspace.objects.get(), name="prod", slug="prod")
base = save_revision(cluster, [], Saving(author))
call_command("migrate", "query", "zero", verbosity=0)
call_command("migrate", "runs", "0009", verbosity=0)
assert "runs_breakpoint" not in connection.introspection.table_names()
old = MigrationExecutor(connection).loader.project_state([("runs", "0009_victim_priority")]).apps
for number, state in enumerate(("paused", "finished", "queued"), start=1):
    run = old.get_model("runs", "Run").objects.create(
        workspace_id=cluster.workspace_id, number=number, name=state, state=state, revision_id=base.pk,
        created_by_id=author.pk,
    )
    old.get_model("runs", "RunHead").objects.create(run_id=run.pk, seq=10 * number, cycle=number, at_us=1_000)
    old.get_model("runs", "Cycle").objects.create(
        run_id=run.pk, number=1, first_seq=1, last_seq=3, pod="default/a", attempt=1, profile="p", priority=0,
        template=1, outcome="unschedulable", node="", message="no room", n_nodes=1, visited=1, feasible=0,
        tie_count=0, preempting=False, at_us=5,
    )
"""
AFTER = """
import json
from django.core.management import call_command

call_command("migrate", verbosity=0)

from dashboard.accounts.access import Access
from dashboard.accounts.models import Member
from dashboard.query.rows import total_of_rows
from dashboard.query.saved import save_search, searches_of
from dashboard.runs.breakpoints.attachments import attach, attached_to
from dashboard.runs.breakpoints.definitions import BreakpointFields, create_breakpoint
from dashboard.runs.models import Run, RunWatch
from scheduler_core.query import parse

member = Member.objects.get()
runs = list(Run.objects.order_by("number").select_related("head"))
out = [[run.state, run.head.seq, run.head.cycle, run.head.step_to_cycle, attached_to(run).count()] for run in runs]
out.append([RunWatch.objects.count(), [hasattr(run, "stop") for run in runs]])
made = create_breakpoint(member, BreakpointFields("no room", "outcome:unschedulable"))
attached = attach(member, runs[0], made)
save_search(member, "failed", made.query, False)
RunWatch.objects.create(run=runs[0], member=member, text="length of backoffQ")
out.append([attached.first_seq, total_of_rows(runs, parse(made.query)), searches_of(member).count()])
print(json.dumps(out))
"""


@pytest.mark.long
def test_runs_of_before_are_kept_and_can_have_breakpoints_watches_and_searches(tmp_path):
    environment = prepare(embedded_environment(tmp_path / "var"))
    manage(environment, "shell", "--no-imports", "-c", BEFORE)
    printed = manage(environment, "shell", "--no-imports", "-c", AFTER).splitlines()[-1]
    assert json.loads(printed) == [
        ["paused", 10, 1, 0, 0],
        ["finished", 20, 2, 0, 0],
        ["queued", 30, 3, 0, 0],
        [0, [False, False, False]],
        [10, 3, 1],
    ]
