"""Commits the events of a run's session chunk by chunk, and stops the run exactly at a breakpoint's hit.

Each chunk is checked before its commit. If it holds the hit that stops the run and events of later steps, the session
is thrown away: the run is restored at its newest keyframe and executed to the end of the hit's step, which gives the
same events. So nothing after that step is recorded, and the hash is that of an undisturbed run.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from django.db import transaction

from dashboard.common.processes import memory
from dashboard.runs import sessions
from dashboard.runs.breakpoints import stopping
from dashboard.runs.breakpoints.checking import HitFinder, read_attachments
from dashboard.runs.breakpoints.stopping import AttachmentsChanged
from dashboard.runs.extenders import leaving
from dashboard.runs.lifecycle import leases, wakeups
from dashboard.runs.models import Run
from dashboard.runs.storage import batches, metrics, rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.runs.breakpoints.checking import CheckedEvents, StopPoint
    from dashboard.runs.lifecycle.leases import Lease
    from dashboard.runs.sessions import Execution
    from scheduler_core.recording.chunks import Chunk
    from scheduler_core.simulate import RunSession

log = logging.getLogger(__name__)

# Pages fold events from the keyframe before (about 8 us each), and a keyframe holds every pod: the more it weighs, the
# more events may lie between two.
KEYFRAME_EVENTS = 4_000
KEYFRAME_BYTES_PER_EVENT = 64
# One like this, and all that a resumed run executes again as one chunk, may take longer than a lease on a busy machine.
LARGE_KEYFRAME_BYTES = 1 << 20
# A check that takes longer than this renews the lease now and then.
HEARTBEAT_SECONDS = 2.0


class Commits:
    """The commits of one segment of a run with the session `execution` (None: there is none yet).

    `has_breakpoints`: breakpoints were attached when the segment began.
    """

    def __init__(self, lease: Lease, run: Run, seconds: Callable[[], float]) -> None:
        self.lease = lease
        self.run = run
        self.seconds = seconds
        self.metrics = metrics.RunMetrics(run.pk)
        self.execution: Execution | None = None
        self.renewed = time.monotonic()
        self.has_breakpoints = False

    @property
    def current(self) -> Execution:
        """The session to go on with; a rewind replaces it."""
        if self.execution is None:
            raise RuntimeError(f"run {self.run.pk} has no session to commit")
        return self.execution

    def stop_in_recorded(self) -> bool:
        """Stop the run at a hit after its last stop within the same recorded step; return whether there was one."""
        head = self.run.head.seq
        attachments = read_attachments(self.run.pk)
        self.has_breakpoints = bool(attachments)
        if all(one.counted_to >= head for one in attachments):
            return False
        finder = HitFinder(self.run.pk)
        while True:
            checked = finder.check(attachments, head, self._alive)
            try:
                with transaction.atomic():
                    leases.renew(self.lease)
                    return self._counted(checked)
            except AttachmentsChanged:
                attachments = read_attachments(self.run.pk)

    def commit(self) -> bool:
        """Commit what was executed since the last commit; return whether a breakpoint stopped the run."""
        chunk = self._cut()
        if chunk is None:
            leases.renew(self.lease)
            return False
        ready = self._ready(chunk)
        while True:
            checked = self._checked(chunk, ready[1])
            if checked is not None and checked.stop is not None and self._is_beyond(checked.stop):
                chunk = self._rewind(checked.stop)
                ready = self._ready(chunk)
            try:
                is_stopped = self._write(ready, checked)
            except AttachmentsChanged:
                log.info("run %s: its breakpoints changed; its events are checked again", self.run.pk)
                continue
            wakeups.notify(self.run.pk)
            return is_stopped

    # ---------------------------------------------------------------- breakpoints

    def _checked(self, chunk: Chunk, new_rows: rows.NewRows) -> CheckedEvents | None:
        """Check the chunk for hits of attached breakpoints; return None if none are attached."""
        execution, attachments = self.current, read_attachments(self.run.pk)
        if not attachments:
            execution.finder = None
            return None
        if execution.finder is None:
            execution.finder = HitFinder(self.run.pk, chunk.index)
        if execution.finder.n_chunks == chunk.index:
            # After a resume the chunk begins before the head, and its first cycles have no rows here.
            execution.finder.add(chunk, None if execution.replaces else new_rows.summary)
        return execution.finder.check(attachments, chunk.end_seq, self._alive)

    def _is_beyond(self, stop: StopPoint) -> bool:
        """Return whether steps after that of the hit were executed."""
        return stop.hit.seq < self.current.session.last_step_seq

    def _rewind(self, stop: StopPoint) -> Chunk:
        """Execute again from the newest keyframe to the end of the hit's step; return the chunk to commit."""
        leases.extend(self.lease)
        # Release the session first: two at once would take twice the memory.
        inputs, committed = self.current.session.inputs, self.current.committed
        self.execution = None
        memory.give_back_if_grown()
        self.execution = sessions.resumed(self.run, inputs, committed)
        self.execution.session.advance_to(stop.hit.seq + 1)
        chunk = self._cut()
        if chunk is None or not chunk.first_seq <= stop.hit.seq < chunk.end_seq:
            raise RuntimeError(f"Executed again, the run does not come by event {stop.hit.seq}. Start the run again.")
        return chunk

    def _counted(self, checked: CheckedEvents) -> bool:
        """Write the counts of hits; return whether the run was stopped. Runs in a transaction that has
        locked the head.
        """
        stopping.write_counts(self.run.pk, checked)
        if checked.stop is None:
            return False
        stopping.stop_at_hit(self.lease, checked.stop, self.seconds())
        return True

    def _alive(self) -> None:
        if time.monotonic() - self.renewed > HEARTBEAT_SECONDS:
            self.renewed = time.monotonic()
            leases.extend(self.lease)

    # ---------------------------------------------------------------- writing

    def _cut(self) -> Chunk | None:
        execution, session = self.current, self.current.session
        with_keyframe = not session.finish_reason and self._keyframe_is_due()
        if execution.replaces or (with_keyframe and execution.keyframe_bytes > LARGE_KEYFRAME_BYTES):
            leases.extend(self.lease)
        return session.cut_chunk(keyframe=with_keyframe)

    def _keyframe_is_due(self) -> bool:
        execution = self.current
        events = execution.session.head_seq - execution.keyframe_seq
        return events >= max(KEYFRAME_EVENTS, execution.keyframe_bytes // KEYFRAME_BYTES_PER_EVENT)

    def _ready(self, chunk: Chunk) -> tuple[batches.CommitBatch, rows.NewRows]:
        """Return what one transaction writes for the chunk."""
        execution = self.current
        session = execution.session
        new_rows = rows.build(self.run.pk, execution.events, session.take_tracebacks())
        batch = batches.CommitBatch(
            old_seq=execution.committed,
            seq=session.head_seq,
            cycle=session.cycle,
            at_us=session.now_us,
            steps_done=session.steps_done,
            chunk=chunk,
            replaced_from=execution.start_chunk if execution.replaces else None,
            rows=new_rows.tables,
            counts=new_rows.counts,
        )
        if chunk.keyframe is not None:
            batch.keyframe = batches.StoredKeyframe(session.head_seq, session.cycle, chunk.index + 1, chunk.keyframe)
            execution.keyframe_seq, execution.keyframe_bytes = session.head_seq, len(chunk.keyframe)
        return batch, new_rows

    def _write(self, ready: tuple[batches.CommitBatch, rows.NewRows], checked: CheckedEvents | None) -> bool:
        """Write a chunk, its rows, counts and metrics; return whether the run was stopped. Raises
        AttachmentsChanged.
        """
        (batch, new_rows), execution = ready, self.current
        with transaction.atomic():
            batches.write(self.lease, batch)
            # First, since the caller tries again after AttachmentsChanged, and the metrics below would be added twice.
            is_stopped = checked is not None and self._counted(checked)
            if checked is None and read_attachments(self.run.pk):
                raise AttachmentsChanged
            self._count_steps(execution.session)
            leaving.note(self.run, execution.events)
            self.metrics.add(new_rows, execution.session.take_durations())
            self.metrics.write()
        execution.committed, execution.replaces = execution.session.head_seq, False
        execution.events.clear()
        return is_stopped

    def _count_steps(self, session: RunSession) -> None:
        """Update the number of steps to do, which grows with the pods that the run creates."""
        if session.n_steps != self.run.n_steps:
            self.run.n_steps = session.n_steps
            Run.everything.filter(pk=self.run.pk).update(n_steps=self.run.n_steps)
