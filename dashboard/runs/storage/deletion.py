"""Removes runs marked for deletion in small transactions, so that no writer waits long and no statement is huge."""

from __future__ import annotations

import time

from django.db import connection, models, transaction

from dashboard.common.database.sqlite_file import give_back
from dashboard.runs.models import (
    Cycle,
    EventIndexPiece,
    PluginScore,
    PluginTraceback,
    PluginVerdict,
    Preemption,
    Preparation,
    QueueMove,
    RecordingChunk,
    RecordingKeyframe,
    Run,
    RunHead,
    RunOutcomes,
    State,
    Victim,
)
from dashboard.runs.storage import metrics

# Tables with the key that orders their rows; a batch is a range of it.
TABLES: tuple[tuple[type[models.Model], str], ...] = (
    (PluginScore, "cycle"),
    (PluginVerdict, "cycle"),
    (Cycle, "number"),
    (QueueMove, "seq"),
    (Victim, "seq"),
    (Preemption, "seq"),
    (PluginTraceback, "seq"),
    (RunOutcomes, "seq"),
    (Preparation, "kind"),
    (EventIndexPiece, "first_seq"),
    (RecordingKeyframe, "seq"),
    (RecordingChunk, "index"),
)
BATCH: dict[type[models.Model], int] = {RecordingKeyframe: 4, EventIndexPiece: 8, RecordingChunk: 20}
ROWS = 4000
TURN_SECONDS = 2.0


def delete_some(seconds: float = TURN_SECONDS) -> bool:
    """Remove rows of marked runs for about this long; return whether some are left."""
    deadline = time.monotonic() + seconds
    while run_id := Run.everything.filter(state=State.DELETING).values_list("pk", flat=True).first():
        # A worker that still executes the run finds no head to move.
        RunHead.objects.filter(run_id=run_id).delete()
        if not _empty_tables(run_id, deadline):
            return True
        _remove(run_id)
        if time.monotonic() >= deadline:
            return Run.everything.filter(state=State.DELETING).exists()
    return False


def give_space_back(seconds: float = TURN_SECONDS) -> bool:
    """Truncate free pages of the SQLite file for about this long; return whether some are left.

    PostgreSQL's autovacuum does the same by itself.
    """
    if connection.vendor != "sqlite":
        return False
    connection.ensure_connection()
    return give_back(connection.connection, seconds)


def _remove(run_id: int) -> None:
    """Add the run's metrics to those of deleted runs and delete its row, unless another worker did."""
    with transaction.atomic():
        # Locks all marked runs, not only this one, since the metrics of deleted runs allow one writer at a time.
        marked = Run.everything.select_for_update().filter(state=State.DELETING).order_by("pk")
        if run_id in marked.values_list("pk", flat=True):
            metrics.add_to_deleted(run_id)
            Run.everything.filter(pk=run_id).delete()


def _empty_tables(run_id: int, deadline: float) -> bool:
    """Delete the run's rows until the deadline; return whether all are gone."""
    for model, key in TABLES:
        while _delete_batch(model, key, run_id):
            if time.monotonic() >= deadline:
                return False
    return True


def _delete_batch(model: type[models.Model], key: str, run_id: int) -> int:
    """Delete one batch: the rows up to its last key; return their number."""
    table, size = model._meta.db_table, BATCH.get(model, ROWS)
    inner = f'SELECT "{key}" FROM "{table}" WHERE run_id = %s ORDER BY "{key}" LIMIT {size}'
    query = f'DELETE FROM "{table}" WHERE run_id = %s AND "{key}" <= (SELECT MAX("{key}") FROM ({inner}) batch)'
    with connection.cursor() as cursor:
        cursor.execute(query, [run_id, run_id])
        return cursor.rowcount
