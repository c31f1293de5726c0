"""Sessions of runs in a worker's memory: opened for a segment, and kept for the next one when the run makes way.

A worker keeps the sessions of the runs that it executed last, so that a run which made way continues at once. Every
other start is from the newest keyframe: the part from there to the head is executed again, which gives the same events,
and its chunk replaces those after the keyframe. Their packing may differ, since a worker with cold caches meets reasons
in another order; so a chunk never builds on one that another worker packed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models.functions import Now

from dashboard.runs.branches.settling import settled_inputs
from dashboard.runs.extenders.source import open_source
from dashboard.runs.inputs import InputError
from dashboard.runs.lifecycle.leases import LostLease
from dashboard.runs.models import Run, RunHead
from dashboard.runs.storage import batches
from scheduler_core.simulate import ENGINE_VERSION, RunSession

if TYPE_CHECKING:
    from dashboard.runs.breakpoints.checking import HitFinder
    from dashboard.runs.lifecycle.leases import Lease
    from scheduler_core.recording.events import AnyEvent
    from scheduler_core.simulate import RunInputs

KEPT_SESSIONS = 2


@dataclass
class Execution:
    """A session in memory, and which of it is committed; `events` are (seq, event) made since the last commit.

    `start_chunk` is the index of the session's next chunk, which exists already after a resume. `finder` finds hits of
    attached breakpoints in its chunks, None while none are attached.
    """

    session: RunSession
    committed: int
    start_chunk: int
    replaces: bool = False
    keyframe_seq: int = 0
    keyframe_bytes: int = 0
    events: list[tuple[int, AnyEvent]] = field(default_factory=list)
    finder: HitFinder | None = None

    def __post_init__(self) -> None:
        self.session.observe(lambda seq, event: self.events.append((seq, event)))


# {run id: execution} of runs that made way, newest last.
_kept: dict[int, Execution] = {}


def take(run: Run) -> Execution | None:
    """Remove and return the kept session of this run; None if there is none or another worker continued the run."""
    execution = _kept.pop(run.pk, None)
    return execution if execution is not None and execution.committed == run.head.seq else None


def keep(run_id: int, execution: Execution) -> None:
    """Keep a session for the run's next segment; only the newest few are kept."""
    _kept[run_id] = execution
    while len(_kept) > KEPT_SESSIONS:
        _kept.pop(next(iter(_kept)))


def is_kept(run_id: int) -> bool:
    """Return whether a session of this run is kept for its next segment."""
    return run_id in _kept


def forget(run_id: int | None = None) -> None:
    """Drop kept sessions: of one run, or all."""
    if run_id is None:
        _kept.clear()
    else:
        _kept.pop(run_id, None)


def open_session(run: Run, lease: Lease) -> Execution:
    """Return a session at the run's head: a new one, or one resumed at the newest keyframe.

    Of a new branch the place is computed first. Raises InputError if the inputs cannot be read or another engine
    version began the run, LostLease.
    """
    inputs = settled_inputs(run, lease)
    head = run.head
    keyframe = batches.newest_keyframe(run.pk, head.seq)
    if keyframe is None:
        return _start(run, lease, inputs)
    if run.is_of_another_engine:
        reason = f"The run was begun by engine {run.engine_version}, whose recordings differ from those of"
        offer = 'What is recorded can be read; "Start again" makes a run with the same inputs.'
        raise InputError(f"{reason} {ENGINE_VERSION}. {offer}")
    return _resumed(run, inputs, keyframe, head.seq)


def resumed(run: Run, inputs: RunInputs, seq: int) -> Execution:
    """Return a session at event `seq` of a run that this engine version began, without what another session executed
    after it.
    """
    keyframe = batches.newest_keyframe(run.pk, seq)
    if keyframe is None:
        raise LostLease(f"run {run.pk} has no recording any more")
    return _resumed(run, inputs, keyframe, seq)


def _resumed(run: Run, inputs: RunInputs, keyframe: batches.StoredKeyframe, seq: int) -> Execution:
    session = RunSession.resume(inputs, keyframe.data, extenders=open_source(run, inputs))
    is_behind = keyframe.seq < seq
    if is_behind:
        _catch_up(session, seq)
    return Execution(session, seq, keyframe.chunk, is_behind, keyframe_seq=keyframe.seq)


def _start(run: Run, lease: Lease, inputs: RunInputs) -> Execution:
    """Start a session and store the state before the first event, from which readers and resumes begin."""
    session = RunSession.start(inputs, extenders=open_source(run, inputs))
    keyframe = batches.StoredKeyframe(0, 0, 0, session.initial_keyframe())
    with transaction.atomic():
        owned = RunHead.objects.filter(run_id=run.pk, lease_epoch=lease.epoch, seq=0)
        if not owned.update(heartbeat=Now()):
            raise LostLease(f"run {run.pk} is not ours any more")
        batches.write_keyframe(run.pk, keyframe)
        Run.everything.filter(pk=run.pk).update(
            engine_version=ENGINE_VERSION,
            n_nodes=len(inputs.objects.nodes),
            n_pods=len(inputs.objects.pods),
            n_steps=session.n_steps,
        )
    run.n_steps = session.n_steps
    return Execution(session, 0, 0)


def _catch_up(session: RunSession, seq: int) -> None:
    """Execute the committed events after the keyframe again; the same events come out, so nothing is written."""
    session.advance_to(seq)
    if session.head_seq != seq:
        reason = f"Executed again, the run stands at event {session.head_seq} where {seq} events were committed"
        raise RuntimeError(f"{reason}. Was the engine changed in between? Start the run again.")
    session.take_durations()
    session.take_tracebacks()
