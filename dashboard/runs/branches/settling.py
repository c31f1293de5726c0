"""Prepares a new branch for execution: computes its exact place and copies its origin's recording before that."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import msgspec
from django.db import transaction
from django.db.models.functions import Now

from dashboard.runs.branches import copying
from dashboard.runs.extenders.source import open_source
from dashboard.runs.inputs import InputError, load_inputs
from dashboard.runs.lifecycle.leases import LostLease
from dashboard.runs.models import Run, RunBranch, RunHead, State
from dashboard.runs.storage import recordings
from scheduler_core.recording.errors import RecordingError
from scheduler_core.simulate import ENGINE_VERSION, BranchError, ProfileError, RunSession

if TYPE_CHECKING:
    from collections.abc import Callable

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
        if origin is not None and copying.take_over(origin.pk, run.pk, point.seq):
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
