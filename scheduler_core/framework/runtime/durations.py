"""Real-time durations of plugins and extension points; stored beside the recording, never part of it.

An extension point as a whole is measured in every cycle, a plugin's call in those that ``CycleState.is_measured`` names
(as kube-scheduler does: framework.go, pluginMetricsSamplePercent). Calls that raise are not counted.
"""

from __future__ import annotations

from bisect import bisect_left

from scheduler_core.framework.contracts.status import Code

BUCKETS = tuple(0.00001 * 1.5**i for i in range(20))
"""Upper bounds in seconds, as upstream's plugin duration histogram (metrics.go)."""

_MOST_NOTED = 1_000

_SUCCESS = Code.SUCCESS.label

Figures = tuple[int, float, tuple[int, ...]]
"""How often something ran, the seconds in all, and the counts per bucket, the last one for what is above all bounds."""


class Durations:
    """Sums, counts and histograms by (extension point, plugin, label of the status); plugin "" is the point as a
    whole."""

    def __init__(self) -> None:
        self._noted: dict[tuple[str, str, str], _Noted] = {}

    def add(self, point: str, plugin: str, seconds: float, status: str = _SUCCESS) -> None:
        """Count a call of the plugin at the point, or with plugin "" a run of the whole point. A point at which plugins
        are asked about many nodes has the status of the call, as upstream."""
        noted = self._noted.get((point, plugin, status))
        if noted is None:
            noted = self._noted[point, plugin, status] = _Noted()
        noted.append(seconds)
        if len(noted) >= _MOST_NOTED:
            noted.add_up()

    def take(self) -> dict[tuple[str, str, str], Figures]:
        """The figures by (point, plugin, status) since the last call."""
        taken, self._noted = self._noted, {}
        return {key: noted.figures() for key, noted in taken.items()}


class _Noted(list[float]):
    """Collects single durations and adds them up a thousand at a time, which is cheaper than adding each at once."""

    __slots__ = ("_buckets", "_count", "_seconds")

    def __init__(self) -> None:
        self._count = 0
        self._seconds = 0.0
        self._buckets = [0] * (len(BUCKETS) + 1)

    def add_up(self) -> None:
        """Add the collected durations to the sums."""
        self._count += len(self)
        self._seconds += sum(self)
        for spent in self:
            self._buckets[bisect_left(BUCKETS, spent)] += 1
        self.clear()

    def figures(self) -> Figures:
        """Count, seconds and histogram of all durations so far."""
        self.add_up()
        return self._count, self._seconds, tuple(self._buckets)
