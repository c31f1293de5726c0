"""What must be true whatever happens: looked at after each commit, and at the end.

Idea: a connection of its own reads the heads of all runs after every commit of anybody, and compares them with what it
saw before.

Invariants: a head only grows, and only its owner moves it; a lease passes from one process to another only where it is
out or its owner is gone, and is renewed with each chunk; after a cancel at most the chunk under way is committed; every
run ends as one that nobody disturbed, with the same hash, counts and hits; one form makes one thing; a task writes its
result once; a page hears of each change.
Cost: one small query for each commit.

    witness = Witness(scheduler, database, modules)
    database.on_commit = witness.look
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from tests.faults.simulation.modules import LOADING

if TYPE_CHECKING:
    from tests.faults.simulation.database import Database
    from tests.faults.simulation.modules import Modules
    from tests.faults.simulation.scheduling import Process, Scheduler, Thread

HEADS = """
SELECT run.id, run.state, head.seq, head.lease_epoch, head.lease_owner, head.lease_until, head.recoveries
FROM runs_run AS run JOIN runs_runhead AS head ON head.run_id = run.id
"""
# Clocks of a lease are read in steps of a millisecond, a statement before the commit.
TOLERANCE = 1.0


class Head(NamedTuple):
    """A run's state and head as committed."""

    run: int
    state: str
    seq: int
    epoch: int
    owner: str
    until: str | None
    recoveries: int


class Witness:
    """What was seen: the heads, what each owner committed when, and what is wrong (`wrong`, sentences)."""

    def __init__(self, scheduler: Scheduler, database: Database, modules: Modules) -> None:
        self._scheduler, self._database, self._modules = scheduler, database, modules
        self.wrong: list[str] = []
        self.heads: dict[int, Head] = {}
        # {run: commits of chunks since it was to be cancelled}.
        self._since_cancel: dict[int, int] = {}
        # {run: when its owner wrote the lease last, by the steady clock}.
        self._renewed: dict[int, float] = {}
        self.jumped_at = -1e9

    def say(self, sentence: str) -> None:
        """Note what is wrong."""
        self._scheduler.note(f"WRONG: {sentence}")
        self.wrong.append(f"at {self._scheduler.now:,.3f} s: {sentence}")

    def look(self, thread: Thread) -> None:
        """Compare the heads with those before; `thread` has just committed."""
        for row in self._database.rows(HEADS):
            head = Head(*row)
            before = self.heads.get(head.run)
            if before is not None and head != before:
                self._compare(before, head, thread.process)
            self.heads[head.run] = head

    def stopped(self, process: Process) -> None:
        """A worker has stopped by itself; what the database refused twice it cannot have handed back."""
        if self._scheduler.current is not None and self._scheduler.current.failures > 1:
            return
        for head in self.heads.values():
            if head.owner == owner_name(process):
                self.say(f"{process.name} stopped and kept the lease of run {head.run}")

    # ---------------------------------------------------------------- one run

    def _compare(self, before: Head, head: Head, process: Process) -> None:
        if head.seq < before.seq or head.epoch < before.epoch:
            self.say(f"the head of run {head.run} went back from {before.seq} to {head.seq}, epoch {head.epoch}")
        if head.seq > before.seq:
            self._moved(before, head, process)
        if head.owner != before.owner and before.owner not in ("", owner_name(process)):
            self._taken(before, process)
        if before.state == head.state == "queued" and head.owner:
            self.say(f"run {head.run} has an owner while it waits")
        if head.state == "running" and not head.owner:
            self.say(f"run {head.run} is running without an owner")
        if head.owner == owner_name(process) and head.until != before.until:
            self._renewed[head.run] = self._scheduler.now
        if head.state == "cancelling" and before.state != "cancelling":
            self._since_cancel[head.run] = 0

    def _moved(self, before: Head, head: Head, process: Process) -> None:
        if before.owner != owner_name(process):
            self.say(f"{process.name} moved the head of run {head.run}, whose owner is {before.owner or 'nobody'}")
        if head.owner and head.until == before.until:
            self.say(f"{process.name} committed a chunk of run {head.run} and did not renew its lease")
        if head.run in self._since_cancel:
            self._since_cancel[head.run] += 1
            if self._since_cancel[head.run] > 1:
                self.say(f"run {head.run} went on to event {head.seq} after it was cancelled")

    def _taken(self, before: Head, process: Process) -> None:
        """Another process has ended the lease: its owner is gone, or silent for as long as the lease lasts."""
        owner = next((one for one in self._modules.processes.values() if owner_name(one) == before.owner), None)
        if owner is None or owner.is_dead:
            return
        if before.state == "deleting" or self._clock_jumped():
            return
        if self._left(before) > TOLERANCE:
            silent = self._scheduler.now - self._renewed.get(before.run, 0.0)
            self.say(
                f"{process.name} took run {before.run} from {owner.name}, which lives and wrote {silent:.1f} s ago"
            )

    def _left(self, head: Head) -> float:
        """Seconds until the lease is out, by the database's clock."""
        if head.until is None:
            return 0.0
        until = datetime.fromisoformat(head.until).replace(tzinfo=UTC)
        return until.timestamp() - self._database.now

    def _clock_jumped(self) -> bool:
        """Whether a lease of now may have been given by a clock that was set since."""
        return self._scheduler.now - self.jumped_at < LOADING.total_seconds()


def owner_name(process: Process) -> str:
    """What the product calls this process as the owner of a lease."""
    return f"{process.host}/0/{process.pid}/1"
