"""Everything that two runs, or one run at two cursors, differ in."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from scheduler_core.compare.divergence import Divergence, RecordedSide, first_divergence
from scheduler_core.compare.figures import FigureGroup, figure_groups
from scheduler_core.compare.input_differences import InputDifference, input_differences
from scheduler_core.compare.pods import PodDifference, PodsApart, SideTotals, pod_differences, pods_apart
from scheduler_core.compare.resources import ResourceDifference, resource_differences
from scheduler_core.compare.side_reading import SideEnd, SideReading
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.doubt import AnswerDoubt
from scheduler_core.explain.doubts.answer import doubts_of_run
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
        return RecordedSide.of(self.inputs, self.reader, self.until)


class RunComparison(msgspec.Struct, frozen=True):
    """The comparison of A and B: ``seqs`` are their ends; ``n_pods`` how many pods either side has; ``doubts`` what may
    falsify what either of them says; ``apart`` counts pods that only one side bound or placed; ``figures``
    are both in figures."""

    seqs: tuple[int, int]
    n_pods: int
    totals: tuple[SideTotals, SideTotals]
    inputs: tuple[InputDifference, ...]
    divergence: Divergence | None
    pods: tuple[PodDifference, ...]
    resources: tuple[ResourceDifference, ...]
    doubts: tuple[AnswerDoubt, ...] = ()
    apart: PodsApart = PodsApart()
    figures: tuple[FigureGroup, ...] = ()

    def swapped(self) -> RunComparison:
        """The comparison of B and A, but for the order of the pods."""
        totals, resources = self.totals[::-1], tuple(one.swapped() for one in self.resources)
        apart = self.apart.swapped()
        return RunComparison(
            self.seqs[::-1],
            self.n_pods,
            totals,
            tuple(one.swapped() for one in self.inputs),
            self.divergence.swapped() if self.divergence is not None else None,
            tuple(one.swapped() for one in self.pods),
            resources,
            self.doubts,
            apart,
            figure_groups(totals, resources, apart),
        )


def comparison(a: RunToCompare, b: RunToCompare) -> RunComparison:
    """Compare; nothing depends on which of the two is A. Raises RecordingError for cursors that are not there."""
    sides = a.side(), b.side()
    differences = input_differences(a.inputs, b.inputs, (a.version, b.version))
    divergence = first_divergence(*sides, differences)
    ends = _read(sides[0]), _read(sides[1])
    doubts = doubts_of_both((a.inputs, b.inputs), (ends[0].totals, ends[1].totals))
    return build_comparison((sides[0].end, sides[1].end), differences, divergence, ends, doubts)


def build_comparison(
    seqs: tuple[int, int],
    differences: Iterable[InputDifference],
    divergence: Divergence | None,
    ends: tuple[SideEnd, SideEnd],
    doubts: tuple[AnswerDoubt, ...],
) -> RunComparison:
    """What was found of two sides, put together."""
    a, b = ends
    totals, resources = (a.totals, b.totals), tuple(resource_differences(a.use, b.use))
    apart = pods_apart(a.ends, b.ends)
    return RunComparison(
        seqs=seqs,
        n_pods=len(a.ends.keys() | b.ends.keys()),
        totals=totals,
        inputs=tuple(differences),
        divergence=divergence,
        pods=tuple(pod_differences(a.ends, b.ends)),
        resources=resources,
        doubts=doubts,
        apart=apart,
        figures=figure_groups(totals, resources, apart),
    )


def doubts_of_both(
    inputs: tuple[RunInputs, RunInputs], totals: tuple[SideTotals, SideTotals]
) -> tuple[AnswerDoubt, ...]:
    """What may falsify what either run says at its end, those of A first, each once."""
    sides = (doubts_of_run(one, waits=bool(side.unplaced)) for one, side in zip(inputs, totals, strict=True))
    return tuple(dict.fromkeys(doubt for doubts in sides for doubt in doubts))


def _read(side: RecordedSide) -> SideEnd:
    end = SideReading(side).go_on(side.reader)
    assert end is not None  # nothing stops it
    return end
