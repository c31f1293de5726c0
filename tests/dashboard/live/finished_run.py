"""A run that is over, to read over a socket."""

from __future__ import annotations

from dashboard.live import messages
from dashboard.runs import execution
from dashboard.runs.models import RunHead


def public_seqs(run):
    """Return the seqs of all events that clients are to see, from the stored recording."""
    from dashboard.runs.storage import recordings

    head = RunHead.objects.get(run_id=run.pk).seq
    return [seq for seq, event in recordings.read_events(run.pk, 0, head) if messages.public(seq, event)]


def finished(run):
    """Execute the run to its end."""
    while execution.work():
        pass
    return RunHead.objects.get(run_id=run.pk)
