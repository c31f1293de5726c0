"""Which kept moments the table of changes compares: one with now, or two with each other."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.common.http.params import optional_int, text_param
from dashboard.common.problems import NotFound
from dashboard.following.live_page import collector

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from dashboard.clusters.models import FollowedRevision

HOUR, DAY = 3600.0, 86_400.0
_LONGEST = 20


class ChosenMoments:
    """The beginning and the end of what is compared, by the query of an address, among the moments that are kept,
    newest first.

    `since` is the number of a moment, or `hour` and `day` for the nearest to an hour and a day ago; `until` that of a
    later one, without which the end is now.
    """

    def __init__(self, moments: Sequence[FollowedRevision], query: Mapping[str, str], now: float) -> None:
        self.moments = moments
        self._query, self._now = query, now
        self._asked = text_param(query, "since", _LONGEST) or "day"

    @property
    def since(self) -> str:
        """Return `hour` or `day` where the query asks for that and the end is now, "" for chosen moments."""
        return self._asked if self._asked in ("hour", "day") and self.end is None else ""

    @cached_property
    def base(self) -> FollowedRevision | None:
        """Return the moment that it begins with, None where none is kept; raises NotFound for one that is not kept."""
        if self._asked in ("hour", "day"):
            aim = self._now - (HOUR if self._asked == "hour" else DAY)
            return min(self.moments, key=lambda one: abs(one.moment - aim), default=None)
        return self._named("since")

    @cached_property
    def end(self) -> FollowedRevision | None:
        """Return the moment that it ends with, None for now; raises NotFound for one that is not kept, or is not later
        than the beginning."""
        if not text_param(self._query, "until", _LONGEST):
            return None
        end = self._named("until")
        if self.base is None or end.moment <= self.base.moment:
            raise NotFound("The second hour is not later than the first. Choose another one.")
        return end

    def _named(self, name: str) -> FollowedRevision:
        pk = optional_int(self._query, name, low=1, high=2**63 - 1)
        chosen = next((one for one in self.moments if one.pk == pk), None)
        if chosen is None:
            raise NotFound("This moment is not kept any more. Choose another hour.")
        return chosen

    @property
    def base_moment(self) -> datetime | None:
        """Return the time of the beginning."""
        return None if self.base is None else collector.moment(self.base.moment)

    @property
    def end_moment(self) -> datetime | None:
        """Return the time of the end, None for now."""
        return None if self.end is None else collector.moment(self.end.moment)

    # ---------------------------------------------------------------- queries of neighbours

    @property
    def hour_before(self) -> str:
        """Return the query that begins one kept moment earlier, "" where there is none."""
        return "" if self.base is None else self._query_of(self._beside(self.base, 1), self.end)

    @property
    def hour_after(self) -> str:
        """Return the query that begins one later."""
        return "" if self.base is None else self._query_of(self._beside(self.base, -1), self.end)

    @property
    def end_before(self) -> str:
        """Return the query that ends one kept moment earlier; the last one comes before now."""
        newest = self.moments[0] if self.moments else None
        return self._query_of(self.base, newest if self.end is None else self._beside(self.end, 1))

    @property
    def end_after(self) -> str:
        """Return the query that ends one later, with now after the last; "" where the end is now."""
        if self.end is None or self.base is None:
            return ""
        after = self._beside(self.end, -1)
        return f"since={self.base.pk}" if after is None else self._query_of(self.base, after)

    def _beside(self, one: FollowedRevision, step: int) -> FollowedRevision | None:
        at = self.moments.index(one) + step
        return self.moments[at] if 0 <= at < len(self.moments) else None

    def _query_of(self, base: FollowedRevision | None, end: FollowedRevision | None) -> str:
        if base is None or (end is not None and end.moment <= base.moment):
            return ""
        if self.end is None and end is None:
            return f"since={base.pk}"
        return "" if end is None else f"since={base.pk}&until={end.pk}"
