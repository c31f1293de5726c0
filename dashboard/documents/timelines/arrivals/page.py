"""The arrivals of a timeline's revision as its page shows them: strip, table, choices, what can be undone."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from dashboard.common.pages.pagination import paginate
from dashboard.documents.timelines.arrivals.actions import described_change
from dashboard.documents.timelines.arrivals.choice import WHAT
from dashboard.documents.timelines.arrivals.rows import read_entries
from dashboard.documents.timelines.arrivals.strip import ArrivalStrip
from scheduler_core.simulate import time_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dashboard.common.pages.pagination import Page
    from dashboard.documents.models import TimelineRevision
    from dashboard.documents.timelines.arrivals.choice import ArrivalChoice
    from dashboard.documents.timelines.arrivals.rows import ArrivalRow

PAGE_SIZE = 50
OFFERED = 200


class OfferedValue(NamedTuple):
    """A value to choose by, and how many entries have it."""

    value: str
    n: int


class ArrivalsPage:
    """The arrivals of a revision, or of a draft on it (`drafted`), with the choice in the address."""

    def __init__(
        self,
        revision: TimelineRevision,
        choice: ArrivalChoice,
        query: Mapping[str, str],
        drafted: Sequence[ArrivalRow] | None = None,
    ) -> None:
        self.revision = revision
        self.choice = choice
        self.is_draft = drafted is not None
        self.rows = read_entries(revision).rows if drafted is None else drafted
        self.chosen = list(self.rows) if choice.is_all else choice.of(self.rows)
        self._query = query

    @property
    def total(self) -> int:
        """Return how many entries there are."""
        return len(self.rows)

    @property
    def last(self) -> str:
        """Return when the last entry comes."""
        return time_text(self.rows[-1].at) if self.rows else "0s"

    @property
    def actions(self) -> tuple[str, ...]:
        """Return what can happen in an entry."""
        return WHAT[1:]

    @cached_property
    def strip(self) -> ArrivalStrip:
        """Return the entries over time."""
        return ArrivalStrip(self.rows, self.chosen, self.choice)

    @cached_property
    def table(self) -> Page[Any]:
        """Return a page of the chosen entries: (row, its time as text)."""
        page = paginate(self.chosen, self._query, PAGE_SIZE)
        lines = [(row, time_text(row.at)) for row in page.items]
        return type(page)(lines, page.number, page.size, page.total, page.is_more, page.has_next, page.param)

    @property
    def namespaces(self) -> list[OfferedValue]:
        """Return the namespaces to choose by."""
        return _offered((row.key.namespace for row in self.rows), self.choice.namespace)

    @property
    def owners(self) -> list[OfferedValue]:
        """Return the workloads to choose by, those with most entries first."""
        return _offered((row.owner for row in self.rows), self.choice.owner)

    @property
    def n_ends(self) -> int:
        """Return how many of the chosen entries are deletions."""
        return sum(row.is_end for row in self.chosen)

    @property
    def undoes(self) -> str:
        """Return what Undo takes back outside of drafts, "" for the first revision."""
        return described_change(self.revision) if self.revision.parent_id and not self.is_draft else ""

    @cached_property
    def is_newest(self) -> bool:
        """Return whether it is the newest revision, or a draft: these alone can be changed."""
        if self.is_draft:
            return True
        newest = self.revision.timeline.revisions.values_list("number", flat=True).first()
        return newest == self.revision.number

    @property
    def can_change(self) -> bool:
        """Return whether somebody who may edit can change it."""
        return self.is_newest and self.revision.timeline.archived_at is None

    @property
    def all_query(self) -> str:
        """Return the query, with its question mark, of all entries of this revision."""
        return "" if self.is_newest else f"?r={self.revision.number}"

    @property
    def address(self) -> str:
        """Return the query of the address of what is shown, "" for all of the newest revision."""
        fields = {} if self.is_newest else {"r": str(self.revision.number)}
        fields |= self.choice.fields
        return urlencode(fields | ({"page": str(self.table.number)} if self.table.number > 1 else {}))


def _offered(values: Iterable[str], chosen: str) -> list[OfferedValue]:
    counts = Counter(value for value in values if value)
    offered = [OfferedValue(*one) for one in counts.most_common(OFFERED)]
    if chosen and chosen not in dict(offered):
        offered.append(OfferedValue(chosen, counts[chosen]))
    return offered
