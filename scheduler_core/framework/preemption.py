"""Which node a pod may have by evicting pods of lower priority, and which pods these are.

Mirrors framework/preemption (Evaluator) of kube-scheduler v1.34 with the rules of its plugin DefaultPreemption. Nothing
is evicted here: the decision says what is to be done. Nodes are examined one after the other, as parallelism 1 would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.cycle import Cycle, FilterOutcome
from scheduler_core.framework.disruption import BudgetBook, Guards
from scheduler_core.framework.interface import Handle
from scheduler_core.framework.kernels import Memo
from scheduler_core.framework.messages import fit_message
from scheduler_core.framework.preemption_dry_run import Candidate, DryRun, start_of
from scheduler_core.framework.preemption_lockstep import Lockstep, RankedPods, Screen, Solutions
from scheduler_core.framework.status import Code, Status

NOT_HELPFUL = "Preemption is not helpful for scheduling"
ONLY, DRAW = "only", "draw"
_SHOWN = 20
_MAX_CLASSES = 1 << 16
_LEAST_SLAB = 100
"""Nodes examined together; fewer would cost as much."""
_PRIORITY_SHIFT = 1 << 31


class VictimSet(msgspec.Struct, frozen=True, gc=False):
    """A candidate node: victims and reprieved pods by key, most important first; ``latest_start`` is the earliest start
    among the victims of the highest priority, in microseconds since the epoch."""

    node: str
    victims: tuple[str, ...]
    violations: int = 0
    reprieved: tuple[str, ...] = ()
    highest_priority: int = 0
    priority_sum: int = 0
    latest_start: int = 0


class CriterionStep(msgspec.Struct, frozen=True, gc=False):
    """One selection criterion: candidates before and after it, the best value, and the first names left."""

    criterion: str
    before: int
    after: int
    best: str
    left: tuple[str, ...] = ()


class NotCandidates(msgspec.Struct, frozen=True, gc=False):
    """Nodes that were examined in vain, with one status."""

    plugin: str
    code: int
    reasons: tuple[str, ...]
    count: int
    nodes: tuple[str, ...]


class PreemptionDecision(msgspec.Struct, frozen=True):
    """The account of one attempt, with the fields of the recording's PreemptionDecided besides at, cycle and pod.

    ``nominated_node``: None leaves the nomination, "" clears it. ``criterion``: the one that left a single candidate,
    ONLY where there was but one, DRAW where all criteria tied, "" where none was chosen.
    """

    eligible: bool
    message: str = ""
    nominated_node: str | None = None
    candidates: tuple[VictimSet, ...] = ()
    steps: tuple[CriterionStep, ...] = ()
    criterion: str = ""
    tied: tuple[str, ...] = ()
    not_candidates: tuple[NotCandidates, ...] = ()
    cleared_nominations: tuple[str, ...] = ()
    potential: int = 0
    offset: int = 0


class Ranked(msgspec.Struct, frozen=True):
    """A candidate with the numbers that the criteria compare."""

    candidate: Candidate
    summary: VictimSet
    values: tuple[int, ...] = ()
    """By criterion; the smallest is best. Worked out from the summary."""

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "values", tuple([value_of(self.summary) for _, value_of in CRITERIA]))


class Limits(msgspec.Struct, frozen=True):
    """How many candidates are enough: a share of the potential nodes in percent, but at least so many."""

    percentage: int = 10
    absolute: int = 100

    def wanted(self, n_potential: int) -> int:
        """The number of candidates that ends the search."""
        return min(n_potential, max(n_potential * self.percentage // 100, self.absolute))


class Examination(msgspec.Struct):
    """What was found on the nodes examined: candidates (those without violations first) and refusals by status."""

    candidates: list[Candidate]
    refusals: dict[Status, list[int]]
    potential: int = 0
    offset: int = 0

    @property
    def errors(self) -> list[str]:
        """Messages of dry runs that failed."""
        return [status.message for status in self.refusals if status.code is Code.ERROR]


class Evaluator:
    """Preemption for one plugin; between attempts it keeps only what follows from the cluster (orders, matches)."""

    def __init__(self, handle: Handle, limits: Limits) -> None:
        self._handle = handle
        self._limits = limits
        self._ranked = RankedPods(handle.cluster)
        self._solutions = Solutions(handle.cluster)
        self._guards: Guards = Memo(_MAX_CLASSES)

    def evaluate(self, cycle: Cycle, pod: PodInfo, outcome: FilterOutcome) -> PreemptionDecision:
        """The decision for a pod that no node took. ``message`` is empty when a node was found."""
        if reason := self._hindrance(pod, outcome):
            return PreemptionDecision(eligible=False, message=reason)
        found = self.examine(cycle, pod, outcome)
        if found.candidates:
            return self._choose(pod, found)
        if found.errors:
            return PreemptionDecision(eligible=True, message=_aggregate(found.errors), potential=found.potential)
        return PreemptionDecision(
            eligible=True,
            message=self._message(found),
            nominated_node="",
            not_candidates=self._not_candidates(found),
            potential=found.potential,
            offset=found.offset,
        )

    def examine(self, cycle: Cycle, pod: PodInfo, outcome: FilterOutcome, *, fast: bool = True) -> Examination:
        """Dry runs on potential nodes until there are enough candidates; ``fast`` False runs each node on its own."""
        rows = potential_rows(outcome)
        if not len(rows):
            return Examination([], {})
        offset = self._handle.draw("preemption-offset", len(rows))
        rows = np.roll(rows, -offset)
        wanted = len(rows) if self._handle.preemption_candidates_all else self._limits.wanted(len(rows))
        budgets = BudgetBook(self._handle.cluster, self._guards)
        dry_run = DryRun(self._handle, cycle, pod, budgets)
        lockstep = Lockstep(self._handle, pod, budgets, self._ranked, self._solutions)
        search = _Search(wanted)
        size = max(wanted, _LEAST_SLAB)
        for first in range(0, len(rows), size):
            slab = rows[first : first + size]
            screen = Screen(self._handle, cycle, pod, outcome, slab) if fast else None
            undecided = np.arange(len(slab)) if screen is None else np.flatnonzero(~screen.decided)
            chosen = slab[undecided].tolist()
            if screen is not None and screen.lockstep:
                answers = lockstep.solve(chosen, screen, dry_run)
            else:
                answers = dry_run.solve(chosen)
            end, enough = search.run(zip(undecided.tolist(), chosen, answers, strict=False), len(slab))
            if screen is not None:
                search.refuse(screen.refusals(end))
            if enough:
                break
        return Examination(search.candidates(), search.refusals, len(rows), offset)

    def _hindrance(self, pod: PodInfo, outcome: FilterOutcome) -> str:
        """Why the pod may not preempt, "" when it may (PodEligibleToPreemptOthers)."""
        if pod.pod.preemption_policy == "Never":
            return "not eligible due to preemptionPolicy=Never."
        row = self._handle.cluster.table.row_of.get(pod.pod.nominated_node_name)
        if row is None or outcome.status(row).code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
            return ""
        for info in self._handle.cluster.pods_on(row).values():
            leaving = info.pod.preempted and info.pod.deletion_timestamp is not None
            if leaving and info.pod.priority < pod.pod.priority:
                return "not eligible due to a terminating pod on the nominated node."
        return ""

    def _choose(self, pod: PodInfo, found: Examination) -> PreemptionDecision:
        ranked = sorted(map(_ranked, found.candidates), key=_BY_NODE)
        steps, left = select(ranked)
        best = left[self._handle.draw("preemption-tie", len(left))]
        lower = [n for n in self._handle.nominated_pods(best.summary.node) if n.pod.priority < pod.pod.priority]
        return PreemptionDecision(
            eligible=True,
            nominated_node=best.summary.node,
            candidates=tuple(r.summary for r in ranked),
            steps=steps,
            criterion=_deciding(ranked, steps, left),
            tied=tuple(r.summary.node for r in left),
            not_candidates=self._not_candidates(found),
            cleared_nominations=tuple(n.key for n in lower),
            potential=found.potential,
            offset=found.offset,
        )

    def _message(self, found: Examination) -> str:
        """The FitError over the examined nodes; all others count as not helped by preemption."""
        n_nodes = self._handle.cluster.n_nodes
        reasons: dict[str, int] = {}
        for status, rows in found.refusals.items():
            for reason in status.reasons:
                reasons[reason] = reasons.get(reason, 0) + len(rows)
        if n_others := n_nodes - sum(map(len, found.refusals.values())):
            reasons[NOT_HELPFUL] = reasons.get(NOT_HELPFUL, 0) + n_others
        return fit_message(n_nodes, "", reasons, "")

    def _not_candidates(self, found: Examination) -> tuple[NotCandidates, ...]:
        name_of = self._handle.cluster.name_of
        ordered = sorted(found.refusals, key=lambda s: (s.plugin, s.code, s.reasons))
        nodes = {s: tuple(sorted(map(name_of, found.refusals[s]))) for s in ordered}
        return tuple(NotCandidates(s.plugin, int(s.code), s.reasons, len(nodes[s]), nodes[s]) for s in ordered)


class _Search:
    """Collects answers until there are enough candidates and one of them violates no budget (DryRunPreemption)."""

    def __init__(self, wanted: int) -> None:
        self._wanted = wanted
        self._harmless: list[Candidate] = []
        self._violating: list[Candidate] = []
        self.refusals: dict[Status, list[int]] = {}

    def refuse(self, refusals: dict[Status, list[int]]) -> None:
        """Take rows refused by status."""
        for status, refused in refusals.items():
            self.refusals.setdefault(status, []).extend(refused)

    def run(self, answers: Iterator[tuple[int, int, Candidate | Status]], n_rows: int) -> tuple[int, bool]:
        """Take (position, row, answer) until enough; the position at which that ended, and whether it is enough."""
        harmless, violating, wanted = self._harmless, self._violating, self._wanted
        for position, row, answer in answers:
            if isinstance(answer, Status):
                self.refusals.setdefault(answer, []).append(row)
                continue
            (violating if answer.violations else harmless).append(answer)
            if harmless and len(harmless) + len(violating) >= wanted:
                return position + 1, True
        return n_rows, False

    def candidates(self) -> list[Candidate]:
        """Those without violations first; of either kind no more than were wanted."""
        return self._harmless[: self._wanted] + self._violating[: self._wanted]


def potential_rows(outcome: FilterOutcome) -> NDArray[np.int64]:
    """Rows whose status is plainly Unschedulable, so that evictions may help, in the order of the node table."""
    order = outcome.cluster.table.order
    codes = np.zeros(len(order), dtype=np.uint8)
    decisive = outcome.decisive[order]
    refused = decisive >= 0
    codes[refused] = outcome.codes[decisive[refused], order[refused]]
    if outcome.absent is not None:
        unvisited = np.ones(outcome.cluster.table.capacity, dtype=bool)
        unvisited[outcome.visited] = False
        codes[unvisited[order]] = outcome.absent.code
    for row, status in outcome.overlay.items():
        codes[order == row] = status.code
    return order.compress(codes == Code.UNSCHEDULABLE)


def _ranked(candidate: Candidate) -> Ranked:
    """The candidate with its numbers, which are worked out once however often it is met."""
    if candidate.ranked is None:
        candidate.ranked = _rank(candidate)
    ranked: Ranked = candidate.ranked
    return ranked


def _rank(candidate: Candidate) -> Ranked:
    victims = candidate.victims
    highest = victims[0].pod.priority
    summary = VictimSet(
        node=candidate.node,
        victims=tuple(info.key for info in victims),
        violations=candidate.violations,
        reprieved=tuple(info.key for info in candidate.reprieved),
        highest_priority=highest,
        priority_sum=sum(info.pod.priority + _PRIORITY_SHIFT for info in victims),
        latest_start=start_of(victims[0]),  # the first of the most important ones is the earliest
    )
    return Ranked(candidate, summary)


_BY_NODE: Callable[[Ranked], str] = attrgetter("summary.node")
CRITERIA: tuple[tuple[str, Callable[[VictimSet], int]], ...] = (
    ("fewest_violations", lambda s: s.violations),
    ("lowest_highest_priority", lambda s: s.highest_priority),
    ("lowest_priority_sum", lambda s: s.priority_sum),
    ("fewest_victims", lambda s: len(s.victims)),
    ("latest_start", lambda s: -s.latest_start),
)
"""In order; the smallest number is best (pickOneNodeForPreemption)."""


def select(ranked: Sequence[Ranked]) -> tuple[tuple[CriterionStep, ...], list[Ranked]]:
    """The criteria applied until one candidate is left, and the candidates that are left."""
    steps: list[CriterionStep] = []
    values = np.array([r.values for r in ranked], dtype=np.int64)
    left = np.arange(len(ranked))
    for i, (name, _) in enumerate(CRITERIA):
        if len(left) == 1:
            break
        column, before = values[left, i], len(left)
        best = int(column.min())
        left = left[column == best]
        names = tuple([ranked[k].summary.node for k in left[:_SHOWN].tolist()])
        steps.append(CriterionStep(name, before, len(left), str(abs(best) if name == "latest_start" else best), names))
    return tuple(steps), [ranked[k] for k in left.tolist()]


def _deciding(ranked: Sequence[Ranked], steps: Sequence[CriterionStep], left: Sequence[Ranked]) -> str:
    if len(ranked) == 1:
        return ONLY
    return steps[-1].criterion if len(left) == 1 else DRAW


def _aggregate(messages: list[str]) -> str:
    """Several errors as upstream joins them."""
    return messages[0] if len(messages) == 1 else f"[{', '.join(messages)}]"
