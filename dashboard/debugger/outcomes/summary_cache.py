"""The summary of a run when its page is opened: stored, kept, brought forward, or computed beside the request.

A finished run's is stored by its worker. That of a live run is kept with its tally, which takes what was recorded
since. Where that takes long, a thread does it, and the page asks again; `SummaryProgress` says how far it is.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.db import connection

from dashboard.common.lru_cache import LruCache
from dashboard.runs.inputs import InputError
from dashboard.runs.storage import outcomes as storage
from scheduler_core.explain.outcomes import outcomes_of
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from dashboard.runs.models import Run
    from scheduler_core.explain.outcomes import Outcomes, OutcomesTally

log = logging.getLogger(__name__)

KEPT = 4
# So many events (about 15 us each) and objects (60 us) are summed up within the request.
QUICK_EVENTS = 8_000
QUICK_OBJECTS = 1_500
# A live page waits so many times as long as its outcomes took, within these bounds.
SHARE = 5
PAUSE_MS, LONGEST_PAUSE_MS = 1_000, 10_000


@dataclass(frozen=True)
class SummaryProgress:
    """How far a computation is: `seq` of `head` events; None while the inputs are read."""

    seq: int | None
    head: int


@dataclass(frozen=True)
class Summary:
    """What there is: the newest outcomes, None before there are any; `progress` of newer ones under way.

    `pause_ms`: how long a page of a live run waits before it asks for newer ones.
    """

    outcomes: Outcomes | None
    progress: SummaryProgress | None = None
    pause_ms: int = PAUSE_MS


@dataclass
class _Entry:
    lock: threading.Lock = field(default_factory=threading.Lock)
    outcomes: Outcomes | None = None
    tally: OutcomesTally | None = None
    progress: SummaryProgress | None = None
    error: Exception | None = None
    pause_ms: int = PAUSE_MS


_kept: LruCache[_Entry] = LruCache(KEPT)


def summary_of(run: Run) -> Summary:
    """Return the newest summary; begins to compute a newer one where there is none of the run's head.

    Raises InputError and RecordingError where a computation failed that will fail again.
    """
    entry = _kept.get((run.pk, run.created_at), _Entry)
    head = run.head.seq
    if entry.outcomes is not None and entry.outcomes.seq >= head:
        return Summary(entry.outcomes)
    if entry.outcomes is None and run.has_ended and (found := _stored(run)) is not None:
        entry.outcomes = found
        return Summary(found)
    if entry.error is not None:
        error, entry.error = entry.error, None
        raise error
    if _is_quick(run, entry):
        with entry.lock:
            _compute(run, entry)
        return Summary(entry.outcomes, None, entry.pause_ms)
    if not entry.lock.locked():
        entry.progress = SummaryProgress(entry.tally.state.seq if entry.tally is not None else None, head)
        threading.Thread(target=_compute_aside, args=(run, entry), name=f"outcomes-{run.pk}", daemon=True).start()
    return Summary(entry.outcomes, entry.progress, entry.pause_ms)


def forget() -> None:
    """Drop what is kept of all runs."""
    _kept.clear()


def _stored(run: Run) -> Outcomes | None:
    try:
        return storage.stored(run)
    except ValueError:
        log.exception("the stored outcomes of run %s are computed again", run.pk)
        return None


def _is_quick(run: Run, entry: _Entry) -> bool:
    if entry.lock.locked():
        return False
    done = entry.tally.state.seq if entry.tally is not None else 0
    counts = run.revision.counts
    is_small = entry.tally is not None or counts.get("Pod", 0) + counts.get("Node", 0) <= QUICK_OBJECTS
    return is_small and run.head.seq - done <= QUICK_EVENTS


def _compute(run: Run, entry: _Entry) -> None:
    """Bring the entry to the run's head; the caller holds its lock."""
    head = run.head.seq
    if entry.tally is None:
        entry.progress = SummaryProgress(None, head)
        entry.tally = storage.begin(run)

    def told(seq: int) -> None:
        entry.progress = SummaryProgress(seq, head)

    storage.bring_forward(run, entry.tally, head, told)
    began = time.perf_counter()
    entry.outcomes = outcomes_of(entry.tally)
    entry.progress = None
    entry.pause_ms = min(max(PAUSE_MS, round(1000 * SHARE * (time.perf_counter() - began))), LONGEST_PAUSE_MS)
    if run.has_ended:
        storage.store(run.pk, entry.outcomes)
        entry.tally = None


def _compute_aside(run: Run, entry: _Entry) -> None:
    if not entry.lock.acquire(blocking=False):
        return
    try:
        _compute(run, entry)
    except (InputError, RecordingError) as error:
        # The page asks again and then shows the reason.
        entry.error, entry.tally = error, None
    except Exception as error:
        log.exception("the outcomes of run %s could not be computed", run.pk)
        entry.error, entry.tally = error, None
    finally:
        entry.lock.release()
        connection.close()
