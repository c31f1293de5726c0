"""Which version a control plane had when, and which one comparisons keep."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from django.db import transaction

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.models import Following
from dashboard.common.problems import Conflict

if TYPE_CHECKING:
    from dashboard.accounts.models import Member


def changes_of_version(following: Following) -> list[tuple[float, str]]:
    """Return (moment, version) of each version that the API server had, the first one since the collection began."""
    meta = following.meta
    first = [(float(meta.get("began", 0.0)), str(meta.get("server_version", "")))]
    later = [(float(at), str(version)) for at, version in meta.get("versions", ())]
    versions: list[tuple[float, str]] = []
    for at, version in first + sorted(later):
        if version and (not versions or versions[-1][1] != version):
            versions.append((at, version))
    return versions


def server_version(following: Following, moment: float | None = None) -> str:
    """Return the version at a moment (None: the newest), "" where it is not known."""
    version = ""
    for at, one in changes_of_version(following):
        if moment is None or at <= moment or not version:
            version = one
    return version


def follow_version(member: Member, following: Following, version: str) -> Following:
    """Have comparisons follow this version from the moment when the control plane got it.

    It must be the one that the cluster has now, as somebody saw it. Raises Forbidden, Conflict.
    """
    require(member, Role.EDITOR, "follow another version")
    with transaction.atomic():
        locked = Following.objects.select_for_update().select_related("cluster").get(pk=following.pk)
        current = server_version(locked)
        if version != current:
            raise Conflict(f"The cluster has {current or 'no known version'} now. Look at the page again.")
        before, locked.followed_version = locked.followed_version, version
        locked.followed_since = datetime.fromtimestamp(changes_of_version(locked)[-1][0], UTC)
        locked.save(update_fields=["followed_version", "followed_since"])
        if before != version:
            name = locked.cluster.name
            audit.record(member.workspace, member.user, "cluster.version_followed", name, before=before, after=version)
    return locked
