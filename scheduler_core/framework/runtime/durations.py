"""How long plugins and extension points take in real time: kept beside the recording, never part of it."""

from __future__ import annotations

from bisect import bisect_left
from time import perf_counter
from types import TracebackType

BUCKETS = tuple(0.00001 * 1.5**i for i in range(20))
"""Upper bounds in seconds, as upstream's plugin duration histogram (metrics.go)."""


class Durations:
    """Sums, counts and histograms by (extension point, plugin); plugin "" is the point as a whole."""

    def __init__(self) -> None:
        self._watches = _Watches()

    def measure(self, point: str, plugin: str = "") -> Stopwatch:
        """A context manager that adds the time spent in it."""
        return self._watches[point, plugin]

    def take(self) -> dict[tuple[str, str], tuple[int, float, tuple[int, ...]]]:
        """{(point, plugin): (count, seconds, counts per bucket, last one for the rest)}; starts anew."""
        taken = {key: (w.count, w.seconds, tuple(w.buckets)) for key, w in self._watches.items() if w.count}
        self._watches = _Watches()
        return taken


class _Watches(dict[tuple[str, str], "Stopwatch"]):
    """By (extension point, plugin), made when first asked for."""

    def __missing__(self, key: tuple[str, str]) -> Stopwatch:
        watch = self[key] = Stopwatch()
        return watch


class Stopwatch:
    """Not reentrant: a plugin does not run inside itself."""

    __slots__ = ("_started", "buckets", "count", "seconds")

    def __init__(self) -> None:
        self.count = 0
        self.seconds = 0.0
        self.buckets = [0] * (len(BUCKETS) + 1)
        self._started = 0.0

    def __enter__(self) -> None:
        self._started = perf_counter()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        spent = perf_counter() - self._started
        self.count += 1
        self.seconds += spent
        self.buckets[bisect_left(BUCKETS, spent)] += 1
