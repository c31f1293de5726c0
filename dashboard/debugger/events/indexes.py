"""Indexes of events cached in the process: loaded from what a worker stored, and extended to the head by pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.common.lru_cache import LruCache
from dashboard.debugger.events import stored_index
from dashboard.debugger.events.index import Indexing
from dashboard.runs import preparing
from dashboard.runs.storage import recordings

if TYPE_CHECKING:
    from dashboard.debugger.events.index import EventIndex
    from dashboard.runs.models import Preparation, Run

KEPT_RUNS = 4

_runs: LruCache[Indexing] = LruCache(KEPT_RUNS)


class NotReadError(Exception):
    """There are many events, and a worker is still reading them."""

    def __init__(self, asked: Preparation) -> None:
        super().__init__(asked.error)
        self.asked = asked


def index_of(run: Run) -> EventIndex:
    """Return the index of the run, at least up to its loaded head; raises RecordingError if it cannot be read.

    Raises NotReadError if a worker reads many events first. A database may reuse a deleted run's key; the time of
    creation distinguishes the two.
    """
    indexing = _runs.get((run.pk, run.created_at), Indexing)
    with indexing.lock:
        if run.head.seq - len(indexing.index) > preparing.MANY_EVENTS:
            stored_index.load(run, indexing)
        if run.head.seq - len(indexing.index) > preparing.MANY_EVENTS:
            raise NotReadError(preparing.ask(run, preparing.Kind.EVENTS))
        if len(indexing.index) < run.head.seq:
            recordings.read(run.pk, lambda reader: indexing.extend(reader, run.head.seq), run.head)
        return indexing.index


def is_ready(run: Run) -> bool:
    """Return whether the index is available without a worker."""
    return run.head.seq - len(_runs.get((run.pk, run.created_at), Indexing).index) <= preparing.MANY_EVENTS


def forget() -> None:
    """Clear the cache."""
    _runs.clear()
