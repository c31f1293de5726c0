"""The address of the page of events: a cursor with the filter of the list."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.debugger.cursor.cursor import Cursor
from dashboard.debugger.events.filters import EventFilter

if TYPE_CHECKING:
    from collections.abc import Callable

# A number that no event has: a placeholder in an address.
_PLACE = 10**15


@dataclass(frozen=True)
class MoreLink:
    """The continuation of a list: the address of the page, and of the rows alone for scripts."""

    side: str
    text: str
    url: str
    rows: str


@dataclass(frozen=True)
class EventsCursor(Cursor):
    """A cursor on the page of events: its addresses keep the filter and stay on that page."""

    filter: EventFilter = field(default_factory=EventFilter)

    def url(self, **changes: Any) -> str:
        """Return the address with some fields changed, as `Cursor.url`; `filter` is another filter."""
        filter_query = changes.pop("filter", self.filter).query()
        address = super().url(**changes)
        return f"{address}&{urlencode(filter_query)}" if filter_query else address

    def event_urls(self) -> Callable[[int], str]:
        """Return a function from numbers of events to their addresses."""
        before, after = self.url(seq=_PLACE).split(str(_PLACE))
        return lambda number: f"{before}{number}{after}"

    def more(self, side: str, number: int | None) -> MoreLink | None:
        """Return the way to the rows "after" or "before" the event of that number; None where there are none."""
        if number is None:
            return None
        rows = reverse("debugger:event_rows", kwargs={"slug": self.slug, "number": self.run.number})
        query = self.url(seq=self.seq).partition("?")[2]
        text = "Earlier events" if side == "before" else "Later events"
        return MoreLink(side, text, self.url(seq=number), f"{rows}?{query}&{side}={number}")

    @property
    def whole_url(self) -> str:
        """Return the address that does not cut the chain."""
        return f"{self.url()}&whole=1"

    @property
    def whole_run_url(self) -> str:
        """Return the address without a range of events."""
        return self.url(filter=replace(self.filter, first=0, last=0))

    @property
    def all_url(self) -> str:
        """Return the address with the default filter."""
        return self.url(filter=EventFilter(fold=self.filter.fold))

    @property
    def fold_url(self) -> str:
        """Return the address that folds cycles, or opens them."""
        return self.url(filter=replace(self.filter, fold=not self.filter.fold))

    @property
    def chain_url(self) -> str:
        """Return the address that shows the chain of the chosen event alone, or all again."""
        return self.url(filter=replace(self.filter, chain=not self.filter.chain))

    @property
    def hidden_fields(self) -> list[tuple[str, Any]]:
        """Return the parameters that a form for `about` has to keep."""
        query = self._moment() | self.view.query() | self.filter.query()
        return [(name, value) for name, value in query.items() if name != "about"]

    def kind_url(self, kind: str) -> str:
        """Return the address that shows the kind of events, or leaves it out."""
        return self.url(filter=self.filter.toggled(kind))

    @property
    def in_debugger(self) -> str:
        """Return the address of the same moment in the debugger, which steps by cycles first."""
        named = {one.name: getattr(self, one.name) for one in fields(Cursor)}
        return Cursor(**named | {"view": replace(self.view, step="cycle")}).url()

    @cached_property
    def _address(self) -> str:
        return reverse("debugger:events", kwargs={"slug": self.slug, "number": self.run.number})


def events_cursor(cursor: Cursor, event_filter: EventFilter) -> EventsCursor:
    """Return the cursor on the page of events, with that filter."""
    return EventsCursor(**{one.name: getattr(cursor, one.name) for one in fields(Cursor)}, filter=event_filter)


@dataclass(frozen=True)
class Shortcut:
    """A filter that is one click away."""

    text: str
    title: str
    url: str


def shortcuts(cursor: EventsCursor) -> list[Shortcut]:
    """Return filters for what is selected, and the way back to all events."""
    shown, event_filter = [], cursor.filter
    for field_name, name in (("pod", cursor.view.pod), ("node", cursor.view.node)):
        word = f"{field_name}:{name}"
        if name and word not in event_filter.about.split():
            url = cursor.url(filter=replace(event_filter, about=word))
            shown.append(Shortcut(f"Only this {field_name}", f"Show events of {name} alone", url))
    if event_filter.is_narrowed:
        shown.append(Shortcut("Clear", "Show all events again", cursor.all_url))
    return shown
