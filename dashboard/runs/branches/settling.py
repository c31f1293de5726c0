"""Prepares a new branch for execution: computes its exact place and copies its origin's recording before that."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import msgspec
from django.db import connection, transaction
from django.db.models import Sum
from django.db.models.functions import Length, Now

from dashboard.runs.extenders.source import open_source
from dashboard.runs.inputs import InputError, load_inputs
from dashboard.runs.lifecycle.leases import LostLease
from dashboard.runs.models import (
    Cycle,
    PluginScore,
    PluginTraceback,
    PluginVerdict,
    Preemption,
    QueueMove,
    RecordingChunk,
    RecordingKeyframe,
    Run,
    RunBranch,
    RunHead,
    State,
    Victim,
)
from dashboard.runs.storage import bulk, recordings
from dashboard.runs.storage.batches import ROW_BYTES
from scheduler_core.recording.errors import RecordingError
from scheduler_core.simulate import ENGINE_VERSION, BranchError, ProfileError, RunSession

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.db import models

    from dashboard.runs.lifecycle.leases import Lease
    from scheduler_core.simulate import BranchPoint, InputChange, RunInputs

log = logging.getLogger(__name__)


def settled_inputs(run: Run, lease: Lease) -> RunInputs:
    """Return the inputs of a run; if it is a new branch, compute its place and copy the recording first.

    Raises InputError if the branch cannot begin there, LostLease.
    """
    inputs, branch = load_inputs(run), getattr(run, "branch", None)
    if branch is None or branch.seq is not None:
        return inputs
    are_own = [is_own for _, is_own in branch.placed]
    own = [change for change, is_own in zip(inputs.changes, are_own, strict=True) if is_own]
    inherited = tuple(change for change, is_own in zip(inputs.changes, are_own, strict=True) if not is_own)
    inputs, origin = msgspec.structs.replace(inputs, changes=inherited), _find_origin(branch)
    point = _point(run, inputs, own, origin)
    with transaction.atomic():
        owned = RunHead.objects.filter(run_id=run.pk, lease_epoch=lease.epoch, seq=0)
        if not owned.update(heartbeat=Now()):
            raise LostLease(f"run {run.pk} is not ours any more")
        if origin is not None and take_over(origin.pk, run.pk, point.seq):
            copied = ("engine_version", "n_nodes", "n_pods", "n_steps")
            Run.everything.filter(pk=run.pk).update(**{name: getattr(origin, name) for name in copied})
        RunBranch.objects.filter(run=run).update(seq=point.seq, note=point.text)
    run.refresh_from_db()
    placed = [msgspec.structs.replace(change, seq=point.seq) for change in own]
    together = tuple(sorted((*inherited, *placed), key=lambda change: change.seq))
    return msgspec.structs.replace(inputs, changes=together)


def _find_origin(branch: RunBranch) -> Run | None:
    """The origin; None if it is deleted or another engine version recorded it."""
    if branch.origin_id is None:
        return None
    runs = Run.everything.exclude(state=State.DELETING)
    return runs.filter(pk=branch.origin_id, engine_version=ENGINE_VERSION).first()


def _point(run: Run, inputs: RunInputs, own: list[InputChange], origin: Run | None) -> BranchPoint:
    seq = run.branch.asked_seq

    def point(keyframes: Callable[[int], bytes] | None = None) -> BranchPoint:
        return RunSession.branch(inputs, seq, own, keyframes, extenders=open_source(run, inputs))[1]

    try:
        if origin is not None:
            try:
                with recordings.reading(origin.pk) as reader:
                    return point(reader.keyframe_bytes)
            except RecordingError as error:
                log.info("the recording of run %s is of no use (%s); its branch begins without", origin.pk, error)
        return point()
    except (BranchError, ProfileError) as error:
        raise InputError(str(error)) from error


# Tables with the column that orders their rows; a keyframe comes after `chunk` chunks, `cycle` cycles and `seq`
# events.
BY_CYCLE: dict[type[models.Model], str] = {Cycle: "number", PluginScore: "cycle", PluginVerdict: "cycle"}
BY_SEQ: tuple[type[models.Model], ...] = (QueueMove, Preemption, Victim, PluginTraceback)


def take_over(origin_id: int, run_id: int, seq: int) -> bool:
    """Copy the origin's recording up to its last keyframe before event `seq`; return False if it has none.

    Runs in a transaction that has locked the new run's head, which moves to the keyframe. The origin's head is locked
    too, so that no worker replaces its chunks meanwhile.
    """
    if RunHead.objects.select_for_update().filter(run_id=origin_id).first() is None:
        return False
    keyframes = RecordingKeyframe.objects.filter(run_id=origin_id, seq__lt=seq, seq__gt=0).defer("data")
    keyframe = keyframes.order_by("-seq").first()
    if keyframe is None:
        return False
    _copy(RecordingChunk, "index", (origin_id, run_id), keyframe.chunk)
    _copy(RecordingKeyframe, "seq", (origin_id, run_id), keyframe.seq + 1)
    n_rows = sum(_copy(model, key, (origin_id, run_id), keyframe.cycle + 1) for model, key in BY_CYCLE.items())
    n_rows += sum(_copy(model, "seq", (origin_id, run_id), keyframe.seq) for model in BY_SEQ)
    _move_head(origin_id, run_id, keyframe, n_rows)
    return True


def _copy(model: type[models.Model], key: str, runs: tuple[int, int], end: int) -> int:
    """Copy the rows whose key is below `end`; return their number."""
    origin_id, run_id = runs
    names = [f'"{name}"' for name in bulk.column_names(model)]
    values = ["%s" if name == '"run_id"' else name for name in names]
    query = (
        f'INSERT INTO "{model._meta.db_table}" ({", ".join(names)}) SELECT {", ".join(values)}'
        f' FROM "{model._meta.db_table}" WHERE run_id = %s AND "{key}" < %s'
    )
    with connection.cursor() as cursor:
        cursor.execute(query, [run_id, origin_id, end])
        return cursor.rowcount


def _move_head(origin_id: int, run_id: int, keyframe: RecordingKeyframe, n_rows: int) -> None:
    chunks = RecordingChunk.objects.filter(run_id=run_id)
    keyframes = RecordingKeyframe.objects.filter(run_id=run_id)
    size = chunks.aggregate(size=Sum("size_bytes"))["size"] or 0
    size += keyframes.aggregate(size=Sum(Length("data")))["size"] or 0
    with recordings.reading(origin_id) as reader:
        counts = reader.state_at(keyframe.seq).counts
    last = chunks.order_by("-index").values_list("last_at_us", flat=True).first()
    RunHead.objects.filter(run_id=run_id).update(
        seq=keyframe.seq,
        cycle=keyframe.cycle,
        at_us=last or 0,
        steps_done=counts.scheduled,
        scheduled=counts.scheduled,
        unschedulable=counts.unschedulable,
        errors=counts.error,
        skipped=counts.skipped,
        bound=counts.bound,
        preemptions=counts.preemptions,
        victims=counts.victims,
        size_bytes=size + n_rows * ROW_BYTES,
        **_left_tape(origin_id, keyframe.cycle),
    )


def _left_tape(origin_id: int, cycle: int) -> dict[str, Any]:
    """What the origin's head says of leaving its tape by this cycle."""
    left = RunHead.objects.filter(run_id=origin_id, left_tape_cycle__gt=0, left_tape_cycle__lte=cycle)
    row = left.values_list("left_tape_cycle", "left_tape_reason").first()
    return {} if row is None else {"left_tape_cycle": row[0], "left_tape_reason": row[1]}
