"""The state at any cursor within milliseconds: cached states, and folding of the events after the nearest one.

A cached state is shared between requests: callers must not change it.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from dashboard.common.lru_cache import LruCache
from dashboard.runs.storage import recordings

if TYPE_CHECKING:
    from dashboard.runs.models import Run
    from scheduler_core.recording.reader import RecordingReader
    from scheduler_core.recording.state import RunState

KEPT_RUNS = 4
KEPT_STATES = 24
# Folding up to this many events (about 1 us each) is faster than decoding a keyframe.
NEAR_EVENTS = 8192
# A step back is often followed by another: folding to an earlier state caches more states on its last part.
TRAIL_EVENTS = 2048
TRAIL_STEP = 512


class States:
    """Cached states of one run, most recently used first."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.states: list[RunState] = []

    def at(self, reader: RecordingReader, seq: int) -> RunState:
        """Return the state after the first `seq` events."""
        with self.lock:
            start = self._nearest(reader, seq)
            if start.seq == seq:
                return self._keep(start)
            state = start.copy()
            for stop in self._trail(start.seq, seq):
                reader.fold(state, stop)
                self._keep(state.copy())
            reader.fold(state, seq)
            return self._keep(state)

    def _nearest(self, reader: RecordingReader, seq: int) -> RunState:
        """A cached state before the seq, or the newest keyframe's if that is nearer, although decoding
        takes a while.
        """
        nearest = max((state for state in self.states if state.seq <= seq), key=lambda state: state.seq, default=None)
        if nearest is not None and seq - nearest.seq <= NEAR_EVENTS:
            return nearest
        keyframe = reader.keyframe_state(seq)
        return keyframe if nearest is None or nearest.seq < keyframe.seq else nearest

    def _trail(self, start: int, seq: int) -> range:
        """Seqs between `start` and `seq` whose states are cached: none except for a step back."""
        if not any(seq < state.seq <= seq + TRAIL_STEP for state in self.states):
            return range(0)
        first = max(start, seq - TRAIL_EVENTS) // TRAIL_STEP + 1
        return range(first * TRAIL_STEP, seq, TRAIL_STEP)

    def _keep(self, state: RunState) -> RunState:
        self.states = [state, *(one for one in self.states if one.seq != state.seq)][:KEPT_STATES]
        return state


_runs: LruCache[States] = LruCache(KEPT_RUNS)


def state_at(run: Run, seq: int) -> RunState:
    """Return the run's state after its first `seq` events, read-only; raises RecordingError beyond the head."""
    states = _of(run)
    return recordings.read(run.pk, lambda reader: states.at(reader, seq), run.head)


def _of(run: Run) -> States:
    # A database may reuse a deleted run's key; the time of creation distinguishes the two.
    return _runs.get((run.pk, run.created_at), States)


def forget() -> None:
    """Clear the cache."""
    _runs.clear()
