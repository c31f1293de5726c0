"""The attempts of two runs beside each other: where they differ, and the way from one difference to the next.

All pairs are kept by both runs and moments: an answer has a strip of at most CELLS cells of each side and the pairs
around one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import msgspec

from dashboard.runs.models import Cycle, Preemption, Victim
from scheduler_core.compare import Attempt, AttemptPair, aligned
from scheduler_core.compare.attempts import KINDS, SAME

if TYPE_CHECKING:
    from dashboard.answers.answering.source import Source
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import AttemptsAligned, RunsCompared

CELLS = 400
LINKS = 120


class AlignedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """`strips` have for each side an index into KINDS per cell, "2" for a cell of cycles that ended otherwise at most;
    a cell stands for `per_cell` cycles. `links` are shares (0 to 1) of both strips that belong to one pair.

    `at` is the pair that was asked for, None where there is none; the others are those around it. `difference` says
    which difference it is, 1 the first, 0 where it is none.
    """

    n_attempts: tuple[int, int]
    kinds: dict[str, int]
    strips: tuple[str, str]
    per_cell: float
    links: tuple[tuple[float, float], ...]
    at: AttemptPair | None
    before: AttemptPair | None
    after: AttemptPair | None
    difference_before: AttemptPair | None
    difference_after: AttemptPair | None
    first: AttemptPair | None
    difference: int
    n_differences: int


class Alignment:
    """All pairs with what finds one among them; `first_by_pod` is the first difference by (pod, uid)."""

    def __init__(self, a: list[Attempt], b: list[Attempt]) -> None:
        self.pairs = pairs = aligned(a, b)
        self.differences = [index for index, one in enumerate(pairs) if one.kind != SAME]
        self.by_a = {one.a: index for index, one in enumerate(pairs) if one.a}
        self.by_b = {one.b: index for index, one in enumerate(pairs) if one.b}
        pods = [{one.cycle: (one.pod, one.uid) for one in side} for side in (a, b)]
        self.first_by_pod: dict[tuple[str, str], AttemptPair] = {}
        for index in self.differences:
            pair = pairs[index]
            self.first_by_pod.setdefault(pods[0][pair.a] if pair.a else pods[1][pair.b], pair)

    def find_index(self, a_cycle: int, b_cycle: int) -> int | None:
        """Return the index of the pair; with no cycle named, of the first difference. None if there is none."""
        if a_cycle:
            return self.by_a.get(a_cycle)
        if b_cycle:
            return self.by_b.get(b_cycle)
        if self.differences:
            return self.differences[0]
        return 0 if self.pairs else None

    def pair(self, index: int) -> AttemptPair | None:
        """Return the pair of a place, None outside."""
        return self.pairs[index] if 0 <= index < len(self.pairs) else None

    def difference(self, number: int) -> AttemptPair | None:
        """Return the difference of a number from 0, None outside."""
        return self.pairs[self.differences[number]] if 0 <= number < len(self.differences) else None


def aligned_attempts(source: Source, question: AttemptsAligned, limit: TimeLimit) -> AlignedAnswer:
    """Align the attempts that had ended at both moments; raises NotFound where the other run is gone.

    It is one read of each run's cycles, so that the limit is not asked.
    """
    alignment = align_attempts(source, source.beside(question.other), question)
    n_attempts = len(alignment.by_a), len(alignment.by_b)
    index = alignment.find_index(question.a_cycle, question.b_cycle)
    place = -1 if index is None else index
    behind = bisect_right(alignment.differences, place)
    before = bisect_left(alignment.differences, place) if index is not None else 0
    counts = Counter(one.kind for one in alignment.pairs)
    n_cells = max(1, min(CELLS, max(n_attempts)))
    return AlignedAnswer(
        n_attempts=n_attempts,
        kinds={kind: counts[kind] for kind in KINDS if counts[kind]},
        strips=(_strip(alignment, n_cells, "a"), _strip(alignment, n_cells, "b")),
        per_cell=max(n_attempts) / n_cells,
        links=_links(alignment),
        at=_asked(alignment, question, index),
        before=alignment.pair(place - 1) if index is not None else None,
        after=alignment.pair(place + 1),
        difference_before=alignment.difference(before - 1),
        difference_after=alignment.difference(behind),
        first=alignment.difference(0),
        difference=behind if behind > before else 0,
        n_differences=len(alignment.differences),
    )


def align_attempts(source: Source, other: Source, question: RunsCompared) -> Alignment:
    """Return all pairs of the two, kept by both runs and moments."""
    key = (*source.key, "aligned", other.key, question.a_seq, question.b_seq)
    alignment: Alignment = source.sessions.get(
        key,
        source.n_objects,
        lambda: Alignment(_attempts(source, question.a_seq), _attempts(other, question.b_seq)),
    )
    return alignment


def _asked(alignment: Alignment, question: AttemptsAligned, index: int | None) -> AttemptPair | None:
    pair = None if index is None else alignment.pairs[index]
    if not (question.a_cycle and question.b_cycle) or (pair is not None and pair.b == question.b_cycle):
        return pair
    is_there = index is not None and question.b_cycle in alignment.by_b
    return AttemptPair(question.a_cycle, question.b_cycle, "") if is_there else None


def _attempts(source: Source, seq: int) -> list[Attempt]:
    """The attempts of a run that had ended after its first `seq` events."""
    run = source.run.pk
    preemptions = Preemption.objects.filter(run_id=run, seq__lt=seq).exclude(node="")
    nominated = dict(preemptions.values_list("cycle", "node"))
    victims: dict[int, set[str]] = defaultdict(set)
    rows = Victim.objects.filter(run_id=run, seq__lt=seq, reprieved=False)
    for cycle, pod, uid in rows.values_list("cycle", "pod", "pod_uid"):
        victims[cycle].add(f"{pod} {uid or ''}")
    columns = ("number", "pod", "pod_uid", "attempt", "outcome", "node")
    cycles = Cycle.objects.filter(run_id=run, last_seq__lt=seq).order_by("number").values_list(*columns)
    return [
        Attempt(
            *(number, pod, uid or "", attempt, outcome, node),
            nominated.get(number, ""),
            frozenset(victims.get(number, ())),
        )
        for number, pod, uid, attempt, outcome, node in cycles
    ]


def _strip(alignment: Alignment, n_cells: int, side: str) -> str:
    """One side's cells, each with the kind of the most weight among its attempts."""
    places = alignment.by_a if side == "a" else alignment.by_b
    longest = max(len(alignment.by_a), len(alignment.by_b))
    cells: list[int] = []
    for place, cycle in enumerate(sorted(places)):
        cell = place * n_cells // longest
        weight = KINDS.index(alignment.pairs[places[cycle]].kind)
        if cell < len(cells):
            cells[cell] = max(cells[cell], weight)
        else:
            cells.append(weight)
    return "".join(map(str, cells))


def _links(alignment: Alignment) -> tuple[tuple[float, float], ...]:
    """Where both attempts of a pair stand in their strips: of many pairs a limited number, at equal distances."""
    longest = max(len(alignment.by_a), len(alignment.by_b), 1)
    ranks = [{cycle: rank for rank, cycle in enumerate(sorted(side))} for side in (alignment.by_a, alignment.by_b)]
    both = [one for one in alignment.pairs if one.a and one.b]
    step = max(1, -(-len(both) // LINKS))
    places = ((ranks[0][one.a] + 0.5, ranks[1][one.b] + 0.5) for one in both[::step])
    return tuple((round(a / longest, 5), round(b / longest, 5)) for a, b in places)
