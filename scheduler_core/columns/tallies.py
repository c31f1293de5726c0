"""Counts of placed pods per node, kept up to date from one change log.

A tally answers "how much of X is on each node" for any question that depends on a pod's class alone: pods that a
selector matches, pods with a certain anti-affinity term, pods that hold a host port. Each tally applies the entries
that came since it was last asked, so a bind costs nothing to tallies that nobody reads.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.pods import PodClass
from scheduler_core.compiled import kernel

Int64 = NDArray[np.int64]
_NO_ENTRIES: Int64 = np.zeros(0, dtype=np.int64)
WeightOf = Callable[[PodClass], int]
Among = Callable[[int], Iterable[PodClass]]
"""Of the classes from an id on those that may have a weight, perhaps with others and perhaps twice."""
_FEW = 4
"""Entries are gathered if they are at most one in this many; else all are passed over."""
_MAX_TALLIES = 4096


class Tally:
    """``counts`` int64[capacity]: the sum of weights of the pods on each row."""

    __slots__ = ("_among", "_weight_of", "_weights", "counts", "position", "total")

    def __init__(self, weight_of: WeightOf, among: Among | None, capacity: int) -> None:
        self._weight_of = weight_of
        self._among = among
        self._weights: Int64 = np.zeros(0, dtype=np.int64)
        self.counts: Int64 = np.zeros(capacity, dtype=np.int64)
        self.position = 0
        self.total = 0

    def weights(self, classes: list[PodClass]) -> Int64:
        """The weight of every class so far, int64[len(classes)]."""
        n_known = len(self._weights)
        if n_known < len(classes):
            more = np.zeros(len(classes) - n_known, dtype=np.int64)
            for cls in classes[n_known:] if self._among is None else self._among(n_known):
                more[cls.id - n_known] = self._weight_of(cls)
            self._weights = np.concatenate([self._weights, more])
        return self._weights


class ChangeLog:
    """Every pod that came to (+1) or left (-1) a row, in order, with the tallies that read it; ``length`` is how many
    entries there are."""

    def __init__(self) -> None:
        self._rows: Int64 = np.zeros(1024, dtype=np.int64)
        self._classes: Int64 = np.zeros(1024, dtype=np.int64)
        self._signs: Int64 = np.zeros(1024, dtype=np.int64)
        self.length = 0
        self._positions: list[array[int]] = []
        """Of the entries of each class."""
        self._tallies: dict[Hashable, Tally] = {}
        self._since = self._rows[:0], self._classes[:0], self._signs[:0]
        self._since_of = (0, 0)

    def append(self, row: int, class_id: int, sign: int) -> None:
        """Note one pod of the class arriving at or leaving the row."""
        if self.length == len(self._rows):
            self._rows, self._classes, self._signs = (
                np.concatenate([a, np.zeros_like(a)]) for a in (self._rows, self._classes, self._signs)
            )
        i = self.length
        self._rows[i], self._classes[i], self._signs[i] = row, class_id, sign
        self.length = i + 1
        while class_id >= len(self._positions):
            self._positions.append(array("q"))
        self._positions[class_id].append(i)

    def since(self, position: int) -> tuple[Int64, Int64, Int64]:
        """Rows, class ids and signs of the entries from the position on; read-only views, remembered as many
        callers ask from one position."""
        if self._since_of != (position, self.length):
            window = slice(position, self.length)
            self._since = self._rows[window], self._classes[window], self._signs[window]
            self._since_of = position, self.length
        return self._since

    def tally(
        self, key: Hashable, weight_of: WeightOf, among: Among | None, classes: list[PodClass], capacity: int
    ) -> Tally:
        """The up-to-date tally under the key, on which alone ``weight_of`` and ``among`` must depend; read-only to
        callers. Without ``among`` any class may have a weight."""
        tally = self._tallies.get(key)
        if tally is None:
            if len(self._tallies) >= _MAX_TALLIES:
                self._tallies.pop(next(iter(self._tallies)))
            tally = self._tallies[key] = Tally(weight_of, among, capacity)
        if len(tally.counts) < capacity:
            tally.counts = np.concatenate([tally.counts, np.zeros(capacity - len(tally.counts), dtype=np.int64)])
        if tally.position < self.length:
            self._sync(tally, tally.weights(classes))
        return tally

    def forget_tallies(self) -> None:
        """Drop all tallies, for when something besides the pods' classes changed (namespace labels)."""
        self._tallies.clear()

    def _sync(self, tally: Tally, weights: Int64) -> None:
        rows, classes, signs = self.since(tally.position) if tally.position else self._weighing(weights)
        tally.position = self.length
        compiled = kernel()
        if compiled is not None:
            tally.total += compiled.tally(rows, classes, signs, weights, tally.counts)
            return
        deltas = weights.take(classes) * signs
        hit = deltas.nonzero()[0]
        if len(hit):
            np.add.at(tally.counts, rows.take(hit), deltas.take(hit))
            tally.total += int(deltas.sum())

    def _weighing(self, weights: Int64) -> tuple[Int64, Int64, Int64]:
        """All entries; those of classes without weight may be left out."""
        by_class = [self._positions[i] for i in weights[: len(self._positions)].nonzero()[0].tolist()]
        if _FEW * sum(map(len, by_class)) > self.length:
            return self.since(0)
        at = np.concatenate([_NO_ENTRIES, *(np.frombuffer(positions, dtype=np.int64) for positions in by_class)])
        return self._rows.take(at), self._classes.take(at), self._signs.take(at)
