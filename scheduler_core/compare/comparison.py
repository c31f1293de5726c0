"""Everything that two runs, or one run at two cursors, differ in."""

from __future__ import annotations

import msgspec

from scheduler_core.compare.divergence import Divergence, RecordedSide, first_divergence
from scheduler_core.compare.input_differences import InputDifference, input_differences
from scheduler_core.compare.pods import PodDifference, ends_of, pod_differences
from scheduler_core.compare.resources import ResourceDifference, resource_differences, use_of
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.outcomes import tally_of
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.reader import RecordingReader


class RunToCompare(msgspec.Struct, frozen=True):
    """A run to compare: ``until`` is the number of its events that count (None: all), ``version`` the engine's, ""
    where it is not known."""

    inputs: RunInputs
    reader: RecordingReader
    until: int | None = None
    version: str = ""

    def side(self) -> RecordedSide:
        """The recording up to its end. Raises RecordingError for a cursor outside of it."""
        head = self.reader.head_seq()
        if self.until is not None and not 0 <= self.until <= head:
            raise RecordingError(f"event {self.until} is outside of the recording, which has {head} events")
        return RecordedSide(self.inputs, self.reader, head if self.until is None else self.until)


class RunComparison(msgspec.Struct, frozen=True):
    """The comparison of A and B: ``seqs`` are their ends; ``n_pods`` how many pods either side has."""

    seqs: tuple[int, int]
    n_pods: int
    inputs: tuple[InputDifference, ...]
    divergence: Divergence | None
    pods: tuple[PodDifference, ...]
    resources: tuple[ResourceDifference, ...]

    def swapped(self) -> RunComparison:
        """The comparison of B and A, but for the order of the pods."""
        return RunComparison(
            self.seqs[::-1],
            self.n_pods,
            tuple(one.swapped() for one in self.inputs),
            self.divergence.swapped() if self.divergence is not None else None,
            tuple(one.swapped() for one in self.pods),
            tuple(one.swapped() for one in self.resources),
        )


def comparison(a: RunToCompare, b: RunToCompare) -> RunComparison:
    """Compare; nothing depends on which of the two is A. Raises RecordingError for cursors that are not there."""
    sides = a.side(), b.side()
    differences = input_differences(a.inputs, b.inputs, (a.version, b.version))
    tallies = [tally_of(side.inputs, side.reader, side.end) for side in sides]
    ends = [ends_of(tally) for tally in tallies]
    return RunComparison(
        seqs=(sides[0].end, sides[1].end),
        n_pods=len({**ends[0], **ends[1]}),
        inputs=tuple(differences),
        divergence=first_divergence(*sides, differences),
        pods=tuple(pod_differences(*ends)),
        resources=tuple(resource_differences(*map(use_of, tallies))),
    )
