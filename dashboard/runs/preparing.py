"""What workers prepare of recordings for their pages: asked for by a page, done by a Celery task, told how far it is.

What is to be prepared stands in the table; the message only wakes a worker up. A worker that executes the run itself
does it between two slices, so that a page of a live run does not wait for the run's end.
"""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import InterfaceError, OperationalError
from django.db.models import F, Q
from django.db.models.functions import Now

from dashboard.runs.inputs import InputError
from dashboard.runs.lifecycle import waiting
from dashboard.runs.lifecycle.leases import LostLease
from dashboard.runs.models import Preparation, Run
from dashboard.runs.storage import outcomes
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Callable

    Told = Callable[[int], None]
    Preparer = Callable[[Run, Told], None]

log = logging.getLogger(__name__)

Kind = Preparation.Kind
# A message that nobody took is sent again; what a worker left unfinished is done by another.
SENT_AGAIN = timedelta(seconds=10)
ABANDONED = timedelta(seconds=60)
# A free worker takes what is asked for within milliseconds; one that executes the run leaves it to that one.
LEFT_TO_OTHERS = timedelta(seconds=1)
TELL_SECONDS = 0.5
# Fewer events (about 8 us each) are read into an index by the page that shows them.
MANY_EVENTS = 12_000

_preparers: dict[str, Preparer] = {Kind.OUTCOMES: outcomes.prepare}


def register(kind: Kind, preparer: Preparer) -> None:
    """Have workers prepare this kind so: called with the run, and with what is to hear how many events are read."""
    _preparers[kind] = preparer


def ask(run: Run, kind: Kind) -> Preparation:
    """Return how far the preparation up to the run's head is; begun where nobody asked before.

    One that failed says why in `error`, once: who asks after that has it tried again.
    """
    key = {"run_id": run.pk, "kind": kind}
    found, is_new = Preparation.objects.get_or_create(**key, defaults={"asked_at": Now(), "head": run.head.seq})
    rows = Preparation.objects.filter(**key)
    if found.error:
        rows.update(error="")
    elif is_new or rows.filter(asked_at=None).update(asked_at=Now(), head=run.head.seq, seq=None, claimed_at=None):
        waiting.wake_preparation()
        found.seq, found.claimed_at = None, None
    elif rows.filter(asked_at__lt=Now() - SENT_AGAIN).filter(_free()).update(asked_at=Now()):
        waiting.wake_preparation()
    return found


def is_asked_of(run: Run) -> bool:
    """Return whether something waits that no free worker has taken."""
    return Preparation.objects.filter(_free(), run_id=run.pk, asked_at__lt=Now() - LEFT_TO_OTHERS).exists()


def work(run: Run | None = None, alive: Callable[[], object] = lambda: None) -> bool:
    """Prepare what is asked for, or only that of one run; return whether there was anything. `alive` is called often.

    Raises OperationalError or InterfaceError where the database failed.
    """
    rows = Preparation.objects.filter(_free(), asked_at__isnull=False).order_by("asked_at")
    if run is not None:
        rows = rows.filter(run_id=run.pk)
    done = False
    for found in rows[:8]:
        mine = Preparation.objects.filter(_free(), run_id=found.run_id, kind=found.kind)
        if mine.update(claimed_at=Now()):
            _prepare(found, alive)
            done = True
    return done


def _free() -> Q:
    return Q(claimed_at=None) | Q(claimed_at__lt=Now() - ABANDONED)


def _prepare(found: Preparation, alive: Callable[[], object]) -> None:
    rows = Preparation.objects.filter(run_id=found.run_id, kind=found.kind)
    began = told_at = time.monotonic()

    def told(seq: int) -> None:
        nonlocal told_at
        alive()
        if time.monotonic() - told_at > TELL_SECONDS:
            told_at = time.monotonic()
            rows.update(seq=seq, claimed_at=Now())

    error = ""
    try:
        _preparers[found.kind](Run.objects.select_related("head").get(pk=found.run_id), told)
    except (OperationalError, InterfaceError):
        raise
    except LostLease:
        rows.update(claimed_at=None)
        raise
    except Run.DoesNotExist:
        log.debug("run %s is gone", found.run_id)
    except (InputError, RecordingError) as problem:
        error = str(problem)
    except Exception as problem:
        log.exception("%s of run %s could not be prepared", found.kind, found.run_id)
        error = f"{type(problem).__name__}: {problem}"
    rows.update(asked_at=None, claimed_at=None, seq=F("head"), seconds=time.monotonic() - began, error=error)
