"""Objects put by changes of a run, each with the moment from which it exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.runs.storage import recordings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard.runs.models import Run
    from scheduler_core.recording.reader import RecordingReader
    from scheduler_core.simulate import RunInputs


def put_by_changes(run: Run, inputs: RunInputs) -> Iterator[tuple[int, object]]:
    """Yield the objects that changes of a run put as far as it is recorded, each with its virtual time."""
    for change in inputs.changes:
        if change.action == "put" and change.seq < run.head.seq:
            yield _moment_of(run, change.seq), change.object


def _moment_of(run: Run, seq: int) -> int:
    """Return the virtual time after the first `seq` events of a run."""

    def moment(reader: RecordingReader) -> int:
        return reader.state_at(seq).at

    return recordings.read(run.pk, moment)
