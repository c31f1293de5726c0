"""What an installation stored of its first run, checked: ``python -m tests.bench.stored`` in its environment.

Prints one JSON line. Raises ValueError where a cycle has no row, a chunk cannot be read or the events were changed.
"""

from __future__ import annotations

import json
from typing import Any

import django

FRAME_EVERY = 97


def stored() -> dict[str, Any]:
    """Figures of the run, after reading back all its events and every 97th frame."""
    from django.db import connection

    from dashboard.runs.models import Cycle, PluginScore, QueueMove, RecordingChunk, RecordingKeyframe, Run
    from dashboard.runs.storage import recordings

    run = Run.everything.select_related("head").get(number=1)
    if run.state != "finished" or run.started_at is None or run.finished_at is None:
        raise ValueError(f"the run is {run.state}: {run.error}")
    head = run.head
    numbers = list(Cycle.objects.filter(run_id=run.pk).order_by("number").values_list("number", flat=True))
    if numbers != list(range(1, head.cycle + 1)):
        raise ValueError(f"{head.cycle} cycles have {len(numbers)} rows")
    if recordings.read(run.pk, lambda reader: reader.verify_hash()) != run.recording_hash:
        raise ValueError("the stored events have another hash than the run")
    sampled = range(1, head.cycle + 1, FRAME_EVERY)
    frames = recordings.read(run.pk, lambda reader: [reader.frame(number) for number in sampled])
    if None in frames:
        raise ValueError("a frame is missing")
    chunks = RecordingChunk.objects.filter(run_id=run.pk)
    figures = {
        "cycles": head.cycle,
        "events": head.seq,
        "hash": run.recording_hash,
        "launched_to_finished_s": (run.finished_at - run.created_at).total_seconds(),
        "started_to_finished_s": (run.finished_at - run.started_at).total_seconds(),
        "chunks": chunks.count(),
        "keyframes": RecordingKeyframe.objects.filter(run_id=run.pk).count(),
        "rows": sum(model.objects.filter(run_id=run.pk).count() for model in (Cycle, PluginScore, QueueMove)),
        "stored_bytes_per_cycle": head.size_bytes / head.cycle,
    }
    connection.close()
    return figures


if __name__ == "__main__":
    django.setup()
    print(json.dumps(stored()))
