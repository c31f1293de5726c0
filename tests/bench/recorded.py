"""A run of a workload in a database of its own, as the pages find it: recorded by the worker's code, read by clients.

Importing this module sets Django up in a temporary folder, so it is imported by measurements and
`tests.gallery` only, and late.
"""

from __future__ import annotations

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from django.conf import settings  # noqa: E402

# It lays pages out for tests that assert on markup, which the measured server does not.
settings.MIDDLEWARE.remove("tests.flat_html.FlatHtmlMiddleware")

from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402

from dashboard.accounts.actions import create_workspace  # noqa: E402
from dashboard.accounts.models import Member, User  # noqa: E402
from dashboard.clusters.models import Cluster  # noqa: E402
from dashboard.clusters.revisions import object_store  # noqa: E402
from dashboard.clusters.revisions.object_store import Saving  # noqa: E402
from dashboard.common.processes.gc_tuning import tune_gc  # noqa: E402
from dashboard.debugger.inputs.facts import facts_of  # noqa: E402
from dashboard.runs import actions, execution, sessions  # noqa: E402
from dashboard.runs.actions import Launch  # noqa: E402
from dashboard.runs.models import Run, State  # noqa: E402
from tests.bench.workloads import WORKLOADS, manifests_of  # noqa: E402

SLUG = "bench"


class Recorded:
    """A finished run, its owner, and the addresses of its page."""

    def __init__(self, user: User, run: Run) -> None:
        self.user = user
        self.run = run

    def url(self, part: str = "") -> str:
        """Return the address of the run's page, or of a part of it such as "map/"."""
        return f"/w/{SLUG}/runs/{self.run.number}/{part}"

    def client(self) -> Client:
        """Return a browser that the owner is signed in with."""
        return client_of(self.user)


def client_of(user: User) -> Client:
    """Return a browser that the user is signed in with."""
    client = Client()
    client.force_login(user)
    return client


def record(name: str, n_nodes: int, cycles: int) -> Recorded:
    """Execute a run of the workload as a worker does and return it, its inputs read and the collector calm.

    Raises ValueError where the run does not end as it should.
    """
    user = owner()
    member = Member.objects.select_related("workspace", "user").get(user=user)
    slug = f"{name}-{n_nodes}-{cycles}"
    cluster = Cluster.objects.create(workspace=member.workspace, slug=slug, name=slug)
    revision = object_store.save_revision(cluster, manifests_of(WORKLOADS[name], n_nodes, cycles), Saving(None))
    started = actions.create_run(member, Launch(revision, schedule="pending", seed=3, name=name))
    while execution.work():
        pass
    run = actions.find_run(member.workspace, started.number)
    if run.state != State.FINISHED or run.head.cycle != cycles:
        raise ValueError(f"{name}: the run is {run.state} after {run.head.cycle} of {cycles} cycles: {run.error}")
    sessions.forget()
    facts_of(run)
    tune_gc()
    return Recorded(user, run)


def owner() -> User:
    """Return the owner of the workspace to measure in, made when first asked for."""
    bench_user = User.objects.filter(email=f"{SLUG}@example.org").first()
    if bench_user is not None:
        return bench_user
    user = User.objects.create_user(f"{SLUG}@example.org", "Bench")
    create_workspace(user, "Bench", SLUG)
    return user


call_command("migrate", verbosity=0)
