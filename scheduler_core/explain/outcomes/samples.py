"""Samples of a run over virtual time: as many as fit, evenly thinned, so that memory does not grow with the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

LIMIT = 8192
"""At most this many samples are kept; then every second one goes, and from there every second one is taken."""


class Sample(NamedTuple):
    """The state after the first ``seq`` events, at virtual time ``at``: amounts per resource, pods per lane."""

    at: int
    seq: int
    requested: dict[str, int]
    allocatable: dict[str, int]
    lanes: dict[str, int]


class Samples:
    """Takes the last state of each moment of virtual time."""

    def __init__(self, limit: int = LIMIT) -> None:
        self.taken: list[Sample] = []
        self._limit = limit
        self._stride = 1
        self._since = 0

    def take(self, sample: Sample) -> None:
        """Take a sample, in place of the last one where that is of the same moment or too near."""
        taken = self.taken
        if taken and (taken[-1].at == sample.at or self._is_near(sample)):
            self._since += taken[-1].at != sample.at
            taken[-1] = sample
            return
        self._since = 1
        taken.append(sample)
        if len(taken) > self._limit:
            self.taken = [one for i, one in enumerate(taken) if i % 2 == 0 or _beside_silence(taken, i)]
            self._stride *= 2

    def _is_near(self, sample: Sample) -> bool:
        """Whether the sample may replace the last one: what lies beside a silence stays, to be drawn where it was."""
        taken = self.taken
        return (
            self._since < self._stride
            and len(taken) > 1
            and not (is_silence(taken[-1].at, sample.at) or is_silence(taken[-2].at, taken[-1].at))
        )


SILENCE = 5_000_000
"""Longer stretches of virtual time (microseconds) without any event are folded in charts."""


def is_silence(before: int, after: int) -> bool:
    """Whether nothing happened for long between two samples that follow each other."""
    return after - before > SILENCE


def _beside_silence(taken: list[Sample], i: int) -> bool:
    before = i > 0 and is_silence(taken[i - 1].at, taken[i].at)
    return before or i + 1 == len(taken) or is_silence(taken[i].at, taken[i + 1].at)


def thinned(taken: list[Sample], most: int) -> list[Sample]:
    """About ``n`` of the samples: the first, the last, those beside silences, and the rest evenly."""
    if len(taken) <= most:
        return list(taken)
    step = len(taken) / most
    chosen = {round(n * step) for n in range(most)} | {0, len(taken) - 1}
    edges = [i for i in range(len(taken)) if _beside_silence(taken, i)]
    if len(edges) <= most:
        chosen.update(edges)
    return [taken[i] for i in sorted(chosen) if i < len(taken)]


def column(samples: list[Sample], name: str, of: str) -> list[int]:
    """One value per sample of the field ``of``, 0 where a sample does not have it."""
    amounts: list[Mapping[str, int]] = [getattr(sample, of) for sample in samples]
    return [one.get(name, 0) for one in amounts]
