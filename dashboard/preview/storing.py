"""Storing what was computed, for as long as the workspace has room for it."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import msgspec
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from dashboard.preview.models import Computation, PreviewOf, PreviewResult
from scheduler_core import ENGINE_VERSION

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from dashboard.answers.answering.comparing.what_changes import WhatChanges

# A workspace's newest results are stored up to this number and size.
MOST_RESULTS = 200
MOST_BYTES = 32 << 20
_ASKED = [field.name for field in PreviewOf._meta.get_fields() if field.name != "id"]


def store(computation: Computation, changes: WhatChanges) -> PreviewResult | None:
    """Store the result and end its computation; what it takes the place of is removed.

    None where the computation was cancelled or belongs to another worker, or where its cluster or run is gone.
    """
    try:
        with transaction.atomic():
            mine = Computation.objects.filter(pk=computation.pk, starts=computation.starts, ended_at=None)
            # The author may have pressed the button since it began.
            row = mine.select_for_update().first()
            if row is None:
                return None
            if row.is_automatic:
                _automatic_like(row).delete()
            result = _result(row, changes)
            PreviewResult.objects.filter(workspace=row.workspace_id, key=row.key).delete()
            result.save(force_insert=True)
            mine.update(ended_at=Now(), claimed_at=None, result=result)
            _make_room(result)
    except IntegrityError:
        return None
    return result


def _result(row: Computation, changes: WhatChanges) -> PreviewResult:
    data = zlib.compress(msgspec.json.encode(changes), 6)
    return PreviewResult(
        **{name: getattr(row, name) for name in _ASKED},
        engine_version=ENGINE_VERSION,
        groups=changes.groups,
        n_pods=changes.n_pods,
        is_partial=changes.is_partial,
        size=len(bytes(row.text)) + len(data),
        data=data,
    )


def _automatic_like(row: Computation) -> QuerySet[PreviewResult]:
    """What was computed by itself while the author edited this configuration, on the same revision or run."""
    same = {"revision": row.revision_id, "run": row.run_id, "document": row.document_id}
    return PreviewResult.objects.filter(workspace=row.workspace_id, author=row.author_id, is_automatic=True, **same)


def _make_room(newest: PreviewResult) -> None:
    """Remove the oldest results of the workspace until the rest are few and small enough; the newest one stays."""
    room, surplus = MOST_BYTES, []
    rows = PreviewResult.objects.filter(workspace=newest.workspace_id).order_by("-made_at", "-pk")
    for place, (pk, size) in enumerate(rows.values_list("pk", "size")):
        room -= size
        if place and (place >= MOST_RESULTS or room < 0):
            surplus.append(pk)
    PreviewResult.objects.filter(pk__in=surplus).delete()
