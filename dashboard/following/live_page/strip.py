"""The changes of the last day as a strip: a bar an hour, with gaps and the change of version."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from dashboard.following.live_page.collector import gaps, moment
from dashboard.following.moments.versions import changes_of_version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.clusters.models import FollowedRevision, Following

HOUR, HOURS = 3600.0, 24
WIDTH, HEIGHT, TOP = 1000.0, 58.0, 8.0
SPACE = 6.0
SHORTEST_GAP = 4.0


@dataclass(frozen=True)
class StripPart:
    """A part of a bar: `cls` of its style, its place and size."""

    cls: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class StripHour:
    """An hour of the strip: when it began, the revision at its end (None: none is kept), what changed in it."""

    began: datetime
    revision: int | None
    pk: int | None
    counts: tuple[int, int, int]
    parts: list[StripPart]
    x: float
    width: float

    @property
    def label(self) -> str:
        """Return the hour in words: when it began, what changed in it."""
        added, gone, changed = self.counts
        named = f", revision {self.revision} at its end" if self.revision else ""
        return f"{self.began:%H:%M} UTC: {added:,} added, {gone:,} gone, {changed:,} changed{named}"


@dataclass(frozen=True)
class ChangeStrip:
    """The hours, gaps as (x, width), and the places of changes of version."""

    hours: list[StripHour]
    gaps: list[tuple[float, float]]
    versions: list[tuple[float, str]]
    chosen: float | None
    chosen_end: float | None

    @property
    def chosen_width(self) -> float:
        """Return how long the part is that is compared where its end is chosen, 0 where it is not."""
        return 0.0 if self.chosen_end is None else self.chosen_end - (self.chosen or 0.0)

    @property
    def marks(self) -> list[StripHour]:
        """Return the hours that are named below the strip: every third."""
        return self.hours[::3]

    @property
    def total(self) -> int:
        """Return how many objects came, went or changed in these hours, each hour by itself."""
        return sum(sum(hour.counts) for hour in self.hours)


def change_strip(
    following: Following,
    moments: Sequence[FollowedRevision],
    now: float,
    latest: tuple[int, int, int],
    compared: tuple[float | None, float | None],
) -> ChangeStrip:
    """Return the strip of the 24 hours that end with the one of `now`.

    `latest` is what changed since the last hour that is kept, `compared` the moments that the table below compares,
    None for now.
    """
    first = (now // HOUR - HOURS + 1) * HOUR
    scale = WIDTH / (HOURS * HOUR)
    counts = [_counts(moments, first + n * HOUR) for n in range(HOURS)]
    counts[-1] = latest
    most = max((sum(one) for one in counts), default=0)
    hours = []
    for n, one in enumerate(counts):
        began = first + n * HOUR
        at_end = next((other for other in moments if other.moment == began + HOUR), None)
        x, width = n * HOUR * scale, HOUR * scale
        number, pk = (at_end.revision.number, at_end.pk) if at_end is not None else (None, None)
        parts = _parts(one, most, x + SPACE / 2, width - SPACE)
        hours.append(StripHour(moment(began), number, pk, one, parts, x, width))
    timed = [(gap.since, gap.until) for gap in gaps(following) if not gap.is_lasting]
    spans = [_span(since.timestamp(), until.timestamp() if until else now, first, scale) for since, until in timed]
    later = changes_of_version(following)[1:]
    versions = [((at - first) * scale, version) for at, version in later if at >= first]
    places = [None if at is None or at < first else (at - first) * scale for at in compared]
    return ChangeStrip(hours, [span for span in spans if span is not None], versions, places[0], places[1])


def _counts(moments: Sequence[FollowedRevision], began: float) -> tuple[int, int, int]:
    """The sum of what the moments within an hour, its end included, changed."""
    added = gone = changed = 0
    for one in moments:
        if began < one.moment <= began + HOUR:
            for a, b, c in one.changes.values():
                added, gone, changed = added + a, gone + b, changed + c
    return added, gone, changed


def _parts(counts: tuple[int, int, int], most: int, x: float, width: float) -> list[StripPart]:
    added, gone, changed = counts
    y, parts = HEIGHT, []
    for cls, n in (("bar-chg", changed), ("bar-del", gone), ("bar-add", added)):
        height = n / most * (HEIGHT - TOP) if most else 0.0
        y -= height
        if n:
            parts.append(StripPart(cls, round(x, 1), round(y, 1), round(width, 1), round(height, 1)))
    return parts


def _span(since: float, until: float, first: float, scale: float) -> tuple[float, float] | None:
    if until < first:
        return None
    x = max(since - first, 0.0) * scale
    return round(x, 1), round(max((until - max(since, first)) * scale, SHORTEST_GAP), 1)
