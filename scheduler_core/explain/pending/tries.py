"""What is known of pods that admission keeps refusing in a run, beside the cause: how often their controller tried,
when it tries again, and what the quotas of their namespace hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from scheduler_core.admission.amounts import text as amount_text
from scheduler_core.api.objects import Pod
from scheduler_core.engine.simulation import Simulation
from scheduler_core.recording import events as ev
from scheduler_core.recording.times import clock, span


class QuotaAmount(msgspec.Struct, frozen=True, kw_only=True):
    """A resource of a quota as of the run's end, in canonical integers: ``used`` of ``hard``, and what one more of the
    refused pods counts for (``asked``: 0 where this quota is not for it, or it is refused before quotas are asked)."""

    quota: str
    resource: str
    used: int
    hard: int
    asked: int = 0

    @property
    def is_short(self) -> bool:
        """Whether one more pod is too much."""
        return self.asked > self.hard - self.used

    @property
    def text(self) -> str:
        """The amounts in a line."""
        asked, used, hard = self.texts
        more = f"; each of these pods counts for {asked}" if asked else ""
        return f"quota {self.quota}: {self.resource} {used} of {hard}{more}{': too little' if self.is_short else ''}"

    @property
    def texts(self) -> tuple[str, str, str]:
        """What a pod asks for, what is used and the hard amount, as the API server writes them."""
        return (
            amount_text(self.resource, self.asked) if self.asked else "",
            amount_text(self.resource, self.used),
            amount_text(self.resource, self.hard),
        )


class Tries(msgspec.Struct, frozen=True, kw_only=True):
    """The tries to make pods that are refused. Times are virtual microseconds.

    ``maker`` asks for them ("ReplicaSet team/web-1"; "" for a pod that an input brings, which nobody tries again). Of
    ``desired`` pods of the owner ``unmade`` were never made. ``refused`` times since ``since``, in a row; the last
    one is event ``seq`` - 1, ``at``; ``next_at`` is when the controller tries again, -1 where it does not.
    """

    maker: str
    by: str
    message: str
    desired: int
    unmade: int
    refused: int
    since: int
    seq: int
    at: int
    next_at: int = -1
    quotas: tuple[QuotaAmount, ...] = ()

    @property
    def text(self) -> str:
        """The tries in a sentence or two."""
        times = (
            f"{self.refused:,} times since {clock(self.since)}" if self.refused > 1 else f"once, at {clock(self.at)}"
        )
        if not self.maker:
            return f"Refused {times}. No controller owns the pod, so nobody tries again."
        if self.next_at < 0:
            return f"{self.maker} was refused {times}. No further try is due."
        return (
            f"{self.maker} was refused {times}. Its next try is at {clock(self.next_at)}, "
            f"{span(self.next_at - self.at)} after the last one; a change of what refuses does not bring it forward."
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """The tries and the quotas, as lines of text."""
        return (f"TRIES: {self.text}", *(one.text for one in self.quotas))


def tries_of(
    simulation: Simulation, refusals: Sequence[tuple[int, ev.CreationRefused]], missing: ev.Missing, pod: Pod | None
) -> Tries:
    """The tries of the pods that ``missing`` says are not made; ``refusals`` are theirs (seq and event, in order; at
    least one), ``pod`` is one of them. The simulation is as of the run's end."""
    seq, event = refusals[-1]
    kind, _, name = event.maker.partition(" ")
    key = f"{kind}/{name}"
    retry = simulation.aftermath.retries.of.get(key)
    row = refusals[-max(1, _in_a_row(simulation, key)) :]
    return Tries(
        maker=event.maker,
        by=event.by,
        message=event.message,
        desired=missing.desired,
        unmade=missing.unmade,
        refused=len(row),
        since=row[0][1].at,
        seq=seq + 1,
        at=event.at,
        next_at=-1 if retry is None else retry.at,
        quotas=tuple(_amounts(simulation, event.key.partition("/")[0], pod)),
    )


def _in_a_row(simulation: Simulation, key: str) -> int:
    """How often a workload was refused since its last success."""
    aftermath = simulation.aftermath
    played = aftermath.owners.retries.by_key.get(key) if aftermath.owners is not None else None
    other = aftermath.retries.of.get(key)
    return max(0 if played is None else played.failures, 0 if other is None else other.failures)


def _amounts(simulation: Simulation, namespace: str, pod: Pod | None) -> Iterable[QuotaAmount]:
    admission = simulation.aftermath.admission
    filled = None if pod is None else admission.filled(pod)
    for book in admission.ledger.of(namespace):
        asked = {} if filled is None else book.counted(filled) or {}
        for resource, hard in sorted(book.quota.hard.items()):
            yield QuotaAmount(
                quota=book.quota.key,
                resource=resource,
                used=book.used[resource],
                hard=hard,
                asked=asked.get(resource, 0),
            )
