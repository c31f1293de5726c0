"""Preemption's answers by node, cached between the attempts of one class of preemptors.

Idea. From one attempt of a class to the next, the dry run of most nodes has the same answer: a candidate (victims and
the values that the criteria compare), or a status that says why not. The cache holds one answer per node-table row, the
values in columns. An attempt renews the stale rows among those that it examines; the end of the search, the order of
candidates and their comparison are operations on columns then.

Invariant. The answer of row r holds while versions[r] = table.version[r], which changes when a pod comes to the row or
leaves it. ``begin`` sets versions[r] = -1, which no row has, if since the answer was made

    other filters are active, or a nomination on r came or went, or
    for some budget i whose allowance moved from a to b:  counts[i, r] > min(a, b)

where counts[i, r] is how many pods of r budget i guards: with no more of them than both allowances, evicting them all
violates the budget neither before nor after. Answers that hold for the preemptor alone (it is nominated to the node, or
a filter looks across nodes) are stale from the next attempt on. A node object or lister that changes drops the cache.

Cost. ``begin``: the nominations that changed, and one comparison of a column per budget whose allowance moved. The
search: columns of the rows examined, and dry runs of the stale ones among them.

Example. Budget web allows 1 disruption, later 3. Row 7 has 2 web pods, row 8 has 1.
    min(1, 3) = 1:  counts of row 7 = 2 > 1, so its second victim no longer violates: stale;  row 8: 1 <= 1, holds
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.status import Status
from scheduler_core.framework.preemption.bulk_dry_run import Answer, BulkDryRun
from scheduler_core.framework.preemption.decision import CRITERIA, PRIORITY_SHIFT, VictimSet, criteria_values, encode
from scheduler_core.framework.preemption.disruption_budgets import BudgetCache
from scheduler_core.framework.preemption.dry_run import Candidate, importance, start_micros
from scheduler_core.framework.preemption.go_sort import go_sorted
from scheduler_core.framework.preemption.victim_mask import STAYS, VIOLATES, VictimMask

Int64 = NDArray[np.int64]
Rows = NDArray[np.int64]
LEAST_SLAB = 100
"""Rows looked at together; fewer would cost as much."""
_FEW_DRY_RUNS = 8
_MOST_CLASSES = 64
_CANDIDATE = -1
_GOING, _STAYING = bytes([1, 0, 1]).ljust(256), bytes([0, 1, 0]).ljust(256)
"""Tables that turn fates into 1 for pods that go, or that stay."""


class CandidateCache:
    """The answers for one class of preemptors.

    ``versions`` int64[capacity]: the version of the row that the answer is for, -1 for none. ``kinds`` int64[capacity]:
    _CANDIDATE or an index into ``statuses``. ``values`` int64[criteria, capacity] and ``encoded`` are of candidates.
    """

    def __init__(self, cluster: Cluster) -> None:
        capacity = cluster.table.capacity
        self.versions: Int64 = np.full(capacity, -1, dtype=np.int64)
        self.kinds: Int64 = np.zeros(capacity, dtype=np.int64)
        self.values: Int64 = np.zeros((len(CRITERIA), capacity), dtype=np.int64)
        self.encoded: list[bytes] = [b""] * capacity
        self.statuses: list[Status] = []
        self.patterns: dict[int, Status] = {}
        self.filters: tuple[str, ...] = ()
        self._cluster = cluster
        self._answers: list[VictimMask | Candidate | None] = [None] * capacity
        self._numbers: dict[Status, int] = {}
        self._allowed: list[int] = []
        self._passing: list[int] = []
        self._position = 0

    def begin(self, filters: tuple[str, ...], budgets: BudgetCache, nomination_log: Sequence[str]) -> None:
        """Mark as stale the answers that are no longer valid, except on rows that changed: their version tells."""
        row_of = self._cluster.table.row_of
        self.versions[[row_of[name] for name in set(nomination_log[self._position :]) if name in row_of]] = -1
        self._position = len(nomination_log)
        if filters != self.filters:
            self.versions[:] = -1
            self.patterns.clear()
            self.filters = filters
        self.versions[self._passing] = -1
        self._passing.clear()
        if budgets.allowed != self._allowed:
            for i, (before, now) in enumerate(zip(self._allowed, budgets.allowed, strict=False)):
                if before != now:  # rows with few pods keep their answers
                    self.versions[budgets.counts[i] > min(before, now)] = -1
            self._allowed = list(budgets.allowed)

    def put(self, rows: Rows, new_answers: Iterable[Answer]) -> None:
        """Take the answers for these rows as they are now."""
        answers, name_of = self._answers, self._cluster.name_of
        kinds: list[int] = []
        renewed: list[int] = []
        values: list[Sequence[int]] = []
        for row, answer in zip(rows.tolist(), new_answers, strict=True):
            if isinstance(answer, Status):
                kinds.append(self._number(answer))
                answers[row] = None
                continue
            kinds.append(_CANDIDATE)
            if answers[row] is None or answers[row] != answer:
                answers[row] = answer
                renewed.append(row)
                if isinstance(answer, VictimMask):
                    self.encoded[row] = _encoded(name_of(row), answer, as_go=self._cluster.in_node_order)
                    values.append(answer.values)
                else:
                    candidate = victim_set(answer)
                    self.encoded[row] = encode(candidate)
                    values.append(criteria_values(candidate))
        self.kinds[rows] = kinds
        self.versions[rows] = self._cluster.table.version.take(rows)
        if renewed:
            self.values[:, renewed] = np.array(values, dtype=np.int64).T

    def forget_later(self, rows: Iterable[int]) -> None:
        """Have the answers for these rows marked as stale when the next attempt begins."""
        self._passing.extend(rows)

    def _number(self, status: Status) -> int:
        """The status's place among ``statuses``."""
        number = self._numbers.get(status)
        if number is None:
            number = self._numbers[status] = len(self.statuses)
            self.statuses.append(status)
        return number


class CandidateCaches:
    """The answers of all classes. A change of a node object or a lister invalidates them all."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._by_class: OrderedDict[int, CandidateCache] = OrderedDict()
        self._stamp = (-1, -1)

    def of(self, pod: PodInfo) -> CandidateCache:
        """The cache of the pod's class; the least recently used classes are dropped."""
        stamp = (self._cluster.table.static_generation, self._cluster.listers.generation)
        if stamp != self._stamp:
            self._by_class.clear()
            self._stamp = stamp
        cache = self._by_class.get(pod.cls.id)
        if cache is None:
            cache = self._by_class[pod.cls.id] = CandidateCache(self._cluster)
        self._by_class.move_to_end(pod.cls.id)
        if len(self._by_class) > _MOST_CLASSES:
            self._by_class.popitem(last=False)
        return cache

    def forget(self, pod: PodInfo) -> None:
        """Drop the answers of the pod's class, since an interrupted search leaves some of them incomplete."""
        self._by_class.pop(pod.cls.id, None)


class CachedCandidateSearch:
    """One attempt's search: rows from the offset on until there are enough candidates and one violates no budget."""

    def __init__(self, cluster: Cluster, answers: CandidateCache, bulk: BulkDryRun) -> None:
        self._versions = cluster.table.version
        self._answers = answers
        self._bulk = bulk

    def run(self, potential: Rows, offset: int, limit: int) -> tuple[Rows, Rows]:
        """Rows of the candidates, those without violations first and of either kind no more than the limit; and rows
        examined in vain."""
        pieces: list[Rows] = []
        refused: list[Rows] = []
        n_found, position, harmless = 0, 0, False
        while position < len(potential):
            rows = self._window(potential, offset, position, max(limit - n_found, self._least()))
            self._solve(rows)
            candidates = self._answers.kinds.take(rows) == _CANDIDATE
            innocent = candidates & (self._answers.values[0].take(rows) == 0)
            end = _end(candidates, innocent, limit - n_found, harmless)
            pieces.append(rows[:end].compress(candidates[:end]))
            refused.append(rows[:end].compress(~candidates[:end]))
            n_found, position, harmless = n_found + len(pieces[-1]), position + len(rows), harmless or innocent.any()
            if n_found >= limit and harmless:
                break
        all_found = np.concatenate(pieces)
        violating = self._answers.values[0].take(all_found) > 0
        candidates = [all_found.compress(~violating)[:limit], all_found.compress(violating)[:limit]]
        return np.concatenate(candidates), np.concatenate(refused)

    def _least(self) -> int:
        return LEAST_SLAB if self._bulk.by_columns else _FEW_DRY_RUNS

    @staticmethod
    def _window(potential: Rows, offset: int, position: int, size: int) -> Rows:
        """The next ``size`` potential rows, or all that remain, from offset + position on and wrapping around."""
        size, start = min(size, len(potential) - position), (offset + position) % len(potential)
        window = potential[start : start + size]
        return window if len(window) == size else np.concatenate([window, potential[: size - len(window)]])

    def _solve(self, rows: Rows) -> None:
        """Compute answers for the rows that have no valid one."""
        bulk, answers = self._bulk, self._answers
        missing = answers.versions.take(rows) != self._versions.take(rows)
        if bulk.for_this_pod:
            missing |= np.isin(rows, list(bulk.for_this_pod))
        if not missing.any():
            return
        rows = rows.compress(missing)
        todo = rows.tolist()
        answers.put(rows, bulk.solve(todo))
        answers.forget_later([row for row in todo if row in bulk.for_this_pod] if bulk.cacheable else todo)


def _end(candidates: NDArray[np.bool_], innocent: NDArray[np.bool_], lacking: int, harmless: bool) -> int:
    """How many rows had to be examined to have enough candidates; all of them if there never were enough."""
    n = len(candidates)
    enough = int(candidates.cumsum().searchsorted(lacking)) if lacking > 0 else 0
    first = 0 if harmless else int(innocent.argmax()) if innocent.any() else n
    return min(max(enough, first) + 1, n)


def victim_set(candidate: Candidate) -> VictimSet:
    """A candidate by names, with the numbers that the criteria compare."""
    victims = candidate.victims
    priorities = [info.pod.priority for info in victims]
    return VictimSet(
        candidate.node,
        tuple([info.key for info in victims]),
        candidate.violations,
        tuple([info.key for info in candidate.reprieved]),
        priorities[0],
        sum(priorities) + PRIORITY_SHIFT * len(priorities),
        start_micros(victims[0]),  # the first of the most important ones is the earliest
    )


def _encoded(node: str, answer: VictimMask, *, as_go: bool) -> bytes:
    """The candidate's VictimSet, encoded; ``as_go``: equal pods as the reference's sort leaves them."""
    ranked, first, fates, (violations, highest, total, n_victims, start) = answer
    keys = ranked.keys[first:] if first else ranked.keys
    if 0 < violations < n_victims:
        victims = _by_importance(ranked.infos[first:], fates, as_go=as_go)
    else:
        victims = tuple(compress(keys, fates.translate(_GOING)))
    return encode((node, victims, violations, tuple(compress(keys, fates.translate(_STAYING))), highest, total, -start))


def _by_importance(infos: Sequence[PodInfo], fates: bytes, *, as_go: bool) -> tuple[str, ...]:
    """Victims; of equally important ones those that violate a budget come first, where the sort is stable."""
    going = [(info, fate) for info, fate in zip(infos, fates, strict=True) if fate != STAYS]
    going.sort(key=lambda pair: pair[1] != VIOLATES)
    victims = [info for info, _ in going]
    return tuple([info.key for info in (go_sorted if as_go else sorted)(victims, key=importance)])


def refusals_by_status(answers: CandidateCache, refused: Rows) -> Iterator[tuple[Status, Rows]]:
    """Rows examined in vain, by status."""
    kinds = answers.kinds.take(refused)
    for kind in np.flatnonzero(np.bincount(kinds)).tolist():
        yield answers.statuses[kind], refused.compress(kinds == kind)
