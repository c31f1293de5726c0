"""A run's events as columns, so that lists with any filter need no reading of the recording.

Building an index reads each event once (about 8 us) and takes 34 bytes for it. For many events a worker does so and
stores the columns (stored_index.py); pages add the few events since.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dashboard.debugger.events.about import About, about
from dashboard.debugger.events.kinds import KINDS
from scheduler_core.recording import events as ev

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from scheduler_core.recording.reader import RecordingReader

BATCH = 4096
ORIGIN, UNRECORDED = -1, -2
"""Values of `causes` that are no event: an input or the start of the run; a recording of a format without causes."""
NOBODY = -1
_CODES = {kind: code for code, kind in enumerate(KINDS)}
# In the order of the rows that are made of events.
COLUMNS = (
    ("kinds", np.uint8),
    ("at", np.int64),
    ("pods", np.int32),
    ("others", np.int32),
    ("nodes", np.int32),
    ("cycles", np.int32),
)


@dataclass(frozen=True, eq=False)
class EventIndex:
    """Columns over the seqs of a run, up to a head; a live run gets new ones.

    `kinds` are indexes in KINDS, `at` virtual microseconds, `causes` seqs or ORIGIN or UNRECORDED; `pods` and `others`
    are indexes in `pod_names`, `nodes` in `node_names`, NOBODY for none; `cycles` are the numbers of the cycles between
    whose start and end the events are, 0 outside of cycles.
    """

    kinds: NDArray[np.uint8]
    at: NDArray[np.int64]
    causes: NDArray[np.int64]
    pods: NDArray[np.int32]
    others: NDArray[np.int32]
    nodes: NDArray[np.int32]
    cycles: NDArray[np.int32]
    pod_names: list[tuple[str, str]]
    node_names: list[str]

    def __len__(self) -> int:
        return len(self.kinds)

    @cached_property
    def _by_cause(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The seqs sorted by cause, and their causes: the effects of an event are adjacent."""
        order = np.argsort(self.causes, kind="stable")
        return order, self.causes[order]

    def effects(self, seq: int) -> list[int]:
        """Return the seqs of the events that the event caused, in order."""
        order, causes = self._by_cause
        low, high = np.searchsorted(causes, [seq, seq + 1])
        effects: list[int] = order[low:high].tolist()
        return effects


@dataclass(frozen=True, eq=False)
class Piece:
    """Columns of consecutive events, the names that they added, and what reading later events needs.

    `newest` are the indexes of the last pod of each name that several pods had, `victims` the indexes of the nodes that
    victims leave.
    """

    columns: dict[str, NDArray[Any]]
    pod_names: list[tuple[str, str]]
    node_names: list[str]
    newest: dict[str, int]
    victims: dict[str, int]
    open_cycle: int


class Indexing:
    """The growing index of one run: `index` is complete at any time, and replaced, never changed."""

    KINDS_OF_COLUMNS = dict((*COLUMNS, ("causes", np.int64)))

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._pod_names: list[tuple[str, str]] = []
        self._node_names: list[str] = []
        self._node_of_victim: dict[str, int] = {}
        self._open_cycle = 0
        self._several: dict[str, int] = {}
        self._forget_places()
        empty = {name: np.array([], kind) for name, kind in self.KINDS_OF_COLUMNS.items()}
        self.index = EventIndex(**empty, pod_names=self._pod_names, node_names=self._node_names)

    def extend(
        self, reader: RecordingReader, end: int, report_progress: Callable[[int], None] = lambda seq: None
    ) -> None:
        """Read the events up to the seq `end`; `report_progress` is called with the seq reached. Raises
        RecordingError.
        """
        self._find_places()
        rows: list[tuple[int, ...]] = []
        causes: list[int] = []
        first = len(self.index)
        while first + len(rows) < end:
            begin = first + len(rows)
            last = min(begin + BATCH, end) - 1
            events = reader.events(begin, last)
            if not events:
                break
            rows.extend(self._row(event) for _, event in events)
            recorded_causes = reader.causes(begin, last)
            causes.extend(UNRECORDED if cause is None else max(cause, ORIGIN) for cause in recorded_causes)
            report_progress(begin + len(events))
        if rows:
            values = [*zip(*rows, strict=True), causes]
            self._grow(
                [{name: np.array(values[i], kind) for i, (name, kind) in enumerate(self.KINDS_OF_COLUMNS.items())}]
            )

    def take(self, pieces: Sequence[Piece]) -> None:
        """Add pieces that follow the index."""
        for piece in pieces:
            self._pod_names.extend(piece.pod_names)
            self._node_names.extend(piece.node_names)
            self._several.update(piece.newest)
            self._node_of_victim.update(piece.victims)
            self._open_cycle = piece.open_cycle
        if pieces:
            self._forget_places()
            self._grow([piece.columns for piece in pieces])

    @property
    def names_so_far(self) -> tuple[int, int]:
        """Return the numbers of pods and nodes in the index."""
        return len(self._pod_names), len(self._node_names)

    def piece(self, first: int, n_pods: int, n_nodes: int) -> Piece:
        """Return the columns from seq `first` on; the index had `pods` pods and `nodes` nodes before."""
        names = self._pod_names
        several = {pod: place for pod, place in self._newest.items() if self._last_of_name[pod] != place}
        return Piece(
            columns={name: getattr(self.index, name)[first:] for name in self.KINDS_OF_COLUMNS},
            pod_names=names[n_pods:],
            node_names=self._node_names[n_nodes:],
            newest=self._several | several,
            victims=self._node_of_victim,
            open_cycle=self._open_cycle,
        )

    def _grow(self, parts: list[dict[str, NDArray[Any]]]) -> None:
        columns = {
            name: np.concatenate([getattr(self.index, name), *(part[name] for part in parts)])
            for name in self.KINDS_OF_COLUMNS
        }
        self.index = EventIndex(**columns, pod_names=self._pod_names, node_names=self._node_names)

    def _forget_places(self) -> None:
        self._places_are_known = False

    def _find_places(self) -> None:
        """Build the look-ups of names and cycles, which reading needs and pages of a finished run do not."""
        if self._places_are_known:
            return
        self._pod_ids = {name: place for place, name in enumerate(self._pod_names)}
        self._node_ids = {name: place for place, name in enumerate(self._node_names)}
        self._last_of_name = {pod: place for place, (pod, _) in enumerate(self._pod_names)}
        self._newest = self._last_of_name | self._several
        cycles = self.index.cycles
        starts = np.flatnonzero((cycles != 0) & (np.append(0, cycles)[:-1] != cycles))
        self._pod_of_cycle = dict(zip(cycles[starts].tolist(), self.index.pods[starts].tolist(), strict=True))
        self._places_are_known = True

    def _row(self, event: ev.AnyEvent) -> tuple[int, int, int, int, int, int]:
        subject = about(event)
        if isinstance(event, ev.CycleStarted):
            self._open_cycle = event.cycle
            self._pod_of_cycle[event.cycle] = self._pod_id(subject.pod, subject.uid)
        elif isinstance(event, ev.PreemptionDecided) and (nominated := event.nominated) is not None:
            self._node_of_victim.update(dict.fromkeys(nominated.victims, self._node_id(nominated.node)))
        cycle = self._open_cycle
        if isinstance(event, ev.CycleFinished):
            self._open_cycle = 0
        other = self._newest_of(subject.other) if subject.other else NOBODY
        return _CODES[subject.kind], event.at, self._pod_of(subject), other, self._node_of(subject), cycle

    def _pod_of(self, subject: About) -> int:
        """The pod of the event; events of a cycle omit its uid, or the pod altogether."""
        of_cycle = self._pod_of_cycle.get(subject.cycle, NOBODY)
        if not subject.pod:
            return of_cycle
        if of_cycle != NOBODY and self._pod_names[of_cycle][0] == subject.pod:
            return of_cycle
        return self._newest_of(subject.pod) if subject.kind == "preemption" else self._pod_id(subject.pod, subject.uid)

    def _node_of(self, subject: About) -> int:
        if subject.node:
            return self._node_id(subject.node)
        return self._node_of_victim.get(subject.pod, NOBODY) if subject.kind == "eviction" else NOBODY

    def _newest_of(self, pod: str) -> int:
        newest = self._newest.get(pod)
        return self._pod_id(pod, "") if newest is None else newest

    def _pod_id(self, pod: str, uid: str) -> int:
        place = self._pod_ids.setdefault((pod, uid), len(self._pod_names))
        if place == len(self._pod_names):
            self._pod_names.append((pod, uid))
            self._last_of_name[pod] = place
        self._newest[pod] = place
        return place

    def _node_id(self, node: str) -> int:
        place = self._node_ids.setdefault(node, len(self._node_names))
        if place == len(self._node_names):
            self._node_names.append(node)
        return place
