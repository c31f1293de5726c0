"""Finds the hits of attached breakpoints in events that are about to be committed, and the first hit that stops the
run.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from django.db import DatabaseError, InterfaceError

from dashboard.runs.breakpoints.definitions import parsed
from dashboard.runs.breakpoints.session_store import SessionChunkStore
from dashboard.runs.lifecycle.leases import LostLease
from dashboard.runs.models import AttachedBreakpoint
from scheduler_core.query import Query
from scheduler_core.query.history import Histories
from scheduler_core.query.scan import Scan, ScanControl
from scheduler_core.recording.reader import RecordingReader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scheduler_core.query.hits import Batch, Hit
    from scheduler_core.recording.chunks import Chunk
    from scheduler_core.recording.rows import SummaryRows

log = logging.getLogger(__name__)


class Attachment(NamedTuple):
    """A row of AttachedBreakpoint with its breakpoint at the time of reading; equal values mean that
    nothing changed.
    """

    pk: int
    breakpoint: int
    name: str
    query: str
    hit_count: int
    counted_to: int
    hits: int
    hits_since_stop: int
    attached_by: int | None
    is_enabled: bool
    is_breakpoint_enabled: bool
    error: str

    @property
    def readable(self) -> Query | None:
        """The parsed query; None if the breakpoint is switched off or this version cannot evaluate it."""
        query = parsed(self.query)
        is_on = self.is_enabled and self.is_breakpoint_enabled and not self.error
        return query if is_on and isinstance(query, Query) else None


_FIELDS = (
    *("pk", "breakpoint_id", "breakpoint__name", "breakpoint__query", "breakpoint__hit_count", "counted_to", "hits"),
    *("hits_since_stop", "attached_by_id", "is_enabled", "breakpoint__is_enabled", "error"),
)


def read_attachments(run_id: int) -> tuple[Attachment, ...]:
    """Return the run's attachments, in the order in which they were made."""
    rows = AttachedBreakpoint.objects.filter(run_id=run_id).order_by("pk")
    return tuple(Attachment(*row) for row in rows.values_list(*_FIELDS))


@dataclass(frozen=True)
class StopPoint:
    """The hit that stops a run: its attachment, and others with a hit at the same event."""

    hit: Hit
    attachment: Attachment
    others: tuple[Attachment, ...] = ()


class Counted(NamedTuple):
    """New counts of an attachment: all hits, hits since it last stopped the run, and the error if it cannot be
    evaluated.
    """

    hits: int
    hits_since_stop: int
    error: str = ""


@dataclass(frozen=True)
class CheckedEvents:
    """The result of checking the events before `counted_to` for `attachments`; if the run stops, the last of these
    events is the hit.
    """

    attachments: tuple[Attachment, ...]
    counted_to: int
    counts: dict[int, Counted]
    stop: StopPoint | None = None


class _HitsOfOne:
    """The hits of one attachment, batch by batch, until one stops the run."""

    def __init__(self, attachment: Attachment) -> None:
        self.attachment = attachment
        self.batches: list[tuple[int, int]] = []
        self.stop: Hit | None = None
        self.error = ""

    def take(self, batch: Batch) -> bool:
        """Take the hits of the batch; return whether one of them stops the run."""
        missing = self.attachment.hit_count - self.attachment.hits_since_stop - sum(n for _, n in self.batches)
        self.batches.append((batch.seq, batch.count))
        if batch.count >= missing:
            # A hit count that was lowered below the hits so far stops the run at the next hit.
            self.stop = next(islice(batch.hits(), max(missing, 1) - 1, None))
        return self.stop is not None

    def counted(self, end: int) -> Counted:
        """Return the counts of the events before `end`."""
        new, stop = sum(n for seq, n in self.batches if seq < end), self.stop
        is_stop = stop is not None and stop.seq < end
        since = 0 if is_stop else self.attachment.hits_since_stop + new
        return Counted(self.attachment.hits + new, since, self.error)


class HitFinder:
    """Finds hits in the chunks of one session of a run, whose own chunks follow the first `n_chunks` stored ones.

    With `n_chunks` None it reads stored chunks only.
    """

    def __init__(self, run_id: int, n_chunks: int | None = None) -> None:
        self._run_id = run_id
        self._store = SessionChunkStore(run_id, n_chunks)
        self._reader = RecordingReader(self._store)
        self._histories = Histories.of(self._reader)
        self._scans: dict[Query, Scan] = {}
        # `alive` of the check under way: scans are kept for later checks, which may run under another lease.
        self._alive: Callable[[], None] = lambda: None

    @property
    def n_chunks(self) -> int:
        """The number of chunks so far."""
        return self._store.n_chunks()

    def add(self, chunk: Chunk, rows: SummaryRows | None) -> None:
        """Add the session's next chunk, committed or not; `rows`, if given, are the summary rows of all its events and
        save decoding them.
        """
        self._store.add(chunk)
        if rows is not None:
            self._histories.cycles.learn(chunk.index, rows)

    def check(self, attachments: tuple[Attachment, ...], end: int, alive: Callable[[], None]) -> CheckedEvents:
        """Check the events before `end` that were not checked yet, up to the first hit that stops the run.

        `alive` is called now and then; an exception from it ends the check.
        """
        active = [(one, query) for one in attachments if (query := one.readable) is not None]
        self._alive = alive
        self._scans = {query: self._scan(query) for _, query in active}
        all_hits, until = [], end
        for one, query in active:
            hits = self._hits(one, self._scans[query], until)
            all_hits.append(hits)
            if hits.stop is not None:
                until = hits.stop.seq + 1
        stop = _first_stop(all_hits)
        counted_to = end if stop is None else stop.hit.seq + 1
        counts = {one.attachment.pk: one.counted(counted_to) for one in all_hits}
        return CheckedEvents(attachments, counted_to, counts, stop)

    def _scan(self, query: Query) -> Scan:
        def stopped() -> str:
            self._alive()
            return ""

        return self._scans.get(query) or Scan(self._reader, query, ScanControl(stopped=stopped), self._histories)

    def _hits(self, one: Attachment, scan: Scan, end: int) -> _HitsOfOne:
        hits = _HitsOfOne(one)
        try:
            for batch in scan.batches(one.counted_to, end):
                if hits.take(batch):
                    break
        except (LostLease, DatabaseError, InterfaceError):
            raise
        except Exception as error:
            # A breakpoint that fails must not fail the run: its error is shown, and it is ignored.
            log.exception("run %s: breakpoint %s cannot be evaluated", self._run_id, one.breakpoint)
            hits.batches, hits.stop = [], None
            hits.error = f"After event {one.counted_to} it could not be evaluated: {type(error).__name__}: {error}"
        return hits


def _first_stop(all_hits: Sequence[_HitsOfOne]) -> StopPoint | None:
    """Return the earliest stop, with the other attachments that have a hit at the same event, in the order of
    attaching.
    """
    stops = [(hits.stop, hits.attachment) for hits in all_hits if hits.stop is not None]
    if not stops:
        return None
    seq = min(hit.seq for hit, _ in stops)
    (hit, first), *others = [(hit, one) for hit, one in stops if hit.seq == seq]
    return StopPoint(hit, first, tuple(one for _, one in others))
