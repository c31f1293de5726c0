"""The scope of collectors: `collect:CLUSTER` sends pieces of one cluster and may do nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.urls import reverse

from dashboard.accounts import audit
from dashboard.accounts.tokens import scopes
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions.actions import NewCluster, Save, make_cluster, store
from dashboard.clusters.revisions.contents import Contents
from dashboard.common.problems import Problem
from scheduler_core.manifests import LoadResult

if TYPE_CHECKING:
    from dashboard.accounts.models import User, Workspace

SCOPE = "collect"
PER_MINUTE = 60
MOST_CHOICES = 500


def register_scope() -> None:
    """Offer the scope where tokens are made."""
    help_text = "Sends pieces of one cluster and may do nothing else: it reads nothing and opens no page."
    scopes.register(SCOPE, scopes.ScopeKind("Collector", help_text, _choices, _prepare, PER_MINUTE, _command))


def _choices(workspace: Workspace) -> list[tuple[str, str]]:
    clusters = Cluster.objects.filter(workspace=workspace, archived_at=None)[:MOST_CHOICES]
    return [(cluster.slug, cluster.name) for cluster in clusters]


def _command(site: str, workspace: Workspace, value: str) -> str:
    return (
        f"python -m scheduler_core collect --follow {site}{reverse('following:collect', args=[workspace.slug, value])}"
    )


@transaction.atomic
def _prepare(workspace: Workspace, user: User | None, value: str) -> str:
    """The slug of the cluster with this slug or name; a new empty one where there is none. Raises Problem."""
    if not value.isprintable():
        raise Problem("Give the cluster a name of printable characters.")
    clusters = Cluster.objects.filter(workspace=workspace)
    cluster = clusters.filter(slug=value).first() or clusters.filter(name=value, archived_at=None).first()
    if cluster is not None:
        if cluster.archived_at is not None:
            raise Problem(f"{cluster.name} is archived. Unarchive it first, or name another cluster.")
        return cluster.slug
    contents = Contents([], LoadResult())
    made = make_cluster(workspace, user, NewCluster(value))
    store(made, user, contents, Save(0, "Empty until its collector sends", "made for a collector"), b"")
    audit.record(workspace, user, "cluster.created", made.name, objects=0, by="token")
    return made.slug
