"""Databases of before: migrated by the start of the program, their runs open as those of today."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.dashboard.run_helpers import cluster_of, pod
from tests.faults.processes import embedded_environment, manage, prepare

pytestmark = pytest.mark.slow

# Where a database stood before answer workers, and what lies in it since.
EARLIER = [
    ("preview", "zero"),
    ("live", "zero"),
    ("query", "zero"),
    ("agreement", "0001"),
    ("answers", "zero"),
    ("runs", "0007"),
    ("clusters", "0003"),
    ("accounts", "0002"),
]
NEW_TABLES = {
    *("answers_answerworker", "answers_answertotal", "runs_preparation", "runs_eventindexpiece"),
    *("runs_breakpoint", "runs_attachedbreakpoint", "runs_runstop", "runs_runwatch", "query_savedsearch"),
    *(
        "agreement_agreementrows",
        "clusters_draftoperation",
        "clusters_objecttext",
        "accounts_submittedform",
        "accounts_feed",
        "live_changedtopic",
        "preview_previewresult",
        "preview_computation",
    ),
    *(
        "clusters_extendertape",
        "clusters_extendertaperevision",
        "clusters_extendertapepart",
        "clusters_declaredextenders",
        "clusters_declaredextendersrevision",
    ),
}
COMMON = """
import json, sys
from django.core.management import call_command
from django.db import connection
from dashboard.runs import execution

def tables():
    return sorted(connection.introspection.table_names())
"""
BEFORE = """
call_command("start_run", {path!r}, stdout=sys.stderr)
while execution.work():
    pass
for app, migration in {earlier!r}:
    call_command("migrate", app, migration, verbosity=0)
print(json.dumps(tables()))
"""
AFTER = """
from django.conf import settings
from django.test import Client
from dashboard.accounts.models import User
from dashboard.runs.models import Cycle, State

settings.ALLOWED_HOSTS = ["testserver"]
call_command("migrate", verbosity=0)
client = Client()
client.force_login(User.objects.get())
refused = Cycle.objects.get(pod="default/wide", attempt=1)
assert refused.run.state == State.FINISHED
parts = ["outcomes/", "?cycle=1", "events/", "search/", f"why/?cycle={refused.number}"]
cluster = refused.run.revision.cluster.slug
pages = ["/metrics", "/w/default/", *(f"/w/default/runs/1/{part}" for part in parts)]
pages += [f"/w/default/clusters/{cluster}/{part}" for part in ("", "pods/", "history/", "drafts/")]
pages += ["/w/default/extenders/tapes/", "/w/default/extenders/declared/"]
first = {page: client.get(page).status_code for page in pages}
while execution.work():
    pass
again = {page: client.get(page).status_code for page in pages}
print(json.dumps([tables(), first, again]))
"""

RELEASED = """
from django.conf import settings
from django.test import Client
from dashboard.accounts.models import User
from dashboard.runs.lifecycle.reconcile import reconcile
from dashboard.runs.models import Run
from scheduler_core import ENGINE_VERSION

settings.ALLOWED_HOSTS = ["testserver"]

def ends():
    runs = Run.objects.select_related("head").order_by("number")
    return [[run.state, run.recording_hash, run.engine_version == ENGINE_VERSION] for run in runs]

before = ends()
call_command("migrate", verbosity=0)
reconcile()
client = Client()
client.force_login(User.objects.get())
while execution.work():
    pass
run, cluster = "/w/default/runs/", "/w/default/clusters/shop/"
pages = [f"{run}{number}/{part}" for number in (1, 2, 3) for part in ("outcomes/", "?cycle=1", "events/", "review/")]
pages += ["/w/default/reviews/1/", "/w/default/search/", "/w/default/configurations/defaults/", "/w/default/timelines/"]
pages += [cluster + part for part in ("", "history/", "drafts/", "drafts/1/")]
pages += ["/w/default/compare/?a=2&b=3", "/metrics"]
print(json.dumps([before, ends(), {page: client.get(page, follow=True).status_code for page in pages}]))
"""
DATABASES = sorted((Path(__file__).parent / "databases").glob("*.sqlite3.gz"))


def shell(environment, text):
    """Return what the last line says that a script printed in Django's shell."""
    return json.loads(manage(environment, "shell", "--no-imports", "-c", COMMON + text).splitlines()[-1])


@pytest.mark.long
def test_a_database_from_before_answer_workers_opens_with_its_runs(tmp_path):
    """Without the tables of answer workers (answers 0001), of what workers prepare for pages (runs 0008), and without
    what came after them in every app: breakpoints, watches, saved searches, drafts of operations, submitted forms,
    tapes and declared extenders."""
    environment = prepare(embedded_environment(tmp_path / "var"))
    path = tmp_path / "objects.json"
    items = [*cluster_of(3, 12), pod("wide", "64")]
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    assert not NEW_TABLES & set(shell(environment, BEFORE.format(path=str(path), earlier=EARLIER)))
    tables, first, again = shell(environment, AFTER)
    assert set(tables) >= NEW_TABLES
    assert set(first.values()) == {200}, first
    assert set(again.values()) == {200}, again


@pytest.mark.essential
@pytest.mark.parametrize("database", DATABASES, ids=lambda path: path.name)
def test_the_database_of_a_release_opens_and_its_runs_end(database, tmp_path):
    """A finished run stays as it was; one whose worker died and a queued one with its inputs end with one hash."""
    folder = tmp_path / "var"
    folder.mkdir()
    (folder / "schedscope.sqlite3").write_bytes(gzip.decompress(database.read_bytes()))
    before, after, pages = shell(embedded_environment(folder), RELEASED)
    assert [state for state, _, _ in before] == ["finished", "running", "queued"]
    assert after[0] == before[0]
    same_engine = before[1][2]
    assert [state for state, _, _ in after] == ["finished", "finished" if same_engine else "failed", "finished"]
    assert after[1][1] == after[2][1] or not same_engine
    assert after[2][1]
    assert set(pages.values()) == {200}, pages
