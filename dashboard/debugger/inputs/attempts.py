"""A pod's attempts in the core's form, made of rows, so that a page about one pod reads no other events."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING

from dashboard.common.lru_cache import LruCache
from dashboard.runs import queries
from dashboard.runs.storage import recordings
from scheduler_core.explain.pending.between import between
from scheduler_core.explain.pending.history import brings_back, in_order
from scheduler_core.explain.pending.model import Between, PendingAttempt
from scheduler_core.recording.events import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dashboard.runs.models import Cycle, PluginVerdict, QueueMove, Run

# At most this many events between attempts are read; otherwise only time and verdicts are compared.
MOST_EVENTS = 40_000
KEPT = 256


def pending_attempts(run: Run, cycles: Sequence[Cycle], moves: Sequence[QueueMove]) -> list[PendingAttempt]:
    """Return a pod's cycles as attempts, each with the plugins that refused it and the move that woke the pod."""
    verdicts = queries.verdicts_among(run, [cycle.number for cycle in cycles])
    waking = [move for move in moves if brings_back(move)]
    seqs, since = [move.seq for move in waking], 0
    attempts = []
    for cycle in cycles:
        before = bisect_left(seqs, cycle.first_seq)
        # A move before an earlier attempt did not wake it for this one.
        woken = waking[before - 1] if before and seqs[before - 1] >= since else None
        attempts.append(_attempt(cycle, verdicts.get(cycle.number, ()), woken))
        since = cycle.first_seq
    return attempts


def _attempt(cycle: Cycle, verdicts: Iterable[PluginVerdict], woken: QueueMove | None) -> PendingAttempt:
    return PendingAttempt(
        number=cycle.attempt,
        cycle=cycle.number,
        first_seq=cycle.first_seq,
        last_seq=cycle.last_seq,
        at=cycle.at_us,
        outcome=cycle.outcome,
        n_nodes=cycle.n_nodes,
        node=cycle.node,
        message=cycle.message,
        refusals=in_order([Refusal(one.plugin, one.code, _reasons(one.reasons), one.nodes) for one in verdicts]),
        woken_by=woken.event if woken is not None else "",
        woken_plugin=woken.plugin if woken is not None else "",
    )


def _reasons(text: str) -> tuple[str, ...]:
    """The reasons of a row, which joins them; only those of resources are several."""
    return tuple(text.split(", ")) if text.startswith(("Insufficient ", "Too many pods")) else (text,)


_kept: LruCache[Between] = LruCache(KEPT)


def changes_between(run: Run, attempts: Sequence[PendingAttempt]) -> list[Between]:
    """Return what changed between consecutive attempts; cached, since it is final. Raises RecordingError."""
    return [_between(run, earlier, later) for earlier, later in pairwise(attempts)]


def _between(run: Run, earlier: PendingAttempt, later: PendingAttempt) -> Between:
    key = (run.pk, run.created_at, earlier.last_seq, later.first_seq)
    return _kept.get(
        key, lambda: recordings.read(run.pk, lambda reader: between(reader, earlier, later, MOST_EVENTS), run.head)
    )
