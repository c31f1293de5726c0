"""Hits of several runs as a bar for each: virtual time of one run says nothing of that of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped, plural
from dashboard.search.query_page.bars import HEIGHT, TOP, AxisLabel, HitBar, percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dashboard.runs.models import Run
    from dashboard.search.query_page.address import SearchAddress

# So much of a place is its bar's, and a bar is no wider than that share of the whole.
FILLED, WIDEST = 0.72, 0.08
# So many numbers fit under the bars.
LABELS = 16


class RunBars:
    """The picture of several runs, the oldest first; `by_run` has the hits of those that are counted."""

    def __init__(
        self, runs: list[Run], by_run: Mapping[int, int], address: SearchAddress, noun: tuple[str, str]
    ) -> None:
        self.runs, self.by_run, self.address, self.noun = runs[::-1], by_run, address, noun
        self._most = max(by_run.values(), default=0)

    @property
    def bars(self) -> Iterator[HitBar]:
        """Yield the bar of each run, also of those without a hit or without a number so far."""
        width = min(FILLED / len(self.runs), WIDEST)
        for place, run in enumerate(self.runs):
            count = self.by_run.get(run.number)
            height = max((HEIGHT - TOP) * count / self._most, 2) if count else 0
            said = "not counted so far" if count is None else plural(count, *self.noun)
            url = self.address.first_url(runs=(run.number,))
            title = f"run {run.number}, {run}: {said}" if run.name else f"run {run.number}: {said}"
            yield HitBar(percent(self._middle(place) - width / 2), percent(width), HEIGHT - height, height, title, url)

    @property
    def labels(self) -> Iterator[AxisLabel]:
        """Yield numbers of runs under their bars, as many as fit."""
        step = -(-len(self.runs) // LABELS)
        for place in range(0, len(self.runs), step):
            yield AxisLabel(percent(self._middle(place)), f"run {self.runs[place].number}", "middle")

    @property
    def peak(self) -> AxisLabel | None:
        """Return the number on the highest bar."""
        if not self._most:
            return None
        place = next(at for at, run in enumerate(self.runs) if self.by_run.get(run.number) == self._most)
        return AxisLabel(percent(self._middle(place)), grouped(self._most), "middle")

    @property
    def n_empty_text(self) -> str:
        """Return how many runs have no hit."""
        empty = sum(self.by_run.get(run.number) == 0 for run in self.runs)
        return f"{plural(empty, 'run')} without a hit" if empty else ""

    def _middle(self, place: int) -> float:
        return (place + 0.5) / len(self.runs)
