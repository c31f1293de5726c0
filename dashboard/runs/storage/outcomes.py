"""Summaries of how a run's pods ended: computed from its recording in pieces, stored when it is over, read again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from dashboard.runs.inputs import load_inputs
from dashboard.runs.models import RunOutcomes
from dashboard.runs.storage import recordings
from scheduler_core.explain.outcomes import (
    VERSION,
    Outcomes,
    OutcomesTally,
    decode_outcomes,
    encode_outcomes,
    outcomes_of,
)
from scheduler_core.explain.outcomes.tally import LEFT_OUT, Numbered

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.runs.models import Run

# Other pages read the same recording in between.
PIECE = 4096


def compute(run: Run) -> Outcomes:
    """Return the summary at the run's head; raises InputError, and RecordingError for what cannot be read."""
    run.head.refresh_from_db(fields=["seq"])
    tally = begin(run)
    bring_forward(run, tally, run.head.seq)
    return outcomes_of(tally)


def begin(run: Run) -> OutcomesTally:
    """Return a tally before the run's first event; reads the inputs, which takes seconds where they are large."""
    return OutcomesTally(load_inputs(run), recordings.read(run.pk, lambda reader: reader.state_at(0)))


def bring_forward(run: Run, tally: OutcomesTally, until: int, told: Callable[[int], None] = lambda seq: None) -> None:
    """Have the tally take the events before `until`; `told` hears how far it is."""
    while (first := tally.state.seq) < until:
        end = min(first + PIECE, until)
        tally.fold(_piece(run, first, end))
        tally.state.seq = end
        told(end)


def _piece(run: Run, first: int, end: int) -> list[Numbered]:
    return recordings.read(run.pk, lambda reader: list(reader.events_without(LEFT_OUT, first, end)))


def store(run_id: int, outcomes: Outcomes) -> None:
    """Keep the summary in place of older ones."""
    with transaction.atomic():
        RunOutcomes.objects.filter(run_id=run_id).delete()
        RunOutcomes.objects.create(run_id=run_id, seq=outcomes.seq, version=VERSION, data=encode_outcomes(outcomes))


def stored(run: Run) -> Outcomes | None:
    """Return the stored summary of the run's head, None where there is none that this version can read."""
    rows = RunOutcomes.objects.filter(run_id=run.pk, seq=run.head.seq, version=VERSION)
    data = rows.values_list("data", flat=True).first()
    return None if data is None else decode_outcomes(bytes(data))
