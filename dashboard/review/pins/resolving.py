"""A pin checked against its run: the cycle, the moment and the thing are there, and what the recording says of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dashboard.common.pages.extension_points import POINTS
from dashboard.common.problems import NotFound, Problem
from dashboard.review.models import ThreadKind
from dashboard.review.pins.facts import RecordedFact, fact_of, settled
from dashboard.review.pins.pin import WITHOUT_CYCLE
from dashboard.runs import queries
from dashboard.runs.models import KEY_LENGTH, NODE_LENGTH, PLUGIN_LENGTH, QueueMove, RecordingChunk, RunHead, Victim

if TYPE_CHECKING:
    from dashboard.review.pins.pin import Pin
    from dashboard.runs.models import Cycle, Run

_OF_PODS = (ThreadKind.MOVE, ThreadKind.VICTIM, ThreadKind.STORY)


@dataclass(frozen=True)
class ResolvedPin:
    """A pin whose moment and kind are decided, with what is recorded there."""

    pin: Pin
    seq: int
    says: str

    @property
    def columns(self) -> dict[str, Any]:
        """Return the columns of a thread on it."""
        pin = self.pin
        at = {"seq": self.seq, "cycle": pin.cycle, "point": pin.point, "plugin": pin.plugin, "node": pin.node}
        return {**at, "kind": pin.kind, "pod": pin.pod, "pod_uid": pin.uid, "fact": self.says}


def resolved(run: Run, pin: Pin) -> ResolvedPin:
    """Return the pin resolved; raises NotFound or Problem where the run has no such thing."""
    _require_writable(pin)
    pin = _with_cycle(run, pin)
    seq = _seq(run, pin)
    pin = _with_pod(run, replace(pin, seq=seq))
    fact = fact_of(run, pin)
    if fact is None and _must_be_recorded(run, pin):
        raise Problem(f"Run {run.number} recorded nothing of {_named(pin)}.", title="No such thing in this run")
    return ResolvedPin(settled(pin, fact), pin.seq or seq, fact.says if fact and _is_a_thing(fact) else "")


def _require_writable(pin: Pin) -> None:
    """Raise Problem for what no pin can name."""
    if pin.point and pin.point not in POINTS:
        raise Problem(f'"{pin.point[:40]}" is no extension point. Write one of {", ".join(POINTS)}.')
    if len(pin.plugin) > PLUGIN_LENGTH or len(pin.node) > NODE_LENGTH or len(pin.pod) > KEY_LENGTH:
        raise Problem("The plugin's, node's or pod's name is longer than such names can be.")


def _is_a_thing(fact: RecordedFact) -> bool:
    """Whether the fact says more than the row of the cycle, which pages show beside the thread."""
    return fact.kind != ThreadKind.CYCLE


def _must_be_recorded(run: Run, pin: Pin) -> bool:
    """Whether the recording can be asked: rows are all there is of a cycle whose chunks are not written yet."""
    if pin.kind in _OF_PODS or pin.kind == ThreadKind.EVENT:
        return True
    is_cell = pin.plugin and pin.node and pin.point not in _POINTS_WITHOUT_CELLS
    return bool(is_cell) and RecordingChunk.objects.filter(run_id=run.pk).exists()


# Their answers on a node are events, not cells of the matrix.
_POINTS_WITHOUT_CELLS = (
    *("PreEnqueue", "QueueSort", "PreFilter", "PostFilter"),
    *("Reserve", "Permit", "PreBind", "Bind", "PostBind"),
)


def _named(pin: Pin) -> str:
    if pin.kind in _OF_PODS:
        return f"{ThreadKind(pin.kind).label} {pin.pod}".strip()
    return pin.place or "this event"


def _with_cycle(run: Run, pin: Pin) -> Pin:
    """The pin; that of a move, an event or a story stands with the cycle that had begun last at its moment."""
    if pin.kind not in WITHOUT_CYCLE or pin.seq is None:
        return pin
    row = queries.cycle_at_seq(run, pin.seq)
    return replace(pin, cycle=row.number if row else 0)


def _seq(run: Run, pin: Pin) -> int:
    """Return the pin's seq, by default the one after the cycle."""
    if pin.kind in WITHOUT_CYCLE and pin.seq is not None:
        if not 0 < pin.seq <= _head(run):
            raise Problem(f"Event {pin.seq:,} does not belong to run {run.number}.")
        return pin.seq
    row = queries.find_cycle(run, pin.cycle)
    if row is None:
        raise NotFound(f"Run {run.number} has no cycle {pin.cycle:,}.", title="No such cycle")
    if pin.seq is None:
        return row.last_seq + 1
    # A binding may end after the next cycle has begun, and what follows a cycle before the next one is shown with it.
    if row.first_seq < pin.seq <= row.last_seq + 1 or _is_after(run, row, pin.seq):
        return pin.seq
    raise Problem(f"Event {pin.seq:,} does not belong to cycle {pin.cycle:,} of run {run.number}.")


def _is_after(run: Run, row: Cycle, seq: int) -> bool:
    """Return whether the run had come to `seq` and this cycle was the last one to have begun there."""
    last = queries.cycle_at_seq(run, seq)
    return seq <= _head(run) and last is not None and last.number == row.number


def _head(run: Run) -> int:
    return RunHead.objects.values_list("seq", flat=True).get(run_id=run.pk)


def _with_pod(run: Run, pin: Pin) -> Pin:
    """The pin of a thing that is about a pod: a move is its last one then, a victim has its recorded uid."""
    if pin.kind == ThreadKind.MOVE:
        return _of_move(run, pin)
    if pin.kind == ThreadKind.VICTIM:
        row = Victim.objects.filter(run_id=run.pk, cycle=pin.cycle, pod=pin.pod).first()
        return replace(pin, node=row.node, uid=row.pod_uid or "") if row else pin
    return pin if pin.kind in _OF_PODS else replace(pin, pod="", uid="")


def _of_move(run: Run, pin: Pin) -> Pin:
    """The pin of the pod's last move at the moment; without a pod, of the move that the moment is behind."""
    seq = pin.seq or 0
    moves = QueueMove.objects.filter(run_id=run.pk, seq__lt=seq).order_by("-seq")
    moves = moves.filter(**queries.of_pod(run, pin.pod, pin.uid)) if pin.pod else moves.filter(seq=seq - 1)
    row = moves.first()
    return _with_cycle(run, replace(pin, seq=row.seq + 1, pod=row.pod, uid=row.pod_uid or "")) if row else pin
