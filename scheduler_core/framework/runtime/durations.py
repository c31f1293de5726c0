"""How long plugins and extension points take in real time: kept beside the recording, never part of it."""

from __future__ import annotations

from bisect import bisect_left
from time import perf_counter
from types import TracebackType

BUCKETS = tuple(0.00001 * 1.5**i for i in range(20))
"""Upper bounds in seconds, as upstream's plugin duration histogram (metrics.go)."""

_MOST_NOTED = 1_000


class Durations:
    """Sums, counts and histograms by (extension point, plugin); plugin "" is the point as a whole."""

    def __init__(self) -> None:
        self._watches = _Watches()

    def measure(self, point: str, plugin: str = "") -> Stopwatch:
        """A context manager that adds the time spent in it."""
        return self._watches[point, plugin]

    def take(self) -> dict[tuple[str, str], tuple[int, float, tuple[int, ...]]]:
        """{(point, plugin): (count, seconds, counts per bucket, last one for the rest)}; starts anew."""
        figures = {key: watch.figures() for key, watch in self._watches.items()}
        self._watches = _Watches()
        return {key: figure for key, figure in figures.items() if figure[0]}


class _Watches(dict[tuple[str, str], "Stopwatch"]):
    """By (extension point, plugin), made when first asked for."""

    def __missing__(self, key: tuple[str, str]) -> Stopwatch:
        watch = self[key] = Stopwatch()
        return watch


class Stopwatch:
    """Not reentrant: a plugin does not run inside itself. Several run in every cycle, so what each took is only noted,
    and added up a thousand at a time."""

    __slots__ = ("_buckets", "_count", "_seconds", "_spent", "_started")

    def __init__(self) -> None:
        self._count = 0
        self._seconds = 0.0
        self._buckets = [0] * (len(BUCKETS) + 1)
        self._spent: list[float] = []
        self._started = 0.0

    def __enter__(self) -> None:
        self._started = perf_counter()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        spent = self._spent
        spent.append(perf_counter() - self._started)
        if len(spent) >= _MOST_NOTED:
            self._add_up()

    def figures(self) -> tuple[int, float, tuple[int, ...]]:
        """How often it ran, seconds in all, counts per bucket."""
        self._add_up()
        return self._count, self._seconds, tuple(self._buckets)

    def _add_up(self) -> None:
        self._count += len(self._spent)
        self._seconds += sum(self._spent)
        for spent in self._spent:
            self._buckets[bisect_left(BUCKETS, spent)] += 1
        self._spent.clear()
