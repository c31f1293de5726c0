"""What a scan looks up in a recording besides the events themselves: cycles by number and seq, and node names."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict, defaultdict
from typing import NamedTuple

from scheduler_core.query.cells import NodeNames
from scheduler_core.query.field_values import CycleFacts
from scheduler_core.recording import events as ev
from scheduler_core.recording.chunks import ChunkHeader
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.recording.row_builder import summary_rows
from scheduler_core.recording.rows import PluginScoreRow, SummaryRows, VerdictRow

KEPT_CHUNKS = 4
OF_CYCLES: tuple[type[ev.AnyEvent], ...] = (
    ev.CycleStarted,
    ev.PointFinished,
    ev.NodesFiltered,
    ev.NodesScored,
    ev.HostSelected,
    ev.PreemptionDecided,
    ev.CycleFinished,
)
"""The events that a cycle's rows are made of."""


class CycleHistory:
    """The cycles of a recording by number and by seq; those of a few chunks stay in memory."""

    def __init__(self, reader: RecordingReader) -> None:
        self._reader = reader
        self._chunks: OrderedDict[int, list[CycleFacts]] = OrderedDict()

    def of_chunk(self, header: ChunkHeader) -> list[CycleFacts]:
        """The chunk's cycles in order."""
        cycles = self._chunks.get(header.index)
        if cycles is None:
            rows = summary_rows(self._reader.select_events(header.first_seq, header.end_seq, *OF_CYCLES))
            cycles = self.learn(header.index, rows)
        return cycles

    def learn(self, chunk: int, rows: SummaryRows) -> list[CycleFacts]:
        """Take the rows of a chunk's events, which then need not be read, and return its cycles."""
        verdicts: defaultdict[int, list[VerdictRow]] = defaultdict(list)
        for verdict in rows.verdicts:
            verdicts[verdict.cycle].append(verdict)
        scores: defaultdict[int, list[PluginScoreRow]] = defaultdict(list)
        for score in rows.plugin_scores:
            scores[score.cycle].append(score)
        cycles = [CycleFacts(row, verdicts[row.cycle], scores[row.cycle]) for row in rows.cycles]
        self._chunks[chunk] = cycles
        if len(self._chunks) > KEPT_CHUNKS:
            self._chunks.popitem(last=False)
        return cycles

    def numbered(self, cycle: int) -> CycleFacts | None:
        """The cycle of that number, None where none is recorded."""
        header = self._reader.store.chunk_for_cycle(cycle)
        return None if header is None else self.of_chunk(header)[cycle - header.first_cycle]

    def around(self, seq: int, header: ChunkHeader) -> CycleFacts | None:
        """The cycle of the chunk between whose first and last event the event lies."""
        cycles = self.of_chunk(header)
        position = bisect_right(cycles, seq, key=lambda cycle: cycle.row.first_seq) - 1
        return cycles[position] if position >= 0 and seq <= cycles[position].row.last_seq else None

    def of_event(self, seq: int, event: ev.AnyEvent, header: ChunkHeader) -> CycleFacts | None:
        """The cycle that the event names, or else the one around it."""
        named: int = getattr(event, "cycle", 0)
        if named and header.first_cycle <= named < header.end_cycle:
            return self.of_chunk(header)[named - header.first_cycle]
        return self.numbered(named) if named else self.around(seq, header)


class NodeHistory:
    """The names of nodes by row as of any seq; quick where the next seq lies in the same chunk or in the next one."""

    def __init__(self, reader: RecordingReader) -> None:
        self._reader = reader
        self._first, self._until = 0, -1
        self._changes: list[tuple[int, ev.ObjectChanged]] = []
        self._at_first: dict[str, int] = {}
        self._rows: dict[str, int] = {}
        self._next = 0
        self._names: NodeNames | None = None

    def at(self, seq: int) -> NodeNames:
        """The names after the first ``seq`` events, as long as the highest row that has a node."""
        if not self._first <= seq <= self._until:
            self._move(seq)
        if self._next and self._changes[self._next - 1][0] >= seq:
            self._rows, self._next, self._names = dict(self._at_first), 0, None
        while self._next < len(self._changes) and self._changes[self._next][0] < seq:
            self._apply(self._changes[self._next][1])
            self._next, self._names = self._next + 1, None
        if self._names is None:
            names = [""] * (max(self._rows.values(), default=-1) + 1)
            for name, row in self._rows.items():
                names[row] = name
            self._names = NodeNames(names)
        return self._names

    def _move(self, seq: int) -> None:
        """Go to the seq's chunk: on from the one before it, or else from the newest keyframe."""
        header = self._reader.store.chunk_for_seq(seq)
        end = seq if header is None else header.end_seq
        if header is not None and header.first_seq == self._until:
            for _, event in self._changes[self._next :]:
                self._apply(event)
                self._names = None
            self._first = self._until
        else:
            state = self._reader.keyframe_state(seq)
            self._first, self._rows, self._names = state.seq, dict(state.nodes), None
        changed = self._reader.select_events(self._first, end, ev.ObjectChanged)
        self._changes = [(number, event) for number, event in changed if event.kind == "Node"]
        self._until, self._next = end, 0
        if self._changes:
            self._at_first = dict(self._rows)

    def _apply(self, event: ev.ObjectChanged) -> None:
        if event.action == "deleted":
            self._rows.pop(event.key, None)
        elif event.row is not None:
            self._rows[event.key] = event.row


class Histories(NamedTuple):
    """Look-ups that scans of one recording share."""

    cycles: CycleHistory
    nodes: NodeHistory

    @classmethod
    def of(cls, reader: RecordingReader) -> Histories:
        """Those of a reader."""
        return cls(CycleHistory(reader), NodeHistory(reader))
