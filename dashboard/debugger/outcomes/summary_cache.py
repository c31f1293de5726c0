"""The summary of a run for its page: stored by a worker, and cached here once it was read.

A finished run's summary is stored at its end. That of a live run, or of a run recorded before summaries existed, is
requested; the page shows the newest one and the worker's progress, and requests it again.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.lru_cache import LruCache
from dashboard.runs import preparing
from dashboard.runs.storage import outcomes as storage

if TYPE_CHECKING:
    from dashboard.runs.models import Preparation, Run
    from scheduler_core.explain.outcomes import Outcomes

log = logging.getLogger(__name__)

KEPT = 4
# A live page waits this many times as long as its outcomes took, within these bounds.
SHARE = 5
PAUSE_MS, LONGEST_PAUSE_MS = 1_000, 10_000


class SummaryError(Exception):
    """There is no summary; the text says why."""


@dataclass(frozen=True)
class SummaryProgress:
    """A worker's progress: `seq` of `head` events, None while it reads the inputs; `is_waiting` before it begins."""

    seq: int | None
    head: int
    is_waiting: bool = False


@dataclass(frozen=True)
class Summary:
    """The newest outcomes, None before there are any; `progress` of newer ones being computed.

    `pause_ms`: how long a page of a live run waits before its next request.
    """

    outcomes: Outcomes | None
    progress: SummaryProgress | None = None
    pause_ms: int = PAUSE_MS


@dataclass
class _SummaryEntry:
    outcomes: Outcomes | None = None


_kept: LruCache[_SummaryEntry] = LruCache(KEPT)


def summary_of(run: Run) -> Summary:
    """Return the newest summary and request one of the run's head if it is older. Raises SummaryError."""
    entry = _kept.get((run.pk, run.created_at), _SummaryEntry)
    outcomes, head = entry.outcomes, run.head.seq
    if outcomes is not None and outcomes.seq >= head:
        return Summary(outcomes)
    newest = _stored(run, -1 if outcomes is None else outcomes.seq)
    if newest is not None:
        entry.outcomes = outcomes = newest
        if newest.seq >= head:
            return Summary(newest)
    asked = preparing.ask(run, preparing.Kind.OUTCOMES)
    if asked.error:
        raise SummaryError(asked.error)
    return Summary(outcomes, summary_progress(asked), _pause(asked))


def summary_progress(asked: Preparation) -> SummaryProgress:
    """Return how far a preparation is, for the page that waits for it."""
    return SummaryProgress(asked.seq, asked.head, asked.claimed_at is None)


def forget() -> None:
    """Clear the cache."""
    _kept.clear()


def _stored(run: Run, after: int) -> Outcomes | None:
    try:
        return storage.stored(run, after)
    except ValueError:
        log.exception("the stored outcomes of run %s are computed again", run.pk)
        return None


def _pause(asked: Preparation) -> int:
    return min(max(PAUSE_MS, round(1000 * SHARE * asked.seconds)), LONGEST_PAUSE_MS)
