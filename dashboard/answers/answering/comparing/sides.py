"""Two runs, or one at two moments, against each other.

What takes long is to read all events of a side; that is kept by run and moment, so that the other way round, another
page of pods or a comparison with a third run read nothing again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from dashboard.answers.answering.comparing.attempts import align_attempts
from dashboard.common.problems import Problem
from scheduler_core.compare import (
    AttemptPair,
    Divergence,
    FigureGroup,
    InputDifference,
    PodDifference,
    RecordedSide,
    SideEnd,
    SideReading,
    SideTotals,
    build_comparison,
    decided_by,
    doubts_of_both,
    figure_groups,
    first_divergence,
    input_differences,
    listed_pods,
    pod_differences,
    pods_apart,
    resource_differences,
)
from scheduler_core.compare.pods import GROUPS, MOVED, SAME
from scheduler_core.compare.report import as_csv, as_markdown
from scheduler_core.explain.doubt import AnswerDoubt
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.answers.answering.source import Source
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import (
        ComparisonReport,
        ComparisonTurn,
        DivergenceOf,
        FiguresCompared,
        PodsCompared,
        RunsCompared,
    )
    from scheduler_core.compare.pods import PodEnd, PodKey
    from scheduler_core.recording.reader import RecordingReader


class DivergenceAnswer(msgspec.Struct, frozen=True):
    """Where the two part, None where all their events are the same, and the inputs that differ."""

    divergence: Divergence | None
    inputs: tuple[InputDifference, ...]


class TurnAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """How many of both sides' events are read; there is nothing else in it before that is all."""

    reached: int
    total: int

    @property
    def is_complete(self) -> bool:
        """Whether all events are read."""
        return self.reached >= self.total


class FiguresAnswer(TurnAnswer, frozen=True, kw_only=True):
    """Both sides in figures: `groups` counts the pods that differ by their group, in the order of GROUPS; `doubts` are
    what may falsify the figures of either."""

    n_pods: int = 0
    groups: dict[str, int] = {}
    totals: tuple[SideTotals, SideTotals] | None = None
    figures: tuple[FigureGroup, ...] = ()
    doubts: tuple[AnswerDoubt, ...] = ()


class PodsAnswer(TurnAnswer, frozen=True, kw_only=True):
    """The pods that were asked for, out of `n_matching`, each with its first attempt that differs (None: none does).

    `decided` says of each pod that is on another node which plugin moved it (`decided_by`), "" for all others and where
    the frames do not say it. It is empty where that was not asked; `n_undecided` pods are still to be looked at.
    """

    pods: tuple[PodDifference, ...] = ()
    firsts: tuple[AttemptPair | None, ...] = ()
    decided: tuple[str, ...] = ()
    n_undecided: int = 0
    n_matching: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether all events are read and all pods looked at."""
        return self.reached >= self.total and not self.n_undecided


class ReportAnswer(TurnAnswer, frozen=True, kw_only=True):
    """The file's text."""

    text: str = ""


def find_divergence(source: Source, question: DivergenceOf, limit: TimeLimit) -> DivergenceAnswer:
    """Find the first difference; raises InputError, RecordingError, NotFound where the other run is gone.

    Chunks that are the same are skipped by their hashes, so that the limit is not asked.
    """
    other = source.beside(question.other)
    return DivergenceAnswer(*_divergence(source, other, question))


def compare_figures(source: Source, question: FiguresCompared, limit: TimeLimit) -> FiguresAnswer:
    """Sum both sides up, or say how far they are read; raises as `find_divergence`."""
    other = source.beside(question.other)
    reached, total, ends = _read(source, other, question, limit)
    if ends is None:
        return FiguresAnswer(reached=reached, total=total)
    a, b = ends
    differences = _listed(source, other, question, ends, pod_differences)
    counts = dict.fromkeys(GROUPS, 0)
    for one in differences:
        counts[one.group] += 1
    return FiguresAnswer(
        reached=reached,
        total=total,
        n_pods=len(a.ends.keys() | b.ends.keys()),
        groups={group: n for group, n in counts.items() if n},
        totals=(a.totals, b.totals),
        figures=figure_groups((a.totals, b.totals), resource_differences(a.use, b.use), pods_apart(a.ends, b.ends)),
        doubts=doubts_of_both((source.inputs, other.inputs), (a.totals, b.totals)),
    )


def compare_pods(source: Source, question: PodsCompared, limit: TimeLimit) -> PodsAnswer:
    """List pods, or say how far both sides are read; raises as `find_divergence`, and Problem for an unknown group."""
    if question.group not in ("", SAME, *GROUPS):
        raise Problem(f'There is no group "{question.group[:40]}" of pods')
    other = source.beside(question.other)
    reached, total, ends = _read(source, other, question, limit)
    if ends is None:
        return PodsAnswer(reached=reached, total=total)
    pods = _listed(source, other, question, ends, listed_pods if question.every else pod_differences)
    matching = [one for one in pods if question.group in ("", one.group) and _has(one, question.text)]
    shown = matching[question.start : question.start + question.size]
    decided = _decided(source, other, question, shown, limit) if question.decides else {}
    firsts = align_attempts(source, other, question).first_by_pod
    return PodsAnswer(
        reached=reached,
        total=total,
        pods=tuple(shown),
        firsts=tuple(firsts.get((one.pod, one.uid)) for one in shown),
        decided=tuple(decided.get(one, "") for one in shown) if question.decides else (),
        n_undecided=sum(one.group == MOVED and one not in decided for one in shown) if question.decides else 0,
        n_matching=len(matching),
    )


def _decided(
    source: Source, other: Source, question: PodsCompared, pods: list[PodDifference], limit: TimeLimit
) -> dict[PodDifference, str]:
    """Return which plugin moved each pod that was looked at, those of earlier questions too; at least one more."""
    key = (*source.key, "decided", other.key, question.a_seq, question.b_seq)
    decided: dict[PodDifference, str] = source.sessions.get(key, source.n_objects, dict)
    is_over = limit.within(question.seconds)

    def look(a: RecordingReader, b: RecordingReader) -> None:
        for one in pods:
            if one.group == MOVED and one not in decided:
                decided[one] = decided_by(a, b, one)
                if is_over():
                    return

    source.read(lambda a: other.read(lambda b: look(a, b)))
    return decided


def _has(one: PodDifference, text: str) -> bool:
    """Whether the text is in the pod's name or uid, or in one of its nodes; capitals do not matter."""
    if not text:
        return True
    texts = [one.pod, one.uid, *(end.node for end in (one.a, one.b) if end is not None)]
    return any(text.lower() in name.lower() for name in texts)


def write_report(source: Source, question: ComparisonReport, limit: TimeLimit) -> ReportAnswer:
    """Write the file, or say how far both sides are read; raises as `find_divergence`."""
    other = source.beside(question.other)
    reached, total, ends = _read(source, other, question, limit)
    if ends is None:
        return ReportAnswer(reached=reached, total=total)
    divergence, inputs = _divergence(source, other, question)
    doubts = doubts_of_both((source.inputs, other.inputs), (ends[0].totals, ends[1].totals))
    whole = build_comparison((question.a_seq, question.b_seq), inputs, divergence, ends, doubts)
    lines = as_csv(whole) if question.form == "csv" else as_markdown(whole)
    return ReportAnswer(reached=reached, total=total, text="".join(f"{line}\n" for line in lines))


# ---------------------------------------------------------------- what several answers need


def _divergence(
    source: Source, other: Source, question: RunsCompared
) -> tuple[Divergence | None, tuple[InputDifference, ...]]:
    mine, theirs = source.inputs, other.inputs
    differences = input_differences(mine, theirs, (source.run.engine_version, other.run.engine_version))

    def parting(a: RecordingReader, b: RecordingReader) -> Divergence | None:
        sides = RecordedSide.of(mine, a, question.a_seq), RecordedSide.of(theirs, b, question.b_seq)
        return first_divergence(*sides, differences)

    divergence = source.read(lambda a: other.read(lambda b: parting(a, b)))
    return divergence, tuple(differences)


def _read(
    source: Source, other: Source, question: ComparisonTurn, limit: TimeLimit
) -> tuple[int, int, tuple[SideEnd, SideEnd] | None]:
    """Return how many events are read, of how many, and what both sides came to once that is all."""
    is_over = limit.within(question.seconds)
    mine, reached_a = _read_ending(source, question.a_seq, is_over)
    theirs, reached_b = (None, 0) if mine is None else _read_ending(other, question.b_seq, is_over)
    ends = None if mine is None or theirs is None else (mine, theirs)
    return reached_a + reached_b, question.a_seq + question.b_seq, ends


def _read_ending(source: Source, seq: int, is_over: Callable[[], bool]) -> tuple[SideEnd | None, int]:
    """Return what the run's first events came to, None where they are not all read, and how many are."""
    inputs, key = source.inputs, (*source.key, "compared", seq)

    def read_on(reader: RecordingReader) -> tuple[SideEnd | None, int]:
        reading: SideReading = source.sessions.get(
            key, source.n_objects, lambda: SideReading(RecordedSide.of(inputs, reader, seq))
        )
        try:
            return reading.go_on(reader, is_over), reading.reached
        except RecordingError:
            # It may have stopped in the middle of a chunk, and the question may be asked once more.
            source.sessions.forget(key)
            raise

    return source.read(read_on)


def _listed(
    source: Source,
    other: Source,
    question: RunsCompared,
    ends: tuple[SideEnd, SideEnd],
    listing: Callable[[dict[PodKey, PodEnd], dict[PodKey, PodEnd]], list[PodDifference]],
) -> list[PodDifference]:
    """Return the pods as a function of the core lists them; kept for the next page."""
    key = (*source.key, listing.__name__, other.key, question.a_seq, question.b_seq)
    return source.sessions.get(key, source.n_objects, lambda: listing(ends[0].ends, ends[1].ends))
