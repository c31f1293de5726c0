"""Moments of a followed cluster kept as revisions: each hour, each first listing, and what somebody asks about.

Content is stored by its address, so objects that did not change cost nothing; a moment that is as the one before shares
its revision.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from django.db import transaction

from dashboard.clusters.models import Cluster, FollowedRevision, KeptMoment
from dashboard.clusters.models.inputs import COLLECTOR
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import Save
from dashboard.following.moments.changes import counts_between
from dashboard.following.moments.contents import read_followed
from dashboard.following.moments.versions import server_version

if TYPE_CHECKING:
    from dashboard.clusters.models import Following, Revision
    from dashboard.following.moments.contents import FollowedContents

LATE_SECONDS = 300
PERIODIC = (KeptMoment.HOUR, KeptMoment.LISTED)


def keep(following: Following, kind: KeptMoment, moment: float) -> FollowedRevision:
    """Return the moment, kept as the objects are now; where it is kept already, as they were then."""
    there = following.moments.select_related("revision__cluster").filter(kind=kind, moment=moment).first()
    if there is not None:
        return there
    cluster = Cluster.objects.select_related("workspace").get(pk=following.cluster_id)
    read = read_followed(following)
    actions.store_ahead(cluster.workspace_id, read.contents)
    before = following.moments.filter(kind__in=PERIODIC).select_related("revision__cluster").first()
    with transaction.atomic():
        # The lock: a moment follows the newest revision, whichever it is.
        Cluster.objects.select_for_update().get(pk=cluster.pk)
        revision = _revision(following, cluster, read, moment)
        changes = counts_between(before.revision, revision) if before is not None and kind in PERIODIC else {}
        values = {"revision": revision, "changes": changes, "server_version": server_version(following, moment)}
        return following.moments.get_or_create(kind=kind, moment=moment, defaults=values)[0]


def _revision(following: Following, cluster: Cluster, read: FollowedContents, moment: float) -> Revision:
    """The revision of these contents: that of the newest moment where it is the same, else a new one."""
    latest = following.moments.select_related("revision__cluster").first()
    index = read.contents.index
    assert index is not None
    address = actions.store_events(cluster, read.contents, read.events)
    if latest is not None:
        same = latest.revision
        is_same = same.sha256 == hashlib.sha256(index.pages).hexdigest() and bytes(same.events) == address
        if is_same and same.number == actions.newest_number(cluster):
            return same
    message = _message(following, read, moment)
    saving = Save(actions.newest_number(cluster), message, f"{COLLECTOR} {following.token_name}")
    return actions.store(cluster, None, read.contents, saving, address)


def _message(following: Following, read: FollowedContents, moment: float) -> str:
    named = f"State at {datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"
    if moment - following.moment > LATE_SECONDS:
        named += f", last seen {datetime.fromtimestamp(following.moment, UTC):%H:%M:%S}"
    return named + (f" ({read.left_out:,} objects with errors left out)" if read.left_out else "")
