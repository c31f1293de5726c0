"""Reviews from before reviews had subjects and numbers: they stay what they were, about their runs."""

from __future__ import annotations

import json

import pytest

from tests.faults.processes import embedded_environment, manage, prepare

pytestmark = pytest.mark.slow

BEFORE = """
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from dashboard.accounts.models import Member, User, Workspace
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions.object_store import Saving, save_revision
from dashboard.runs.models import Run, RunHead

author = User.objects.get()
workspace = Workspace.objects.get()
cluster = Cluster.objects.create(workspace=workspace, name="prod", slug="prod")
base = save_revision(cluster, [], Saving(author))
call_command("migrate", "review", "0004", verbosity=0)
old = MigrationExecutor(connection).loader.project_state([("review", "0004_rules")]).apps
for number, state in ((1, "open"), (2, "approved")):
    run = Run.everything.create(
        workspace=workspace, number=number, name=f"night {number}", state="finished", revision=base, created_by=author
    )
    RunHead.objects.create(run=run, seq=10, cycle=1, at_us=1)
    review = old.get_model("review", "Review").objects.create(
        workspace_id=workspace.pk, run_id=run.pk, state=state, opened_by_id=author.pk, is_asked=True, title="Look"
    )
    old.get_model("review", "Thread").objects.create(
        review_id=review.pk, workspace_id=workspace.pk, run_id=run.pk, seq=1, cycle=1, created_by_id=author.pk,
        point="Score", plugin="NodeResourcesFit", node="node-1",
    )
    old.get_model("review", "Verdict").objects.create(
        review_id=review.pk, author_id=author.pk, kind="approve", seq=10, given_at="2026-01-02T03:04:05Z"
    )
    member = Member.objects.get()
    old.get_model("review", "ViewedFinding").objects.create(run_id=run.pk, member_id=member.pk, key="close:ties")
"""
AFTER = """
import json
from django.conf import settings
from django.core.management import call_command
from django.test import Client

call_command("migrate", verbosity=0)

from dashboard.accounts.models import Member, User
from dashboard.review.deciding.asking import ReviewRequest, ask_for_review
from dashboard.review.models import Review, Thread, ViewedFinding
from dashboard.review.pins.pin import pin_of
from dashboard.runs.models import Run, RunHead

settings.ALLOWED_HOSTS = ["testserver"]
client = Client()
client.force_login(User.objects.get())
rows = [
    [one.number, one.kind, one.run.number, one.about, one.state, one.decided_at.isoformat() if one.decided_at else None]
    for one in Review.objects.order_by("number")
]
run = Run.everything.create(
    workspace_id=Run.objects.first().workspace_id, number=3, state="finished", revision=Run.objects.first().revision
)
RunHead.objects.create(run=run, seq=1, cycle=0, at_us=0)
next_number = ask_for_review(Member.objects.get(), run, ReviewRequest("next")).number
pages = ["/w/default/reviews/", "/w/default/runs/1/review/", "/w/default/reviews/2/"]
pages.append(f"/w/default/threads/{Thread.objects.first().pk}/")
statuses = [client.get(page).status_code for page in pages]
threads = [[one.kind, one.run.number, one.fact, pin_of(one).place] for one in Thread.objects.order_by("run_id")]
print(json.dumps([rows, next_number, ViewedFinding.objects.count(), statuses, threads]))
"""


@pytest.mark.long
def test_reviews_of_before_get_numbers_and_stay_about_their_runs(tmp_path):
    environment = prepare(embedded_environment(tmp_path / "var"))
    manage(environment, "shell", "--no-imports", "-c", BEFORE)
    rows, next_number, n_viewed, statuses, threads = json.loads(
        manage(environment, "shell", "--no-imports", "-c", AFTER).splitlines()[-1]
    )
    assert rows == [
        [1, "run", 1, "night 1", "open", None],
        [2, "run", 2, "night 2", "approved", "2026-01-02T03:04:05+00:00"],
    ]
    assert next_number == 3
    assert n_viewed == 2
    assert statuses == [200, 200, 302, 302]
    assert threads == [["cycle", number, "", "Score, NodeResourcesFit, node-1"] for number in (1, 2)]
