"""The state at any cursor within milliseconds: kept states, and a fold that reads of each event only what it changes.

A state is shared between requests: whoever gets one must not change it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Union, get_args

import msgspec

from dashboard.runs import recordings
from scheduler_core.recording import events as ev
from scheduler_core.recording.chunks import EventBlock, describe
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.state import RunState, apply

if TYPE_CHECKING:
    from dashboard.runs.models import Run
    from scheduler_core.recording.reader import RecordingReader

KEPT_RUNS = 4
KEPT_STATES = 24
# Stepping back is as usual as stepping on, so a fold leaves states behind, close together on its last stretch.
TRAIL_EVENTS = 2048
TRAIL_STEP = 512
FAR_STEP = 4096
# So many events are folded sooner than a keyframe is decoded.
NEAR_EVENTS = 8192


class _Point(msgspec.Struct, frozen=True, tag_field="type", tag="point_finished"):
    """A finished point without its statuses, which no state holds."""

    at: int
    cycle: int
    point: str

    def full(self) -> ev.AnyEvent:
        return ev.PointFinished(at=self.at, cycle=self.cycle, point=self.point)


class _Filtered(msgspec.Struct, frozen=True, tag_field="type", tag="nodes_filtered"):
    at: int
    cycle: int

    def full(self) -> ev.AnyEvent:
        return ev.NodesFiltered(at=self.at, cycle=self.cycle, visited=0, feasible=0)


class _Scored(msgspec.Struct, frozen=True, tag_field="type", tag="nodes_scored"):
    at: int
    cycle: int

    def full(self) -> ev.AnyEvent:
        return ev.NodesScored(at=self.at, cycle=self.cycle, plugins=())


class _Selected(msgspec.Struct, frozen=True, tag_field="type", tag="host_selected"):
    at: int
    cycle: int
    node: str

    def full(self) -> ev.AnyEvent:
        return ev.HostSelected(at=self.at, cycle=self.cycle, node=self.node)


_THIN = (_Point, _Filtered, _Scored, _Selected)
_REPLACED = {ev.PointFinished, ev.NodesFiltered, ev.NodesScored, ev.HostSelected}
_rest = tuple(kind for kind in get_args(ev.AnyEvent) if kind not in _REPLACED)
# The union is built from the recording's own list, so that an event type added there is read here as well.
_decode: Callable[[Any], Any] = msgspec.msgpack.Decoder(Union[_rest + _THIN]).decode  # noqa: UP007


class States:
    """Kept states of one run, ascending by seq."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.kept: list[RunState] = []

    def at(self, reader: RecordingReader, seq: int) -> RunState:
        """Return the state behind the first `seq` events."""
        with self.lock:
            start = self._nearest(reader, seq)
            if start.seq == seq:
                return self._keep(start)
            state = start.copy()
            for event in _thin_events(reader, state.seq, seq):
                apply(state, event)
                step = TRAIL_STEP if seq - state.seq <= TRAIL_EVENTS else FAR_STEP
                if state.seq % step == 0 and state.seq != seq:
                    self._keep(state.copy())
            if state.seq != seq:
                raise RecordingError(f"the recording ends at event {state.seq}; {seq} was asked for")
            return self._keep(state)

    def _nearest(self, reader: RecordingReader, seq: int) -> RunState:
        """A kept state before the seq, or the newest keyframe's where that is nearer; decoding one takes a while."""
        nearest = max((state for state in self.kept if state.seq <= seq), key=lambda state: state.seq, default=None)
        if nearest is not None and seq - nearest.seq <= NEAR_EVENTS:
            return nearest
        keyframe = reader.keyframe_before(seq).state
        return keyframe if nearest is None or nearest.seq < keyframe.seq else nearest

    def _keep(self, state: RunState) -> RunState:
        self.kept = [state, *(one for one in self.kept if one.seq != state.seq)][:KEPT_STATES]
        return state


def _thin_events(reader: RecordingReader, first: int, end: int) -> Iterator[ev.AnyEvent]:
    """Yield the events first <= seq < end, as far as the state depends on them."""
    store, seq = reader.store, first
    while seq < end:
        header = store.chunk_for_seq(seq)
        if header is None:
            return
        block = EventBlock(store.events(header.index), header.first_seq, header.n_events, describe(header, "events"))
        for data in islice(block.encoded(), seq - header.first_seq, min(end, header.end_seq) - header.first_seq):
            event = _decode(data)
            yield event.full() if isinstance(event, _THIN) else event
        seq = header.end_seq


_runs: OrderedDict[tuple[int, str], States] = OrderedDict()
_runs_lock = threading.Lock()


def state_at(run: Run, seq: int) -> RunState:
    """Return the run's state behind its first `seq` events, to be read only; raises RecordingError behind the head."""
    states = _of(run)
    return recordings.read(run.pk, lambda reader: states.at(reader, seq))


def _of(run: Run) -> States:
    # A database may give a deleted run's key out again; the moment of creation tells the two apart.
    key = (run.pk, run.created_at.isoformat())
    with _runs_lock:
        states = _runs.pop(key, None) or States()
        _runs[key] = states
        while len(_runs) > KEPT_RUNS:
            _runs.popitem(last=False)
        return states
