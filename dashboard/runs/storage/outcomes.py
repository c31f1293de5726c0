"""Summaries of how a run's pods ended: computed from its recording in parts, and stored when the run is over."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

import msgspec
from django.db import transaction

from dashboard.runs.extenders.source import open_source
from dashboard.runs.inputs import load_inputs
from dashboard.runs.models import RunOutcomes
from dashboard.runs.storage import recordings
from scheduler_core.explain.doubts.answer import doubts_of_run
from scheduler_core.explain.outcomes import (
    UNPLACED,
    VERSION,
    Outcomes,
    OutcomesTally,
    decode_outcomes,
    encode_outcomes,
    summarize,
)
from scheduler_core.explain.outcomes.tally import LEFT_OUT, Numbered
from scheduler_core.explain.rollouts.summing_up import plays_rollouts, unfinished_at
from scheduler_core.explain.sessions import TrialsOf

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from dashboard.runs.models import Run
    from scheduler_core.explain.outcomes.making.model import RolloutOutcome

# Between two parts other pages can read the same recording.
PIECE = 4096
KEPT_TALLIES = 2

# Tallies of runs that go on, to which later events are added. No lock: a worker does one thing at a time.
_tallies: OrderedDict[tuple[int, datetime, int], OutcomesTally] = OrderedDict()


def prepare(run: Run, progress: Callable[[int], None]) -> None:
    """Compute and store the summary at the run's head; raises InputError, and RecordingError if the recording cannot be
    read.
    """
    run.head.refresh_from_db(fields=["seq", "n_changes"])
    key = (run.pk, run.created_at, run.head.n_changes)
    tally = _tallies.pop(key, None) or begin(run)
    bring_forward(run, tally, run.head.seq, progress)
    store(run.pk, _whole(run, tally))
    if not run.has_ended:
        _tallies[key] = tally
        while len(_tallies) > KEPT_TALLIES:
            _tallies.popitem(last=False)


def compute(run: Run) -> Outcomes:
    """Return the summary at the run's head; raises InputError, and RecordingError if the recording cannot be read."""
    run.head.refresh_from_db(fields=["seq", "n_changes"])
    tally = begin(run)
    bring_forward(run, tally, run.head.seq)
    return _whole(run, tally)


def _whole(run: Run, tally: OutcomesTally) -> Outcomes:
    """The summary with what may falsify it, and the rollouts that are unfinished when the run has ended."""
    outcomes = summarize(tally)
    waits = any(outcomes.counts.get(kind) for kind in UNPLACED)
    return msgspec.structs.replace(
        outcomes,
        doubts=doubts_of_run(tally.inputs, waits=waits),
        rollouts=_rollouts(run, tally) if tally.finished is not None else None,
    )


def _rollouts(run: Run, tally: OutcomesTally) -> list[RolloutOutcome] | None:
    """The unfinished rollouts; None where none are played."""
    if not plays_rollouts(tally.inputs):
        return None
    answers = open_source(run, tally.inputs)
    return recordings.read(
        run.pk, lambda reader: unfinished_at(TrialsOf(reader, tally.inputs, answers), tally.state.seq)
    )


def begin(run: Run) -> OutcomesTally:
    """Return a tally before the run's first event; reads the inputs, which takes seconds where they are large."""
    return OutcomesTally(load_inputs(run), recordings.read(run.pk, lambda reader: reader.state_at(0)))


def bring_forward(
    run: Run, tally: OutcomesTally, until: int, report_progress: Callable[[int], None] = lambda seq: None
) -> None:
    """Add the events before `until` to the tally; `report_progress` is called with the seq reached."""
    while (first := tally.state.seq) < until:
        end = min(first + PIECE, until)
        tally.fold(_piece(run, first, end))
        tally.state.seq = end
        report_progress(end)


def _piece(run: Run, first: int, end: int) -> list[Numbered]:
    return recordings.read(run.pk, lambda reader: list(reader.events_without(LEFT_OUT, first, end)))


def store(run_id: int, outcomes: Outcomes) -> None:
    """Store the summary in place of older ones."""
    with transaction.atomic():
        RunOutcomes.objects.filter(run_id=run_id).delete()
        RunOutcomes.objects.create(run_id=run_id, seq=outcomes.seq, version=VERSION, data=encode_outcomes(outcomes))


def stored(run: Run, after: int = -1) -> Outcomes | None:
    """Return the newest stored summary after event `after`, None if there is none that this version can read.

    Raises ValueError for a damaged one.
    """
    rows = RunOutcomes.objects.filter(run_id=run.pk, seq__gt=after, version=VERSION).order_by("-seq")
    data = rows.values_list("data", flat=True).first()
    return None if data is None else decode_outcomes(bytes(data))
