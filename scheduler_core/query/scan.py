"""Evaluation of a query over a recording: batches of hits in order, forward or backward, chunk by chunk.

A chunk of which the header says that nothing in it can match is not read; of events only the types that can match are
decoded; a frame is opened only where the cycle's own facts leave something open. Frames are read in blocks, each from
the one before, also backward: there a block that has no hit is followed by a longer one, over several chunks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import get_args

import msgspec

from scheduler_core.query.cell_plan import CellPlan, PluginPart
from scheduler_core.query.cells import CellRows, FrameCells
from scheduler_core.query.expressions import Condition, Query
from scheduler_core.query.field_values import CycleFacts, EventFacts, predicate
from scheduler_core.query.fields import QuerySubject
from scheduler_core.query.history import Histories
from scheduler_core.query.hits import Batch, CellsBatch, FactsBatch
from scheduler_core.query.reduction import by_range, reduced
from scheduler_core.recording import events as ev
from scheduler_core.recording.chunks import ChunkHeader
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.frames.frame import Frame
from scheduler_core.recording.reader import RecordingReader

BLOCK, LARGEST_BLOCK = 32, 512
"""How many cycles' frames are read in one go in a scan backward for cells: twice as many after one without hits.

What a turn did not read to its end is read again in the next one. At most BLOCK frames are kept.
"""
_OF_EVENTS_CYCLE = frozenset({"pod", "namespace", "cycle"})


class Stopped(Exception):
    """A scan was ended before its end; ``reason`` is what ``ScanControl.stopped`` said."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


class ScanControl(msgspec.Struct):
    """Callbacks of a scan. ``progress`` is called with the part that is done, 0 to 1; ``stopped`` between chunks and
    frames, and a reason that it returns ("" for none) ends the scan by Stopped."""

    progress: Callable[[float], None] = lambda _: None
    stopped: Callable[[], str] = lambda: ""

    def check(self) -> None:
        """Raises Stopped if ``stopped`` gives a reason."""
        if reason := self.stopped():
            raise Stopped(reason)


class Scan:
    """One query over one recording; ``histories`` are shared with other scans of the reader."""

    def __init__(
        self,
        reader: RecordingReader,
        query: Query,
        control: ScanControl | None = None,
        histories: Histories | None = None,
    ) -> None:
        self._reader, self._query = reader, query
        self._control = control or ScanControl()
        self._cycles, self._nodes = histories or Histories.of(reader)
        self._cells = CellPlan(query.where)
        self._range = (0, 0)
        self.reached = -1
        """All hits before this seq were given, all from it on in a scan backward; -1 before it began."""
        is_cell = query.subject is QuerySubject.CELL
        self._holds = predicate(None if is_cell else query.where, query.subject)
        own = {condition.field.subject is query.subject for condition in query.conditions()}
        names = {condition.field.name for condition in query.conditions()}
        of_event = query.subject is QuerySubject.EVENT and bool(names & _OF_EVENTS_CYCLE)
        self._needs_cycles = own == {True, False} or own == {False} or of_event

    def batches(self, first: int, end: int, *, backward: bool = False) -> Iterator[Batch]:
        """Batches with first <= seq < end, ascending or descending. Raises Stopped, and RecordingError as the reader.

        A batch that was given stays valid.
        """
        first, end = max(first, 0), min(end, self._reader.head_seq())
        if first >= end:
            return
        headers = self._headers(first, end)
        self._range, self.reached = (first, end), end if backward else first
        if backward and self._query.subject is QuerySubject.CELL:
            yield from self._cells_backward(headers)
            return
        for header in reversed(headers) if backward else headers:
            self._control.check()
            if self._is_possible(header):
                for batch in self._of_chunk(header, first, end, backward=backward):
                    if first <= batch.seq < end:
                        yield batch
            self._reach(max(header.first_seq, first) if backward else min(header.end_seq, end), backward=backward)

    def _reach(self, seq: int, *, backward: bool) -> None:
        """Note up to where all hits were given, and report the progress."""
        first, end = self._range
        self.reached = seq
        self._control.progress((end - seq if backward else seq - first) / (end - first))

    # --- chunks -----------------------------------------------------------------------------------------------------
    def _headers(self, first: int, end: int) -> list[ChunkHeader]:
        """The chunks with an event of the range."""
        headers, seq = [], first
        while seq < end:
            header = self._reader.store.chunk_for_seq(seq)
            if header is None:
                raise RecordingError(f"the recording ends before event {seq}")
            headers.append(header)
            seq = header.end_seq
        return headers

    def _is_possible(self, header: ChunkHeader) -> bool:
        """Whether, by its header, the chunk may contain a match."""
        if self._query.where is None:
            return True
        subject = self._query.subject
        ranges = {"seq": (header.first_seq, header.end_seq - 1), "at": (header.first_at, header.last_at)}
        if subject is not QuerySubject.EVENT:
            ranges["cycle"] = (header.first_cycle, header.end_cycle - 1)

        def settled(condition: Condition) -> bool | None:
            between = ranges.get(condition.field.name)
            holds = None if between is None else by_range(condition, *between)
            # a move need not have a cycle, so that no comparison with its number holds of all moves
            may_lack = subject is QuerySubject.MOVE and condition.field.name == "cycle"
            return None if may_lack and holds else holds

        return reduced(self._query.where, settled) is not False

    def _of_chunk(self, header: ChunkHeader, first: int, end: int, *, backward: bool) -> Iterator[Batch]:
        subject = self._query.subject
        if subject is QuerySubject.CELL:
            yield from self._of_frames(
                self._cycles_in_range(header), lambda cycle: self._reach(cycle.row.first_seq, backward=False)
            )
            return
        if subject is QuerySubject.CYCLE:
            batches = (FactsBatch(subject, one) for one in self._cycles.of_chunk(header) if self._holds(one))
        else:
            batches = (FactsBatch(subject, one) for one in self._events(header, first, end))
        yield from reversed(list(batches)) if backward else batches

    def _events(self, header: ChunkHeader, first: int, end: int) -> Iterator[EventFacts]:
        """Events that match, with their cycles."""
        first, end = max(first, header.first_seq), min(end, header.end_seq)
        for seq, event in self._reader.select_events(first, end, *self._types()):
            facts = EventFacts(seq, event, None)
            if self._needs_cycles:
                facts.cycle = self._cycles.of_event(seq, event, header)
            if self._holds(facts):
                if not self._needs_cycles:
                    facts.cycle = self._cycles.of_event(seq, event, header)
                yield facts

    def _types(self) -> Sequence[type[ev.AnyEvent]]:
        """The types of events that can match."""
        subject, where = self._query.subject, self._query.where
        if subject is QuerySubject.MOVE:
            return [ev.QueueMove]
        if subject is QuerySubject.PREEMPTION:
            return [ev.PreemptionDecided]
        types: tuple[type[ev.AnyEvent], ...] = get_args(ev.AnyEvent)
        if where is None:
            return types

        def is_possible(kind: type[ev.AnyEvent]) -> bool:
            tag = kind.__struct_config__.tag
            return reduced(where, lambda one: one.value == tag if one.field.name == "type" else None) is not False

        return [kind for kind in types if is_possible(kind)]

    # --- cells ------------------------------------------------------------------------------------------------------
    def _cycles_in_range(self, header: ChunkHeader) -> list[CycleFacts]:
        """The chunk's cycles that begin in the range."""
        first, end = self._range
        return [one for one in self._cycles.of_chunk(header) if first <= one.row.first_seq < end]

    def _cells_backward(self, headers: Sequence[ChunkHeader]) -> Iterator[Batch]:
        """The cells of the last cycles first: blocks of cycles from the end, each read forward, as frames need it."""
        size = BLOCK
        left: list[CycleFacts] = []  # ascending; blocks are taken from their end
        for header in reversed(headers):
            self._control.check()
            if self._is_possible(header):
                left = self._cycles_in_range(header) + left
            is_first = header is headers[0]
            while len(left) >= size or (is_first and left):
                block = left[-size:]
                batches = deque(self._of_frames(block, lambda _: None), maxlen=BLOCK)
                yield from reversed(batches)
                # Hits before those that were kept are looked for once more.
                reached = batches[0].seq if len(batches) == BLOCK else block[0].row.first_seq
                left = left[: -len(block)] + [one for one in block if one.row.first_seq < reached]
                self._reach(reached, backward=True)
                size = BLOCK if batches else min(2 * size, LARGEST_BLOCK)
            if not left:
                self._reach(max(header.first_seq, self._range[0]), backward=True)

    def _of_frames(self, cycles: Sequence[CycleFacts], begins: Callable[[CycleFacts], None]) -> Iterator[Batch]:
        """The hits of ascending cycles; frames that cannot have any stay closed. ``begins`` hears of each cycle."""
        for (cycle, plugins), frame in self._opened(cycles, begins):
            names = self._nodes.at(cycle.row.first_seq)
            cells = FrameCells(frame, names)
            rows = [
                CellRows(position, name, hit_rows)
                for position, name, where in plugins
                if len(hit_rows := cells.rows(name, where))
            ]
            if rows:
                yield CellsBatch(cycle, frame, names, tuple(rows))

    def _opened(
        self, cycles: Sequence[CycleFacts], begins: Callable[[CycleFacts], None]
    ) -> Iterator[tuple[tuple[CycleFacts, list[PluginPart]], Frame]]:
        """The cycles with plugins that are left, and their frames."""
        chosen: list[tuple[CycleFacts, list[PluginPart]]] = []

        def numbers() -> Iterator[int]:
            for cycle in cycles:
                begins(cycle)
                self._control.check()
                layout = self._reader.layout(cycle.row.cycle)
                names = self._nodes.at(cycle.row.first_seq) if self._cells.names_nodes else None
                plugins = [] if layout is None else self._cells.plugins(cycle, layout, self._reader.reasons(), names)
                if plugins:
                    chosen.append((cycle, plugins))
                    yield cycle.row.cycle

        for frame in self._reader.frames(numbers()):
            if frame is not None:
                yield chosen.pop(), frame
