"""Everything that the page of events shows at a cursor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dashboard.debugger.events.address import Shortcut, shortcuts
from dashboard.debugger.events.chain import causal_chain
from dashboard.debugger.events.filters import EventFilter, counts, matching, of_kinds
from dashboard.debugger.events.indexes import index_of
from dashboard.debugger.events.listing import Listing, chips, window_around, window_beside
from dashboard.debugger.events.sentences import number_of, seq_of
from dashboard.debugger.events.walk import event_walk
from dashboard.runs.storage import recordings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dashboard.debugger.events.address import EventsCursor, MoreLink
    from dashboard.debugger.events.index import EventIndex
    from dashboard.debugger.events.listing import Chip, Item, Window
    from dashboard.debugger.events.walk import Walk
    from scheduler_core.recording.reader import RecordingReader


@dataclass(frozen=True)
class EventsPanel:
    """The list around the cursor and the chain of its event; `walk` is None before the first event.

    `causes` and `effects` are the numbers of the chain's events, joined by spaces for scripts. `key` changes when rows
    cannot be reused; `is_extra`: the filter excludes the event at the cursor, which is listed nevertheless.
    """

    items: list[Item]
    window: Window
    before: MoreLink | None
    after: MoreLink | None
    key: str
    is_extra: bool
    chips: list[Chip]
    shortcuts: list[Shortcut]
    walk: Walk | None
    causes: str
    effects: str


def events_panel(cursor: EventsCursor, whole: bool = False) -> EventsPanel:
    """Return what the page shows at a cursor; `whole` does not cut the chain. Raises RecordingError."""
    run, index = cursor.run, index_of(cursor.run)
    seq = seq_of(cursor.seq)
    chain = causal_chain(index, seq) if 0 <= seq < len(index) else None
    passes = matching(index, cursor.filter, chain.members if chain else set())
    shown = _shown(index, cursor.filter, passes)
    is_extra = chain is not None and not shown[seq]
    if chain:
        # A step may lead to any event.
        shown[seq] = True
    window = window_around(index, shown, max(seq, 0))

    def read(reader: RecordingReader) -> EventsPanel:
        url = cursor.event_urls()
        listing = Listing(run, reader, index, chain, url)
        return EventsPanel(
            items=listing.items(window.seqs),
            window=window,
            before=cursor.more("before", number_of(window.seqs[0]) if window.seqs and window.n_before else None),
            after=cursor.more("after", number_of(window.seqs[-1]) if window.seqs and window.n_after else None),
            key=_key(cursor),
            is_extra=is_extra,
            chips=chips(counts(index, passes), cursor),
            shortcuts=shortcuts(cursor),
            walk=event_walk(run, listing, chain, whole, url) if chain else None,
            causes=_numbers(chain.back) if chain else "",
            effects=_numbers(chain.effects) if chain else "",
        )

    return recordings.read(run.pk, read, run.head)


@dataclass(frozen=True)
class MoreEvents:
    """Rows after or before those on the page, and the numbers for the next request."""

    items: list[Item]
    before: MoreLink | None
    after: MoreLink | None


def more_events(cursor: EventsCursor, after: int | None, before: int | None) -> MoreEvents:
    """Return the rows after event number `after`, or before number `before`. Raises RecordingError."""
    run, index = cursor.run, index_of(cursor.run)
    seq = seq_of(cursor.seq)
    chain = causal_chain(index, seq) if 0 <= seq < len(index) else None
    shown = _shown(index, cursor.filter, matching(index, cursor.filter, chain.members if chain else set()))
    window = window_beside(
        index, shown, None if after is None else seq_of(after), None if before is None else seq_of(before)
    )

    def read(reader: RecordingReader) -> MoreEvents:
        items = Listing(run, reader, index, chain, cursor.event_urls()).items(window.seqs)
        first, last = (number_of(window.seqs[0]), number_of(window.seqs[-1])) if window.seqs else (None, None)
        earlier = before is not None and window.n_before
        later = before is None and window.n_after
        return MoreEvents(
            items, cursor.more("before", first if earlier else None), cursor.more("after", last if later else None)
        )

    return recordings.read(run.pk, read, run.head)


def _key(cursor: EventsCursor) -> str:
    """The key of everything that rows depend on besides the run; the list of a chain differs with each event."""
    return urlencode(cursor.filter.query() | cursor.view.query() | ({"of": cursor.seq} if cursor.filter.chain else {}))


def _shown(index: EventIndex, event_filter: EventFilter, passes: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return passes & of_kinds(index, event_filter.kinds)


def _numbers(seqs: list[int]) -> str:
    return " ".join(str(number_of(seq)) for seq in seqs)
