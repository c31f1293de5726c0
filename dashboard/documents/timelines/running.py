"""A timeline and the cluster that it was made for: by its name, as generated and observed ones have it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import msgspec
from django.urls import reverse

from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions.object_store import read_blob
from dashboard.clusters.revisions.page_context import ArrivingPods
from dashboard.common.lru_cache import LruCache
from dashboard.documents.models import Timeline

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.accounts.models import Workspace
    from dashboard.clusters.models import Revision
    from dashboard.documents.models import TimelineRevision


def cluster_of(timeline: Timeline) -> Cluster | None:
    """Return the cluster whose name the timeline has or begins with, None where there is none."""
    return _named_by(timeline, _clusters(timeline.workspace_id))


def _clusters(workspace_id: int) -> list[Cluster]:
    return list(Cluster.objects.filter(workspace=workspace_id, archived_at=None).only("name", "slug"))


def _named_by(timeline: Timeline, clusters: Iterable[Cluster]) -> Cluster | None:
    named = [one for one in clusters if f"{timeline.name} ".startswith(f"{one.name} ")]
    return max(named, key=lambda one: len(one.name), default=None)


def timeline_of(cluster: Cluster) -> TimelineRevision | None:
    """Return the newest revision of the timeline that was made for a cluster last, None where there is none."""
    timelines = Timeline.objects.filter(workspace=cluster.workspace_id, archived_at=None)
    named, clusters = timelines.filter(name__startswith=cluster.name), _clusters(cluster.workspace_id)
    made = next((one for one in named.order_by("-created_at", "-pk") if _named_by(one, clusters) == cluster), None)
    return made.revisions.select_related("timeline__workspace").first() if made else None


class _ObjectKind(msgspec.Struct):
    kind: str


class _EntryKind(msgspec.Struct):
    object: _ObjectKind
    action: str = "add"


class _TimelineKinds(msgspec.Struct):
    entries: list[_EntryKind]


_counts: LruCache[int] = LruCache(64)


def count_arriving_pods(revision: TimelineRevision) -> int:
    """Return how many pods a timeline adds; of its entries nothing else is read."""
    workspace_id = revision.timeline.workspace_id

    def count() -> int:
        content = msgspec.json.decode(read_blob(workspace_id, bytes.fromhex(revision.sha256)), type=_TimelineKinds)
        return sum(one.action == "add" and one.object.kind == "Pod" for one in content.entries)

    return _counts.get((workspace_id, revision.sha256), count)


def arriving_pods(revision: Revision) -> ArrivingPods | None:
    """Return the pods that come to a cluster by the timeline that was made for it, None where there is none."""
    cluster = revision.cluster
    timeline = timeline_of(cluster)
    if timeline is None:
        return None
    workspace = timeline.timeline.workspace
    url = reverse("clusters:timeline", args=[workspace.slug, timeline.timeline.slug])
    run_url = launch_address(workspace, timeline, cluster)
    return ArrivingPods(count_arriving_pods(timeline), timeline.timeline.name, url, run_url)


def launch_address(workspace: Workspace, revision: TimelineRevision, cluster: Cluster | None = None) -> str:
    """Return the address of the form that runs a timeline, on the cluster that it was made for."""
    target = cluster or cluster_of(revision.timeline)
    chosen = {"cluster": target.slug} if target else {}
    query = urlencode(
        {**chosen, "schedule": "timeline", "timeline": revision.timeline.slug, "timeline_r": revision.number}
    )
    return f"{reverse('runs:launch', args=[workspace.slug])}?{query}"
