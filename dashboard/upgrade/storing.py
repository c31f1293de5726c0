"""Storing a report, for as long as the workspace has room for it."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import msgspec
from django.db import transaction
from django.db.models.functions import Now

from dashboard.upgrade.models import StoredUpgrade
from scheduler_core import ENGINE_VERSION
from scheduler_core.compare.upgrade.lines import headline

if TYPE_CHECKING:
    from dashboard.runs.workers.claims import WorkClaim
    from scheduler_core.compare.upgrade import UpgradeReport

# A workspace's newest reports are stored up to this number and size, as previews of configurations are.
MOST_REPORTS = 200
MOST_BYTES = 32 << 20


def store(claim: WorkClaim, report: UpgradeReport) -> bool:
    """Store the report and end its row; older ones of the workspace make room. False where the claim was lost."""
    data = zlib.compress(msgspec.json.encode(report), 6)
    with transaction.atomic():
        is_stored = claim.update(
            ended_at=Now(),
            claimed_at=None,
            engine_version=ENGINE_VERSION,
            headline=headline(report),
            differs=report.differs,
            size=len(data),
            data=data,
        )
        if is_stored:
            _make_room(claim.pk)
    return is_stored


def _make_room(newest: int) -> None:
    """Remove the oldest reports of the workspace until the rest are few and small enough; the newest one stays."""
    room, surplus = MOST_BYTES, []
    workspace = StoredUpgrade.objects.filter(pk=newest).values("workspace")
    rows = StoredUpgrade.objects.filter(workspace__in=workspace, data__isnull=False).order_by("-ended_at", "-pk")
    for place, (pk, size) in enumerate(rows.values_list("pk", "size")):
        room -= size
        if place and (place >= MOST_REPORTS or room < 0):
            surplus.append(pk)
    StoredUpgrade.objects.filter(pk__in=surplus).delete()
