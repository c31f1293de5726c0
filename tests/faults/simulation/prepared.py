"""The database that every simulation begins with, and undisturbed runs, against which all others are held.

Idea: made once in a process: the tables, three members, a small cluster in which one pod fits nowhere and one evicts
another, a breakpoint, and a run of each seed, executed by the product itself in one go. That also fills the caches of
Django and the product, so that a first simulation takes the same steps as a later one.

Invariant: what a run comes to follows from its inputs alone.
Cost: about a second and a half.

    prepared = Prepared.make(folder)
    prepared.endings[seed].hash
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

from django.db import connection

from dashboard.accounts.models import Feed, Member, Role, User, Workspace
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.common.database.preparing import make_tables
from dashboard.common.registering import register_all
from dashboard.runs import actions, execution, sessions
from dashboard.runs.actions import Launch
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Breakpoint, Run, State
from tests.dashboard.run_helpers import node, pod

if TYPE_CHECKING:
    from pathlib import Path

    from dashboard.clusters.models import Revision

SEEDS = (0, 1)
PEOPLE = ("ann", "bob", "cem")
COUNTS = ("scheduled", "unschedulable", "errors", "skipped", "bound", "pending", "preemptions", "victims")
QUERY = "outcome:scheduled"


class Ending(NamedTuple):
    """What an undisturbed run comes to: its hash, events, cycles, counts of its head, and hits of the breakpoint."""

    hash: str
    seq: int
    cycle: int
    counts: tuple[int, ...]
    hits: int


@dataclass(frozen=True)
class Prepared:
    """The file, and what is in it."""

    path: Path
    members: list[Member]
    revision: Revision
    breakpoint: Breakpoint
    endings: dict[int, Ending]
    n_runs: int

    @classmethod
    def make(cls, folder: Path) -> Prepared:
        """Make the file in this folder, for the connection of the calling thread."""
        path = folder / "prepared.sqlite3"
        connection.close()
        connection.settings_dict = {**connection.settings_dict, "NAME": str(path)}
        make_tables(connection)
        register_all()
        workspace = Workspace.objects.create(slug="team", name="Team")
        Feed.objects.create(workspace=workspace)
        members = [_member(workspace, name) for name in PEOPLE]
        cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="Prod")
        revision = object_store.save_revision(cluster, _manifests(), Saving(None))
        breakpoint_ = Breakpoint.objects.create(workspace=workspace, name="placed", query=QUERY, hit_count=2)
        endings = {seed: _undisturbed(members[0], revision, seed) for seed in SEEDS}
        connection.close()
        return cls(path, members, revision, breakpoint_, endings, len(endings))


def _member(workspace: Workspace, name: str) -> Member:
    user = User.objects.create_user(f"{name}@example.org", name, "a password of tests")
    return Member.objects.create(workspace=workspace, user=user, role=Role.EDITOR)


def _manifests() -> list[dict[str, object]]:
    """Two pods that fit, one that never does, one that evicts another."""
    return [
        node("node-0", "2", pool="a"),
        node("node-1", "4", pool="b"),
        pod("low", "1500m", priority=0, nodeName="node-0"),
        *(pod(f"fits-{n}", f"{n + 1}00m", nodeSelector={"pool": "b"}) for n in range(2)),
        pod("huge", "64"),
        pod("high", "1500m", priority=1000, nodeSelector={"pool": "a"}),
    ]


def _undisturbed(member: Member, revision: Revision, seed: int) -> Ending:
    with patch.object(waiting, "_send", lambda _task: None):
        run = actions.create_run(member, Launch(revision, seed=seed))
        execution.work()
    sessions.forget()
    run = Run.objects.select_related("head").get(pk=run.pk)
    assert run.state == State.FINISHED, run.error
    head = run.head
    counts = tuple(getattr(head, name) for name in COUNTS)
    return Ending(run.recording_hash, head.seq, head.cycle, counts, head.scheduled)
