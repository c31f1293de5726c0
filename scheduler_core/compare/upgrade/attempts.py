"""The attempts of a recording, and each pod's first one that ends otherwise in another recording."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from scheduler_core.compare.attempts import Attempt, AttemptPair, aligned
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import RecordingReader


class FirstDifference(NamedTuple):
    """A pair of attempts of one pod, None for a side that has no such attempt."""

    pair: AttemptPair
    a: Attempt | None
    b: Attempt | None

    @property
    def either(self) -> Attempt:
        """The attempt of A, or of B where A has none."""
        some = self.b if self.a is None else self.a
        assert some is not None
        return some


def attempts_of(reader: RecordingReader) -> list[Attempt]:
    """All attempts in the order of their cycles; of a pod that failed at binding its cycle's end counts."""
    attempts = []
    started: ev.CycleStarted | None = None
    preempted: ev.PreemptionDecided | None = None
    kinds = (ev.CycleStarted, ev.PreemptionDecided, ev.CycleFinished)
    for _, event in reader.select_events(0, reader.head_seq(), *kinds):
        if isinstance(event, ev.CycleStarted):
            started, preempted = event, None
        elif isinstance(event, ev.PreemptionDecided):
            preempted = event
        elif started is not None and isinstance(event, ev.CycleFinished):
            attempts.append(_attempt(started, preempted, event))
            started = None
    return attempts


def messages_of(reader: RecordingReader) -> Iterator[str]:
    """The messages of failed attempts, in order."""
    for _, event in reader.select_events(0, reader.head_seq(), ev.CycleFinished):
        if event.message:
            yield event.message


def first_differences(a: list[Attempt], b: list[Attempt]) -> list[FirstDifference]:
    """Each pod's first pair that differs, in the order of A's cycles."""
    by_cycle = {one.cycle: one for one in a}, {one.cycle: one for one in b}
    seen: set[tuple[str, str]] = set()
    differences = []
    for pair in aligned(a, b):
        if pair.is_difference:
            one = FirstDifference(pair, by_cycle[0].get(pair.a), by_cycle[1].get(pair.b))
            name = one.either.pod, one.either.uid
            if name not in seen:
                seen.add(name)
                differences.append(one)
    return differences


def _attempt(started: ev.CycleStarted, preempted: ev.PreemptionDecided | None, end: ev.CycleFinished) -> Attempt:
    chosen = None if preempted is None else preempted.nominated
    return Attempt(
        started.cycle,
        started.pod,
        started.uid,
        started.attempt,
        end.outcome,
        end.node,
        "" if chosen is None else chosen.node,
        frozenset(() if chosen is None else chosen.victims),
    )
