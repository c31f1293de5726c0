"""Data that workers prepare from recordings for pages: requested by a page, computed by a Celery task that reports its
progress.

The table says what to prepare; the message only wakes a worker. A worker that executes the run prepares between two
slices, so that a page of a live run does not wait for the run's end.
"""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db.models import F, OuterRef, Subquery

from dashboard.common.database import work_queue
from dashboard.common.http.page_reader import page_reader
from dashboard.common.registering import Registered
from dashboard.runs.inputs import InputError
from dashboard.runs.lifecycle import waiting
from dashboard.runs.lifecycle.leases import LostLease
from dashboard.runs.lifecycle.turns import claim_by_turn
from dashboard.runs.models import Preparation, Run
from dashboard.runs.storage import outcomes
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Callable

    ReportSeq = Callable[[int], None]
    Preparer = Callable[[Run, ReportSeq], None]

Kind = Preparation.Kind
# A free worker takes a request within milliseconds; the worker that executes the run leaves it to that one.
LEFT_TO_OTHERS = timedelta(seconds=1)
# Pages index fewer events (about 8 us each) themselves.
MANY_EVENTS = 12_000

_preparers: Registered[Preparer] = Registered({Kind.OUTCOMES: outcomes.prepare})


def register(kind: Kind, preparer: Preparer) -> None:
    """Register the function that prepares this kind: called with the run and a callback for the number of
    events read.
    """
    _preparers.add(kind, preparer)


def ask(run: Run, kind: Kind) -> Preparation:
    """Return the preparation up to the run's head, which is begun if nobody requested it before.

    A failed one has its `error` once: the next request tries again.
    """
    key = {"run_id": run.pk, "kind": kind}
    preparation, _ = Preparation.objects.get_or_create(**key, defaults={"head": run.head.seq})
    rows = Preparation.objects.filter(**key)
    if preparation.error:
        rows.update(error="")
    elif work_queue.ask(rows, head=run.head.seq, seq=None, asked_by=page_reader().user):
        waiting.wake_preparation()
        preparation.seq, preparation.claimed_at = None, None
    elif work_queue.ask_again(rows):
        waiting.wake_preparation()
    return preparation


def is_preparation_waiting(run: Run) -> bool:
    """Return whether a preparation of the run waits that no free worker has taken."""
    asked = Preparation.objects.filter(work_queue.longer_ago("asked_at", LEFT_TO_OTHERS), run_id=run.pk)
    return asked.filter(work_queue.unclaimed()).exists()


def work(run: Run | None = None, alive: Callable[[], object] = lambda: None) -> bool:
    """Prepare what is requested, or only for one run; return whether there was anything. `alive` is called often.

    Raises OperationalError or InterfaceError if the database failed.
    """
    rows = Preparation.objects.all() if run is None else Preparation.objects.filter(run_id=run.pk)
    done = False
    # The run may have been deleted meanwhile, so it is not joined.
    of_run = Run.everything.filter(pk=OuterRef("run_id")).values("workspace")[:1]
    for preparation in claim_by_turn(rows.annotate(workspace=Subquery(of_run)), "workspace"):
        _prepare(preparation, alive)
        done = True
    return done


def _prepare(preparation: Preparation, alive: Callable[[], object]) -> None:
    rows = Preparation.objects.filter(pk=preparation.pk)
    progress = work_queue.ClaimProgress(rows)
    began = time.monotonic()

    def report(seq: int) -> None:
        alive()
        progress(seq=seq)

    def prepare() -> None:
        # The run may be deleted meanwhile.
        with suppress(Run.DoesNotExist):
            run = Run.objects.select_related("head").get(pk=preparation.run_id)
            _preparers.all()[preparation.kind](run, report)

    try:
        error = work_queue.run_job(preparation, prepare, (InputError, RecordingError), passed_on=(LostLease,))
    except LostLease:
        rows.update(claimed_at=None)
        raise
    rows.update(asked_at=None, claimed_at=None, seq=F("head"), seconds=time.monotonic() - began, error=error)
