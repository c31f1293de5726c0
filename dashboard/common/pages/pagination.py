"""Pages of long lists: the count is bounded, so that a list of millions costs no full scan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from dashboard.common.http.params import int_param

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.db.models import QuerySet

Item = TypeVar("Item")

# Counting stops here; beyond it the page says "more than".
COUNT_LIMIT = 10_000
PAGE_LIMIT = 100_000


@dataclass(frozen=True)
class Page(Generic[Item]):
    """One page of a list. `total` is exact unless `is_more`, when the list is longer than the count went."""

    items: Sequence[Item]
    number: int
    size: int
    total: int
    is_more: bool
    has_next: bool
    param: str = "page"

    @property
    def has_previous(self) -> bool:
        """Return whether a page stands before this one."""
        return self.number > 1

    @property
    def first(self) -> int:
        """Return the place in the list of the first item, counted from 1; 0 on an empty page."""
        return (self.number - 1) * self.size + 1 if self.items else 0

    @property
    def last(self) -> int:
        """Return the place in the list of the last item; 0 on an empty page."""
        return self.first + len(self.items) - 1 if self.items else 0

    @property
    def pages(self) -> int:
        """Return how many pages were counted, at least 1."""
        return max(1, -(-self.total // self.size))

    @property
    def is_whole(self) -> bool:
        """Return whether this page holds the whole list."""
        return not self.has_previous and not self.has_next

    @property
    def window(self) -> list[int | None]:
        """Return the page numbers to link, None where numbers are left out."""
        near = {1, self.pages, *range(max(1, self.number - 2), min(self.pages, self.number + 2) + 1), self.number}
        out: list[int | None] = []
        for number in sorted(near):
            if out and isinstance(out[-1], int) and number - out[-1] > 1:
                out.append(None)
            out.append(number)
        return out


def paginate(
    source: QuerySet[Any] | Sequence[Any], query: Mapping[str, str], size: int = 50, param: str = "page"
) -> Page[Any]:
    """Return the page that the query asks for; a number past the end gives the last page, a bad one raises BadQuery."""
    number = int_param(query, param, default=1, low=1, high=PAGE_LIMIT)
    total, is_more = _bounded_count(source)
    last_counted = max(1, -(-total // size))
    if not is_more:
        number = min(number, last_counted)
    start = (number - 1) * size
    items = list(source[start : start + size + 1])
    return Page(items[:size], number, size, total, is_more, has_next=len(items) > size, param=param)


def _bounded_count(source: QuerySet[Any] | Sequence[Any]) -> tuple[int, bool]:
    if isinstance(source, Sequence):
        return len(source), False
    counted = source.order_by()[: COUNT_LIMIT + 1].count()
    return min(counted, COUNT_LIMIT), counted > COUNT_LIMIT
