"""Upgrade reports: one by its number, those of a cluster, what a stored one says."""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from dashboard.common.problems import NotFound
from dashboard.upgrade.models import StoredUpgrade
from scheduler_core.compare.upgrade import UpgradeReport

if TYPE_CHECKING:
    from datetime import datetime

    from dashboard.accounts.models import Workspace
    from dashboard.clusters.models import Cluster

LISTED = 50
_decode = msgspec.json.Decoder(UpgradeReport).decode


def report_numbered(workspace: Workspace, cluster: str, number: int) -> StoredUpgrade:
    """Return the report of the cluster with this address, without its data; raises NotFound."""
    rows = StoredUpgrade.objects.filter(workspace=workspace, revision__cluster__slug=cluster, pk=number).defer("data")
    related = "workspace", "revision__cluster", "timeline__timeline", "author", "cancelled_by"
    row = rows.select_related(*related).first()
    if row is None:
        raise NotFound(
            "This upgrade report is not stored any more. The oldest ones of a workspace make room for new ones, and "
            "one without a result is kept for a day."
        )
    return row


def reports_of(cluster: Cluster) -> list[StoredUpgrade]:
    """Return the newest reports of a cluster, also those that have not ended, without their data."""
    rows = StoredUpgrade.objects.filter(revision__cluster=cluster).defer("data")
    return list(rows.select_related("workspace", "revision", "timeline__timeline", "author")[:LISTED])


def n_before(row: StoredUpgrade) -> int:
    """Return how many reports of all workspaces wait longer than this one."""
    waits = StoredUpgrade.objects.filter(ended_at=None, claimed_at=None, is_cancelled=False)
    return waits.filter(pk__lt=row.pk).count()


def report_in(row: StoredUpgrade) -> UpgradeReport | None:
    """Return what was computed, None while there is nothing."""
    return None if not row.size or row.ended_at is None else _report(row.pk, row.ended_at)


def json_of(row: StoredUpgrade) -> bytes:
    """Return the report as JSON, as the command line prints it; raises NotFound while there is none."""
    data = StoredUpgrade.objects.filter(pk=row.pk).values_list("data", flat=True).first()
    if data is None:
        raise NotFound("There is no report yet.")
    return zlib.decompress(bytes(data))


@lru_cache(maxsize=4)
def _report(pk: int, _ended_at: datetime) -> UpgradeReport:
    data = StoredUpgrade.objects.values_list("data", flat=True).get(pk=pk)
    assert data is not None
    return _decode(zlib.decompress(bytes(data)))
