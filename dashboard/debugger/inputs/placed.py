"""The pods on a node at a cursor, without looking at every placement: an index that follows the cursor."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from dashboard.common.lru_cache import LruCache
from dashboard.runs.storage import recordings
from scheduler_core.recording.state import placed_pods

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.runs.models import Run
    from scheduler_core.recording.state import Placement, RunState

KEPT_RUNS = 4
# Reading up to this many events (about 1 us each) is faster than scanning tens of thousands of placements.
NEAR_EVENTS = 4_096


def placed_between(run: Run, one: int, other: int) -> set[str] | None:
    """Return the pods whose placement may differ between two seqs of the run, None if these are far apart.

    Raises RecordingError if the recording cannot be read.
    """
    first, last = min(one, other), max(one, other)
    if last - first > NEAR_EVENTS:
        return None
    events = recordings.read(run.pk, lambda reader: reader.events(first, last - 1), run.head)
    return placed_pods(event for _, event in events)


class PlacedPods:
    """The pods of one run by node, at the seq that was asked for last; for several threads.

    After a jump all placements are looked through for one node; they are indexed when a step near it follows.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seq = 0
        self._placements: dict[str, Placement] | None = None
        self._by_node: dict[str, set[str]] | None = None

    def on(self, node: str, run: Run, state: RunState) -> list[str]:
        """Return the pods on the node at the state, in no order."""
        with self._lock:
            self._follow(run, state)
            if self._by_node is None:
                return [pod for pod, placement in state.placements.items() if placement.node == node]
            return list(self._by_node.get(node, ()))

    def _follow(self, run: Run, state: RunState) -> None:
        last, now = self._placements, state.placements
        if last is now:
            return
        moved = None if last is None else placed_between(run, self._seq, state.seq)
        if last is None or moved is None:
            self._by_node = None
        elif self._by_node is None:
            self._by_node = {}
            _add(self._by_node, now, now)
        else:
            for pod in moved & last.keys():
                self._by_node[last[pod].node].discard(pod)
            _add(self._by_node, moved & now.keys(), now)
        self._seq, self._placements = state.seq, now


def _add(by_node: dict[str, set[str]], pods: Iterable[str], placements: dict[str, Placement]) -> None:
    for pod in pods:
        by_node.setdefault(placements[pod].node, set()).add(pod)


_runs: LruCache[PlacedPods] = LruCache(KEPT_RUNS)


def pods_on(run: Run, state: RunState, node: str) -> list[str]:
    """Return the pods on a node at a state of the run, in no order."""
    # A database may give a deleted run's key out again; the moment of creation tells the two apart.
    return _runs.get((run.pk, run.created_at), PlacedPods).on(node, run, state)
