"""What the dry runs of a preemption found: candidates, and why the other nodes are none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.contracts.status import Code, Status
from scheduler_core.framework.preemption.candidate_cache import victim_set
from scheduler_core.framework.preemption.decision import VictimSet, criteria_values, encode
from scheduler_core.framework.preemption.dry_run import Candidate

Rows = NDArray[np.int64]


class Examination(msgspec.Struct):
    """What was found on the nodes examined: candidates in order of their nodes' names, refusals by status.

    ``values`` int64[criteria, candidates] are what the criteria compare; ``encoded`` the candidates as bytes.
    """

    rows: Rows
    values: NDArray[np.int64]
    encoded: list[bytes]
    refusals: dict[Status, Rows]
    potential: int = 0
    offset: int = 0

    @property
    def errors(self) -> list[str]:
        """Messages of dry runs that failed."""
        return [status.message for status in self.refusals if status.code is Code.ERROR]


class CandidateCollector:
    """Collects answers until there are enough candidates and one of them violates no budget (DryRunPreemption)."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._harmless: list[Candidate] = []
        self._violating: list[Candidate] = []
        self._refusals: dict[Status, list[int]] = {}

    def run(self, answers: Iterator[tuple[int, Candidate | Status]]) -> None:
        """Take (row, answer) pairs until there are enough candidates."""
        harmless, violating, limit = self._harmless, self._violating, self._limit
        for row, answer in answers:
            if isinstance(answer, Status):
                self._refusals.setdefault(answer, []).append(row)
                continue
            (violating if answer.violations else harmless).append(answer)
            if harmless and len(harmless) + len(violating) >= limit:
                return

    def examination(self, potential: int, offset: int) -> Examination:
        """Candidates without violations first, of either kind no more than the limit; then in order of name."""
        candidates = self._harmless[: self._limit] + self._violating[: self._limit]
        candidates.sort(key=lambda c: c.node)
        sets = [victim_set(c) for c in candidates]
        return Examination(
            np.array([c.row for c in candidates], dtype=np.int64),
            np.array([criteria_values(s) for s in sets], dtype=np.int64).T,
            [encode(s) for s in sets],
            {status: np.array(rows, dtype=np.int64) for status, rows in self._refusals.items()},
            potential,
            offset,
        )


def with_candidates(examination: Examination, sets: Sequence[VictimSet], row_of: Mapping[str, int]) -> Examination:
    """The examination with these candidates, in order of name."""
    return msgspec.structs.replace(
        examination,
        rows=np.array([row_of[one.node] for one in sets], dtype=np.int64),
        values=np.array([criteria_values(one) for one in sets], dtype=np.int64).T,
        encoded=[encode(one) for one in sets],
    )


def nothing_examined() -> Examination:
    """The examination of no node."""
    return CandidateCollector(0).examination(0, 0)
