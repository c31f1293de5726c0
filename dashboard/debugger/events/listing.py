"""The list of events: rows around the cursor, grouped by cycle, with gaps of virtual time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dashboard.common.pages.numbers import grouped, plural
from dashboard.debugger.events.kinds import KINDS, EventKind
from dashboard.debugger.events.line import CauseWords, cause_words
from dashboard.debugger.events.sentences import EventSentence, number_of, words_of
from dashboard.debugger.labels import OUTCOMES, split_key
from dashboard.runs.models import Cycle, Preemption
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.times import clock, span

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from dashboard.debugger.events.address import EventsCursor
    from dashboard.debugger.events.chain import Chain
    from dashboard.debugger.events.index import EventIndex
    from dashboard.runs.models import Run
    from scheduler_core.recording.reader import RecordingReader

BLOCK = 40
"""A window is the block of rows that contains the cursor, and the blocks before and after it."""
SILENCE_US = 5_000_000


@dataclass(frozen=True)
class EventRow:
    """An event as a row: its number, its time if it differs from the row above, sentence, cause, and its role in the
    chain.
    """

    number: int
    time: str
    sentence: EventSentence
    cause: CauseWords
    role: str
    url: str
    cause_url: str

    @property
    def thing(self) -> str:
        """Return the subject of a comment on it."""
        return f"event {self.number:,}"


@dataclass(frozen=True)
class CycleHead:
    """A cycle with those of its events that are shown; `row` is its first event."""

    row: EventRow
    cycle: int
    title: str
    n_events: int
    rows: list[EventRow] = field(default_factory=list)


@dataclass(frozen=True)
class TimeGap:
    """Virtual time in which nothing happened."""

    text: str


Item = EventRow | CycleHead | TimeGap


@dataclass(frozen=True)
class Chip:
    """A kind, with the number of events that pass the other filters; `url` shows or hides it."""

    label: EventKind
    count: int
    is_on: bool
    url: str


@dataclass(frozen=True)
class Window:
    """Rows of a list: their seqs in order, and the numbers of passing events before, after and in all."""

    seqs: list[int]
    n_before: int
    n_after: int

    @property
    def first(self) -> int:
        """Return the place of the first row among those that pass, from 1."""
        return self.n_before + 1

    @property
    def last(self) -> int:
        """Return the place of the last row."""
        return self.n_before + len(self.seqs)

    @property
    def total(self) -> int:
        """Return how many rows pass."""
        return self.last + self.n_after

    @property
    def text(self) -> str:
        """Return which rows a list shows: "121 to 300 of 62,805"."""
        if not self.seqs:
            return "none"
        return f"{grouped(self.first)} to {grouped(self.last)} of {grouped(self.total)}"


def window_around(index: EventIndex, shown: NDArray[np.bool_], seq: int) -> Window:
    """Return the rows around the event of that seq; whole blocks, so that a nearby step gives the same rows."""
    places = np.flatnonzero(shown)
    at = int(np.searchsorted(places, seq))
    first = max(at // BLOCK - 1, 0) * BLOCK
    return _window(index, places, first, first + 3 * BLOCK)


def window_beside(index: EventIndex, shown: NDArray[np.bool_], after: int | None, before: int | None) -> Window:
    """Return the rows after the event of the seq `after`, or before `before`."""
    places = np.flatnonzero(shown)
    if before is not None:
        end = int(np.searchsorted(places, before))
        return _window(index, places, max(end - 2 * BLOCK, 0), end)
    first = int(np.searchsorted(places, -1 if after is None else after, side="right"))
    return _window(index, places, first, first + 2 * BLOCK)


def _window(index: EventIndex, places: NDArray[np.int64], first: int, last: int) -> Window:
    """Rows [first, last), extended so that no cycle is split."""
    cycles = index.cycles[places]
    last = min(last, len(places))
    while 0 < first < len(places) and cycles[first] and cycles[first] == cycles[first - 1]:
        first -= 1
    while 0 < last < len(places) and cycles[last] and cycles[last] == cycles[last - 1]:
        last += 1
    return Window(places[first:last].tolist(), min(first, len(places)), len(places) - last)


class Listing:
    """Makes rows of events that a reader has; each event is read once."""

    def __init__(
        self, run: Run, reader: RecordingReader, index: EventIndex, chain: Chain | None, url: Callable[[int], str]
    ) -> None:
        self.run = run
        self.reader = reader
        self.index = index
        self.roles = _roles(chain)
        self.url = url
        self._sentences: dict[int, EventSentence] = {}

    def sentence(self, seq: int) -> EventSentence:
        """Return the event in words."""
        if seq not in self._sentences:
            self._sentences[seq] = words_of(self.reader.event(seq))
        return self._sentences[seq]

    def cause(self, seq: int) -> CauseWords:
        """Return what the event follows from."""
        cause = int(self.index.causes[seq])
        if cause >= 0:
            return CauseWords(self.sentence(cause).brief_for(self.sentence(seq)), number_of(cause))
        return cause_words(self.reader, self.reader.event(seq), self.sentence(seq), self.reader.cause(seq))

    def items(self, seqs: list[int]) -> list[Item]:
        """Return the rows of these events with heads of cycles and gaps."""
        rows: list[Item] = []
        heads = self._heads({int(self.index.cycles[seq]) for seq in seqs} - {0})
        head: CycleHead | None = None
        above: int | None = None
        for seq in seqs:
            if gap := self._gap(above, seq):
                rows.append(gap)
            cycle = int(self.index.cycles[seq])
            if cycle and (head is None or head.cycle != cycle):
                head = heads[cycle]
                rows.append(head)
            elif not cycle:
                head = None
            row = self._row(seq, above)
            if head is None:
                rows.append(row)
            elif seq != head.row.number - 1:
                head.rows.append(row)
            above = seq
        return rows

    def _row(self, seq: int, above: int | None) -> EventRow:
        at = int(self.index.at[seq])
        is_new = above is None or int(self.index.at[above]) != at
        time = clock(at) if is_new else ""
        cause, role = self.cause(seq), self.roles.get(seq, "")
        cause_url = self.url(cause.number) if cause.number else ""
        return EventRow(number_of(seq), time, self.sentence(seq), cause, role, self.url(number_of(seq)), cause_url)

    def _gap(self, above: int | None, seq: int) -> TimeGap | None:
        """The longest gap of the run between two rows."""
        if above is None:
            return None
        silence = int(np.diff(self.index.at[above : seq + 1]).max())
        return TimeGap(f"{span(silence)} in which nothing happened") if silence >= SILENCE_US else None

    def _heads(self, cycles: set[int]) -> dict[int, CycleHead]:
        rows = Cycle.objects.filter(run_id=self.run.pk, number__in=cycles)
        nominated = Preemption.objects.filter(run_id=self.run.pk, cycle__in=cycles).exclude(node="")
        nodes = dict(nominated.values_list("cycle", "node"))
        heads = {row.number: self._head(row, nodes.get(row.number, "")) for row in rows}
        if missing := cycles - heads.keys():
            raise RecordingError(f"the row of cycle {min(missing)} is missing")
        return heads

    def _head(self, row: Cycle, nominated: str) -> CycleHead:
        _, outcome = OUTCOMES.get(row.outcome, ("none", row.outcome))
        end = f"bound to {row.node}" if row.outcome == "scheduled" else outcome
        end += f", nominated {nominated}" if nominated else ""
        n_events = row.last_seq - row.first_seq + 1
        title = f"{split_key(row.pod)[1]}, attempt {row.attempt} · {end} · {plural(n_events, 'event')}"
        return CycleHead(self._row(row.first_seq, None), row.number, title, n_events)


def _roles(chain: Chain | None) -> dict[int, str]:
    if chain is None:
        return {}
    roles = dict.fromkeys(chain.effects, "is-effect") | dict.fromkeys(chain.back, "is-cause")
    return roles | {chain.seq: "is-cursor"}


def chips(counted: dict[str, int], cursor: EventsCursor) -> list[Chip]:
    """Return the kinds that the run has, in their order."""
    kinds = cursor.filter.kinds
    return [Chip(KINDS[kind], count, kind in kinds, cursor.kind_url(kind)) for kind, count in counted.items()]
