"""How each pod ended on either side, and the pods for which that differs.

A pod is its name and its uid; pods that owners make have names and uids that follow from owner, number and seed. Where
a run has several pods of one name and uid, their order distinguishes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from scheduler_core.explain.outcomes import BOUND, COMPLETED, KINDS, LOST, PREEMPTED, UNPLACED
from scheduler_core.explain.outcomes.reasons import find_reason
from scheduler_core.explain.outcomes.records import PodRecord
from scheduler_core.explain.outcomes.tally import LOST as LOST_WITH
from scheduler_core.explain.outcomes.tally import PREEMPTED as PREEMPTED_BY
from scheduler_core.explain.outcomes.tally import OutcomesTally
from scheduler_core.recording.quantities import percentile

ONLY_A, ONLY_B = "only in A", "only in B"
EVICTED_A, EVICTED_B = "evicted only in A", "evicted only in B"
PLACED_A, PLACED_B = "placed only in A", "placed only in B"
MOVED, OTHERWISE, EVICTED_OTHERWISE, WAITED = "moved", "ended otherwise", "evicted otherwise", "waited otherwise"
GROUPS = (PLACED_A, PLACED_B, EVICTED_A, EVICTED_B, MOVED, ONLY_A, ONLY_B, OTHERWISE, EVICTED_OTHERWISE, WAITED)
"""Where a pod that differs is listed, each in the first of these that holds. "Placed only in A" is newly pending when
one goes from A to B, "placed only in B" newly placed."""
_MIRROR = {ONLY_A: ONLY_B, EVICTED_A: EVICTED_B, PLACED_A: PLACED_B}
MIRRORED = _MIRROR | {other: one for one, other in _MIRROR.items()}
_PLACED, _EVICTED = (BOUND, COMPLETED), (PREEMPTED, LOST)

SAME = "the same"
"""The group of a pod that does not differ, where these are listed too."""

PodKey = tuple[str, str, int]
"""namespace/name, uid ("" for the first of its name), number among those of this name and uid."""


class PodEnd(msgspec.Struct, frozen=True):
    """How a pod ended: ``outcome`` is one of explain.outcomes.KINDS, ``node`` its last one ("" for none).

    ``wait`` is from its arrival in the queue until it was bound, -1 where the run did not bind it; ``so_far`` that of a
    pod that still waits, -1 for others. ``evicted`` says by whom it was preempted or with which node it was lost, ""
    where it was not. ``so_far``, ``attempts`` and its last ``cycle`` may differ without a difference.
    """

    outcome: str
    node: str
    wait: int
    evicted: str
    attempts: int
    cycle: int
    so_far: int = -1

    @property
    def is_unplaced(self) -> bool:
        """Whether it is there and has no node."""
        return self.outcome in UNPLACED

    @property
    def text(self) -> str:
        """Where the pod is, and its outcome where it is not bound there: "node-1", "node-1 (lost)", "pending"."""
        return f"{self.node} ({self.outcome})" if self.node and self.outcome != BOUND else self.node or self.outcome


class PodDifference(msgspec.Struct, frozen=True):
    """A pod that differs: ``fields`` of outcome, node, wait and evicted that do; None for a side that never had it."""

    pod: str
    uid: str
    number: int
    group: str
    fields: tuple[str, ...]
    a: PodEnd | None
    b: PodEnd | None

    def swapped(self) -> PodDifference:
        """The difference as seen from the other side."""
        group = MIRRORED.get(self.group, self.group)
        return msgspec.structs.replace(self, group=group, a=self.b, b=self.a)


COMPARED = ("outcome", "node", "wait", "evicted")


def pod_ends(tally: OutcomesTally) -> dict[PodKey, PodEnd]:
    """How each pod of the run ended, in order of arrival."""
    numbers: Counter[tuple[str, str]] = Counter()
    ends: dict[PodKey, PodEnd] = {}
    for record in tally.records:
        name = record.pod, record.uid
        ends[(*name, numbers[name])] = _end(tally, record)
        numbers[name] += 1
    return ends


def _end(tally: OutcomesTally, record: PodRecord) -> PodEnd:
    wait = record.wait(tally.state.at)
    return PodEnd(
        outcome=find_reason(tally, record, "", True).kind,
        node=record.node,
        wait=wait if record.bound_at >= 0 else -1,
        evicted=record.cause if record.cause.startswith((PREEMPTED_BY, LOST_WITH)) else "",
        attempts=record.attempts,
        cycle=record.cycle,
        so_far=-1 if record.is_over else wait,
    )


def pod_differences(a: dict[PodKey, PodEnd], b: dict[PodKey, PodEnd]) -> list[PodDifference]:
    """The pods that differ and no others, by group, then by name."""
    differences = []
    for key in {**a, **b}:
        mine, other = a.get(key), b.get(key)
        fields = differing(mine, other)
        if fields or mine is None or other is None:
            differences.append(PodDifference(*key, _group(mine, other, fields), fields, mine, other))
    differences.sort(key=lambda one: (GROUPS.index(one.group), one.pod, one.uid, one.number))
    return differences


def listed_pods(a: dict[PodKey, PodEnd], b: dict[PodKey, PodEnd]) -> list[PodDifference]:
    """All pods of both sides: those that differ as ``pod_differences`` lists them, then the same ones by name."""
    differences = pod_differences(a, b)
    different = {(one.pod, one.uid, one.number) for one in differences}
    same = sorted(key for key in a if key not in different)
    return [*differences, *(PodDifference(*key, SAME, (), a[key], b[key]) for key in same)]


def unplaced_by_group(differences: Iterable[PodDifference]) -> dict[str, int]:
    """By how many the pods of each group raise the number of pods without a node from A to B; no zeros."""
    counts = dict.fromkeys(GROUPS, 0)
    for one in differences:
        before, after = (end is not None and end.is_unplaced for end in (one.a, one.b))
        counts[one.group] += after - before
    return {group: n for group, n in counts.items() if n}


def differing(a: PodEnd | None, b: PodEnd | None) -> tuple[str, ...]:
    """The names in COMPARED that differ; none where a side never had the pod."""
    if a is None or b is None:
        return ()
    return tuple(name for name in COMPARED if getattr(a, name) != getattr(b, name))


def _group(a: PodEnd | None, b: PodEnd | None, fields: tuple[str, ...]) -> str:
    if a is None or b is None:
        return ONLY_B if a is None else ONLY_A
    outcomes = a.outcome, b.outcome
    for one, other, placement, eviction in ((*outcomes, PLACED_A, EVICTED_A), (*outcomes[::-1], PLACED_B, EVICTED_B)):
        if one in _PLACED and other in UNPLACED:
            return placement
        if one in _EVICTED and other not in _EVICTED:
            return eviction
    if "node" in fields:
        return MOVED
    if "outcome" in fields:
        return OTHERWISE
    return EVICTED_OTHERWISE if "evicted" in fields else WAITED


class WaitTotals(msgspec.Struct, frozen=True):
    """Waits of the run's ``n`` bindings, virtual microseconds; -1 where there is none.

    ``p50`` and ``p95`` are waits that occurred: the smallest that 50 and 95 percent of the pods did not exceed.
    """

    n: int = 0
    p50: int = -1
    p95: int = -1
    longest: int = -1


class Wait(msgspec.Struct, frozen=True):
    """A wait in virtual microseconds, -1 for none; one that ``goes_on`` will be at least that."""

    micros: int = -1
    goes_on: bool = False


class AllWaits(msgspec.Struct, frozen=True):
    """Waits of the pods that came to the queue and were bound, or of the ``n_waiting`` that still wait, so far.

    A rank goes on where a pod at or below it still waits: it may end above what it is now.
    """

    n_waiting: int = 0
    p50: Wait = Wait()
    p95: Wait = Wait()
    longest: Wait = Wait()


class SideTotals(msgspec.Struct, frozen=True):
    """One side: ``outcomes`` counts its pods by the KINDS of explain.outcomes, those that occur, in that order."""

    cycles: int
    pods: int
    outcomes: dict[str, int]
    waits: WaitTotals
    all_waits: AllWaits = AllWaits()

    @property
    def unplaced(self) -> int:
        """How many pods are there and have no node."""
        return sum(self.outcomes.get(kind, 0) for kind in UNPLACED)


def side_totals(ends: Iterable[PodEnd], cycles: int) -> SideTotals:
    """Sum up how the pods of a side ended."""
    counted = list(ends)
    counts = Counter(end.outcome for end in counted)
    waits = sorted(end.wait for end in counted if end.wait >= 0)
    return SideTotals(
        cycles=cycles,
        pods=len(counted),
        outcomes={kind: counts[kind] for kind in KINDS if counts[kind]},
        waits=WaitTotals(len(waits), *(percentile(waits, percent) for percent in (50, 95, 100))),
        all_waits=_all_waits(counted),
    )


def _all_waits(ends: Iterable[PodEnd]) -> AllWaits:
    waits = sorted((max(end.wait, end.so_far), end.so_far >= 0) for end in ends if end.wait >= 0 or end.so_far >= 0)
    lengths = [micros for micros, _ in waits]
    first_open = next((micros for micros, goes_on in waits if goes_on), None)

    def rank(percent: int) -> Wait:
        micros = percentile(lengths, percent)
        return Wait(micros, goes_on=first_open is not None and first_open <= micros)

    return AllWaits(sum(goes_on for _, goes_on in waits), rank(50), rank(95), rank(100))


class PodsApart(msgspec.Struct, frozen=True):
    """How many pods only A and only B bound, and how many have a node at the end in only A and in only B."""

    bound: tuple[int, int] = (0, 0)
    placed: tuple[int, int] = (0, 0)

    def swapped(self) -> PodsApart:
        """The same as seen from the other side."""
        return PodsApart(self.bound[::-1], self.placed[::-1])


def pods_apart(a: dict[PodKey, PodEnd], b: dict[PodKey, PodEnd]) -> PodsApart:
    """Count the pods that only one side bound, or has on a node."""
    bound = [{key for key, end in ends.items() if end.wait >= 0} for ends in (a, b)]
    placed = [{key for key, end in ends.items() if end.outcome == BOUND} for ends in (a, b)]
    return PodsApart(_apart(*bound), _apart(*placed))


def _apart(a: set[PodKey], b: set[PodKey]) -> tuple[int, int]:
    return len(a - b), len(b - a)
