"""A timeline and the cluster that it was made for: by its name, as generated and observed ones have it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.clusters.models import Cluster
from dashboard.documents.models import Timeline

if TYPE_CHECKING:
    from dashboard.accounts.models import Workspace
    from dashboard.documents.models import TimelineRevision


def cluster_of(timeline: Timeline) -> Cluster | None:
    """Return the cluster whose name the timeline's begins with, None where there is none."""
    clusters = Cluster.objects.filter(workspace=timeline.workspace_id, archived_at=None)
    named = [one for one in clusters.only("name", "slug") if timeline.name.startswith(f"{one.name} ")]
    return max(named, key=lambda one: len(one.name), default=None)


def timeline_of(cluster: Cluster) -> TimelineRevision | None:
    """Return the newest revision of the timeline that was made for a cluster, None where there is none."""
    named = Timeline.objects.filter(
        workspace=cluster.workspace_id, archived_at=None, name__startswith=f"{cluster.name} "
    )
    made = [one for one in named.order_by("-created_at") if cluster_of(one) == cluster]
    return made[0].revisions.first() if made else None


def launch_address(workspace: Workspace, revision: TimelineRevision, cluster: Cluster | None = None) -> str:
    """Return the address of the form that runs a timeline, on the cluster that it was made for."""
    found = cluster or cluster_of(revision.timeline)
    chosen = {"cluster": found.slug} if found else {}
    query = urlencode(
        {**chosen, "schedule": "timeline", "timeline": revision.timeline.slug, "timeline_r": revision.number}
    )
    return f"{reverse('runs:launch', args=[workspace.slug])}?{query}"
