"""Storage of workspaces: how much they use, and the rules for too much and too old runs."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Sum
from django.db.models.functions import Length
from django.utils import timezone

from dashboard.accounts.models import Workspace
from dashboard.clusters.models import FollowedObject, FollowedPiece
from dashboard.clusters.revisions.object_store import stored_bytes
from dashboard.runs.models import ENDED, Run, State

GIB = 1024**3


def used_bytes(workspace: Workspace) -> int:
    """Return the approximate number of bytes of the workspace's recordings, its objects and what collectors sent."""
    runs = Run.everything.filter(workspace=workspace).aggregate(size=Sum("head__size_bytes"))["size"] or 0
    pieces = FollowedPiece.objects.filter(following__cluster__workspace=workspace).aggregate(size=Sum("size"))["size"]
    rows = FollowedObject.objects.filter(following__cluster__workspace=workspace)
    objects = rows.aggregate(size=Sum(Length("data")))["size"]
    return int(runs) + int(pieces or 0) + int(objects or 0) + stored_bytes(workspace)


def excess(workspace: Workspace) -> str:
    """Return a message if the workspace is over its limit, else ""."""
    # Read again: an admin may have raised the limit while the run goes on.
    limit = Workspace.objects.values_list("max_storage_bytes", flat=True).get(pk=workspace.pk)
    used = used_bytes(workspace)
    if used <= limit:
        return ""
    return (
        f"The workspace stores {used / GIB:.1f} GiB and its limit is {limit / GIB:.1f} GiB. "
        "Delete runs or raise the limit, then go on."
    )


def expired(workspace: Workspace) -> list[int]:
    """Return the ids of ended runs that are older than the retention rule allows and not marked to be kept."""
    if workspace.retention_days is None:
        return []
    oldest = timezone.now() - timedelta(days=workspace.retention_days)
    runs = Run.objects.filter(workspace=workspace, state__in=ENDED, is_kept=False, finished_at__lt=oldest)
    return list(runs.values_list("pk", flat=True))


def apply_retention() -> int:
    """Mark the expired runs of all workspaces for deletion; return their number."""
    count = 0
    for workspace in Workspace.objects.filter(retention_days__isnull=False):
        count += Run.objects.filter(pk__in=expired(workspace)).update(state=State.DELETING)
    return count
