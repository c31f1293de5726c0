"""Pages of hits from a place on, in either direction; hits counted over virtual time and by group, and numbered."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from scheduler_core.query.cells import reason_text
from scheduler_core.query.expressions import Query
from scheduler_core.query.field_values import CycleFacts
from scheduler_core.query.fields import QuerySubject
from scheduler_core.query.hits import Batch, CellsBatch, Hit, HitPlace
from scheduler_core.query.scan import Scan, ScanControl, Stopped
from scheduler_core.recording.reader import RecordingReader

END, LIMIT = "end", "limit"
LAST_INDEX = 1 << 62
MAX_LIMIT = 10_000
MAX_GROUPS = 50

GROUPS_OF: Mapping[QuerySubject, Mapping[str, str]] = {
    QuerySubject.CYCLE: {
        "plugin": "refusal.plugin",
        "reason": "refusal.reason",
        "namespace": "namespace",
        "node": "node",
        "outcome": "outcome",
    },
    QuerySubject.CELL: {"plugin": "plugin", "reason": "reason", "namespace": "namespace", "node": "node"},
    QuerySubject.MOVE: {"plugin": "plugin", "reason": "cause", "namespace": "namespace"},
    QuerySubject.PREEMPTION: {"reason": "criterion", "namespace": "namespace", "node": "node"},
    QuerySubject.EVENT: {
        "plugin": "plugin",
        "reason": "message",
        "namespace": "namespace",
        "node": "node",
        "type": "type",
    },
}
"""What hits of a subject can be counted by: {name: field}."""


class HitPage(msgspec.Struct, frozen=True):
    """Hits in the order of the search. ``ended``: "end" of the recording, "limit", or why the scan was stopped.

    ``reached``: if the scan was stopped, all hits before this seq are included (backward: all from it on).
    """

    hits: tuple[Hit, ...]
    ended: str
    reached: int

    def next_start(self, start: HitPlace | None, *, backward: bool = False) -> HitPlace:
        """Where to continue the search that began at ``start``: after the last hit, or where the scan was stopped."""
        if self.hits and self.ended == LIMIT:
            return self.hits[-1].place
        place = HitPlace(self.reached, -1) if backward else HitPlace(self.reached - 1, LAST_INDEX)
        return place if start is None else (min if backward else max)(start, place)


class HitCounts(msgspec.Struct, frozen=True):
    """How many hits there are. ``buckets`` has the counts between two of the ``edges`` that were given, of which the
    last bucket is open. ``groups`` are (value, hits), most first, at most MAX_GROUPS; a hit that has several values is
    in several. ``ended`` and ``reached`` as in HitPage."""

    total: int
    buckets: tuple[int, ...]
    groups: tuple[tuple[str, int], ...]
    n_groups: int
    ended: str
    reached: int


def find_hits(
    reader: RecordingReader,
    query: Query,
    start: HitPlace | None = None,
    *,
    backward: bool = False,
    control: ScanControl | None = None,
) -> Iterator[Hit]:
    """Hits after the place, or before it and backward; None begins at the start or at the end. Raises Stopped."""
    return _from(Scan(reader, query, control), reader.head_seq(), start, backward=backward)


def _from(scan: Scan, head: int, start: HitPlace | None, *, backward: bool, with_fields: bool = False) -> Iterator[Hit]:
    first, end = 0, head
    if start is not None:
        first, end = (0, start.seq + 1) if backward else (start.seq, end)
    for batch in scan.batches(first, end, backward=backward):
        for hit in batch.hits(backward=backward, with_fields=with_fields):
            if start is None or (hit.place < start if backward else hit.place > start):
                yield hit


def page_of_hits(  # noqa: PLR0913
    reader: RecordingReader,
    query: Query,
    limit: int,
    start: HitPlace | None = None,
    *,
    backward: bool = False,
    with_fields: bool = False,
    control: ScanControl | None = None,
) -> HitPage:
    """At most ``limit`` hits, which itself is at most MAX_LIMIT; ``with_fields``: each a HitWithFields."""
    hits: list[Hit] = []
    scan = Scan(reader, query, control)
    try:
        for hit in _from(scan, reader.head_seq(), start, backward=backward, with_fields=with_fields):
            if len(hits) == min(limit, MAX_LIMIT):
                return HitPage(tuple(hits), LIMIT, scan.reached)
            hits.append(hit)
    except Stopped as stopped:
        return HitPage(tuple(hits), stopped.reason, scan.reached)
    return HitPage(tuple(hits), END, scan.reached)


class HitCounter:
    """Counts hits between ascending virtual times (microseconds) and by a group of GROUPS_OF, in one go or several.

    Raises KeyError for a group that the subject does not have.
    """

    def __init__(self, query: Query, edges: Sequence[int] = (0,), group: str = "") -> None:
        self._query, self._edges = query, edges
        self._field = GROUPS_OF[query.subject][group] if group else ""
        self._buckets, self._groups = [0] * len(edges), Counter[str]()
        self._reached = 0

    def go_on(self, reader: RecordingReader, control: ScanControl | None = None) -> HitCounts:
        """The counts up to the end of the recording, or to where the scan is stopped; the next call continues there."""
        scan, ended = Scan(reader, self._query, control), END
        try:
            for batch in scan.batches(self._reached, reader.head_seq()):
                self._add(batch)
        except Stopped as stopped:
            ended = stopped.reason
        self._reached = max(scan.reached, self._reached)
        most = sorted(self._groups.items(), key=lambda one: (-one[1], one[0]))
        buckets, shown = tuple(self._buckets), tuple(most[:MAX_GROUPS])
        return HitCounts(sum(buckets), buckets, shown, len(most), ended, self._reached)

    def _add(self, batch: Batch) -> None:
        position = bisect_right(self._edges, batch.at) - 1
        if position >= 0:
            self._buckets[position] += batch.count
        if self._field:
            self._groups.update(_values(batch, self._field))


def count_hits(
    reader: RecordingReader,
    query: Query,
    edges: Sequence[int] = (0,),
    group: str = "",
    control: ScanControl | None = None,
) -> HitCounts:
    """Counts as HitCounter has them, in one turn. Raises KeyError as it does."""
    return HitCounter(query, edges, group).go_on(reader, control)


def _values(batch: Batch, field: str) -> Mapping[str, int]:
    """{value: hits of the batch that have it}, without those that have none."""
    if isinstance(batch, CellsBatch):
        return _of_cells(batch, field)
    value = batch.value(field)
    several = value if isinstance(value, (list, tuple)) else [value]
    return dict.fromkeys((str(one) for one in several if one not in (None, "")), 1)


def _of_cells(batch: CellsBatch, field: str) -> Mapping[str, int]:
    if field == "plugin":
        return {one.plugin: len(one.rows) for one in batch.cells}
    if field == "namespace":
        return {batch.cycle.row.pod.partition("/")[0]: batch.count}
    counts: Counter[str] = Counter()
    if field == "node":
        rows, numbers = np.unique(np.concatenate([one.rows for one in batch.cells]), return_counts=True)
        return {batch.names.names[row]: n for row, n in zip(rows.tolist(), numbers.tolist(), strict=True)}
    for one in batch.cells:
        counts.update(_reasons(batch, one.plugin, one.rows))
    return counts


def _reasons(batch: CellsBatch, plugin: str, rows: Any) -> Mapping[str, int]:
    """{reasons: cells}; a refusal in the pass with nominated pods stands for the plugin's own verdict."""
    frame = batch.frame
    if plugin not in frame.filter_plugins:
        return {}
    over = {entry.row: ", ".join(entry.reasons) for entry in frame.overlay if entry.plugin == plugin}
    plain = rows[~np.isin(rows, list(over))]
    ids, numbers = np.unique(frame.reasons[frame.filter_plugins.index(plugin), plain], return_counts=True)
    counts: Counter[str] = Counter()
    for one, n in zip(ids.tolist(), numbers.tolist(), strict=True):
        counts[reason_text(frame, one)] += n
    counts.update(over[row] for row in rows.tolist() if row in over)
    counts.pop("", None)
    return counts


# ---------------------------------------------------------------- numbers of hits


class HitNumber(msgspec.Struct, frozen=True):
    """Of `total` hits, `before` are before the moment and `here` are at it. ``ended`` and ``reached`` as in HitPage."""

    total: int
    before: int
    here: int
    ended: str
    reached: int

    @property
    def is_complete(self) -> bool:
        """Whether all hits were counted."""
        return self.ended == END


def seq_after(batch: Batch) -> int:
    """The state at which one looks at the hits: the number of events that have happened then.

    A cycle and its cells are looked at when the cycle has ended, everything else after its own event.
    """
    cycle = batch.cycle if isinstance(batch, CellsBatch) else batch.facts
    return cycle.row.last_seq + 1 if isinstance(cycle, CycleFacts) else batch.seq + 1


class HitNumbering:
    """The moments of a query's hits, in the part of the recording that was scanned so far."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._reached = 0
        # Ascending moments, and how many hits there are up to each.
        self._moments: list[int] = []
        self._up_to: list[int] = []

    def go_on(self, reader: RecordingReader, moment: int, control: ScanControl | None = None) -> HitNumber:
        """The numbers at the moment; counts until the scan is stopped, and the next turn goes on there."""
        scan, ended = Scan(reader, self._query, control), END
        try:
            for batch in scan.batches(self._reached, reader.head_seq()):
                self._add(batch)
        except Stopped as stopped:
            ended = stopped.reason
        self._reached = max(scan.reached, self._reached)
        return self._at(moment, ended)

    def _add(self, batch: Batch) -> None:
        self._moments.append(seq_after(batch))
        self._up_to.append(self._count(len(self._up_to)) + batch.count)

    def _at(self, moment: int, ended: str) -> HitNumber:
        before = self._count(bisect_left(self._moments, moment))
        upto = self._count(bisect_right(self._moments, moment))
        return HitNumber(self._count(len(self._up_to)), before, upto - before, ended, self._reached)

    def _count(self, n: int) -> int:
        return self._up_to[n - 1] if n else 0
