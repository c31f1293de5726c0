"""The filter phase over all nodes: every plugin's verdict, the first refusal, nominated pods, the search's end.

Mirrors schedule_one.go (findNodesThatFitPod, findNodesThatPassFilters, numFeasibleNodesToFind) in the order that
parallelism 1 gives. Verdicts are computed for every node; ``decisive`` tells which ones were looked at.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.extending.hooks import ExtenderError
from scheduler_core.framework.contracts.filter_outcome import PASSED, FilterOutcome
from scheduler_core.framework.contracts.status import REJECTIONS, Code, Status, error, filter_status, unresolvable
from scheduler_core.framework.runtime.extended_filter import ask_about_nominated, ask_extenders
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.framework.runtime.plugin_calls import ask_filter
from scheduler_core.framework.runtime.pre_filter_phase import PreFilterOutcome

Rows = NDArray[np.int64]
MIN_FEASIBLE_NODES = 100
MIN_PERCENTAGE = 5


class FilterError(Exception):
    """A filter answered ERROR; ``status`` says which and why. ``visited`` is how many nodes were looked at before;
    ``outcome`` is set by FilterPhase."""

    def __init__(self, status: Status, visited: int = 0) -> None:
        super().__init__(status.message)
        self.status = status
        self.visited = visited
        self.outcome: FilterOutcome | None = None


def nodes_to_find(n_nodes: int, percentage: int | None) -> int:
    """How many feasible nodes end the search; percentage 0 or None means adaptive."""
    if n_nodes < MIN_FEASIBLE_NODES:
        return n_nodes
    share = percentage or max(MIN_PERCENTAGE, 50 - n_nodes // 125)
    return max(MIN_FEASIBLE_NODES, n_nodes * share // 100)


class FilterPhase:
    """The filter phase of one framework. ``start`` is the rotating position, kept by the engine between cycles.

    ``sample`` False looks at all nodes and leaves ``start`` alone.
    """

    def __init__(self, framework: Framework, *, sample: bool = False, start: int = 0) -> None:
        self.framework = framework
        self.sample = sample
        self.start = start

    def run(self, cycle: CycleState, pod: PodInfo, pre_filter: PreFilterOutcome) -> FilterOutcome:
        """The outcome over the nodes that PreFilter left, the nominated node first.

        Raises FilterError, with the outcome so far, and PluginRaised."""
        if not pre_filter.status.is_success:
            return self._rejected(pre_filter)
        outcome = self.evaluate(cycle, pod)
        outcome.start = outcome.next_start = self.start
        try:
            return self._run(outcome, cycle, pod, pre_filter)
        except FilterError as problem:
            problem.outcome = outcome
            if self.sample:
                outcome.next_start = (self.start + problem.visited) % self.framework.cluster.n_nodes
            raise

    def _run(
        self, outcome: FilterOutcome, cycle: CycleState, pod: PodInfo, pre_filter: PreFilterOutcome
    ) -> FilterOutcome:
        order = self.framework.cluster.table.order
        if pod.pod.nominated_node_name and self._nominated(outcome, cycle, pod):
            return outcome
        candidates = order
        if pre_filter.allowed is not None:
            candidates = self.framework.cluster.rows_of(pre_filter.allowed)
            outcome.unschedulable_plugins |= pre_filter.narrowing
            # upstream adds the plugin that refuses the nominated node to the same set as the plugins that narrow
            names = " ".join(sorted(outcome.unschedulable_plugins))
            outcome.absent = unresolvable(f"node(s) didn't satisfy plugin(s) [{names}]")
        self._search(outcome, cycle, pod, candidates)
        if self.framework.run.extenders is not None:
            try:
                ask_extenders(self.framework.run.extenders, pod, outcome)
            except ExtenderError as problem:
                raise FilterError(error(str(problem)), len(outcome.visited)) from problem
        return outcome

    def _rejected(self, pre_filter: PreFilterOutcome) -> FilterOutcome:
        """The outcome when PreFilter refused the pod as a whole: every node counts with its status."""
        framework = self.framework
        outcome = FilterOutcome(framework.cluster, framework.run.reasons, [])
        outcome.absent = pre_filter.status
        outcome.unschedulable_plugins |= pre_filter.narrowing | ({pre_filter.status.plugin} - {""})
        outcome.start = outcome.next_start = self.start
        return outcome

    def evaluate(self, cycle: CycleState, pod: PodInfo) -> FilterOutcome:
        """Every active filter's verdict on every node, nothing visited yet. Raises PluginRaised."""
        framework = self.framework
        filters = framework.active_filters(cycle)
        outcome = FilterOutcome(framework.cluster, framework.run.reasons, [p.name for p in filters])
        order = framework.cluster.table.order
        for i, plugin in enumerate(filters):
            verdicts = ask_filter(framework.durations, cycle, plugin, pod, order)
            if verdicts is not None:
                outcome.codes[i, order] = verdicts.codes
                outcome.reasons[i, order] = verdicts.reasons
        return outcome

    def _nominated(self, outcome: FilterOutcome, cycle: CycleState, pod: PodInfo) -> bool:
        """Look at the pod's nominated node alone, narrowed out by PreFilter or not; whether it fits.

        Where it does not, its verdict stands beside those of the search. An error there is none of the cycle
        (evaluateNominatedNode's is only logged).
        """
        row = self.framework.cluster.table.row_of.get(pod.pod.nominated_node_name)
        if row is None:
            return False
        rows = np.array([row], dtype=np.int64)
        try:
            self._visit(outcome, rows, self._nominated_overlay(outcome, cycle, pod, rows))
            fits = bool(len(outcome.feasible))
            if fits and self.framework.run.extenders is not None:
                fits = ask_about_nominated(self.framework.run.extenders, pod, outcome)
        except (FilterError, ExtenderError):
            outcome.forget_visits()
            return False
        outcome.nominated_only = fits
        return fits

    def _search(self, outcome: FilterOutcome, cycle: CycleState, pod: PodInfo, candidates: Rows) -> None:
        """Look at the candidates, from the rotating position on, until enough of them are feasible."""
        n = len(candidates)
        rotated = np.roll(candidates, -(self.start % n)) if n and self.start % n else candidates
        overlaid = self._nominated_overlay(outcome, cycle, pod, rotated)
        limit = nodes_to_find(n, self.framework.percentage_of_nodes_to_score) if self.sample else n
        if self.sample and not self.framework.points.score and not self._extenders_matter:
            limit = 1
        self._visit(outcome, rotated, overlaid, limit)
        if self.sample:
            outcome.next_start = (self.start + len(outcome.visited)) % self.framework.cluster.n_nodes

    @property
    def _extenders_matter(self) -> bool:
        """Whether any extender filters or scores (hasExtenderFilters, hasScoring)."""
        extenders = self.framework.run.extenders
        return extenders is not None and (extenders.any_filters or extenders.any_scores)

    def _visit(self, outcome: FilterOutcome, rows: Rows, overlaid: list[int], limit: int | None = None) -> None:
        """Fill decisive, overlay, visited and feasible for the rows, up to the one after the last wanted.

        What was visited before and is not among them (the nominated node) stays visited.
        """
        decisive = _first_refusals(outcome.codes[:, rows])
        refused = decisive != PASSED
        for i in overlaid:
            refused[i] = True
        if limit is not None and limit < len(rows):
            passing = np.flatnonzero(~refused)
            if len(passing) > limit:
                end = passing[limit]
                rows, decisive, refused = rows[:end], decisive[:end], refused[:end]
        earlier = outcome.visited
        if len(earlier):
            earlier = earlier[~np.isin(earlier, rows)]
        if outcome.overlay:
            visited = {*rows.tolist(), *earlier.tolist()}
            outcome.overlay = {row: status for row, status in outcome.overlay.items() if row in visited}
        outcome.visit(rows, decisive, rows[~refused], earlier)
        note_plugins(outcome)

    def _nominated_overlay(self, outcome: FilterOutcome, cycle: CycleState, pod: PodInfo, rows: Rows) -> list[int]:
        """Positions in ``rows`` refused with nominated pods counted in; their statuses go to the overlay."""
        framework, positions = self.framework, []
        place: dict[int, int] | NDArray[np.int64]
        if len(rows) == 1:
            names, place = [framework.cluster.name_of(rows.item(0))], {rows.item(0): 0}
        elif names := list(framework.run.nominated_nodes()):
            place = np.full(framework.cluster.table.capacity, -1, dtype=np.int64)
            place[rows] = np.arange(len(rows))
        else:
            return []
        for name in names:
            row = framework.cluster.table.row_of.get(name)
            if row is None or place[row] < 0:
                continue
            status = framework.run_filters_nominated_pass(cycle, pod, framework.cluster.view(row))
            if status is not None and not status.is_success:
                if not status.is_rejected:
                    raise FilterError(status)
                outcome.overlay[row] = status
                positions.append(int(place[row]))
        return positions


def note_plugins(outcome: FilterOutcome) -> None:
    """Collect the plugins that refused a visited node first. Raises FilterError where one failed."""
    refusals = outcome.refusals()
    for _, code, _ in refusals:
        if code not in REJECTIONS:
            raise _first_error(outcome)
    for plugin, code, _ in refusals:
        outcome.unschedulable_plugins.add(plugin)
        if code is Code.PENDING:
            outcome.pending_plugins.add(plugin)


def _first_error(outcome: FilterOutcome) -> FilterError:
    """Of the nodes in the order searched, the first whose verdict is an error ends the search."""
    statuses = [outcome.status(row) for row in outcome.visited.tolist()]
    position = next(i for i, status in enumerate(statuses) if not status.is_success and not status.is_rejected)
    return FilterError(filter_status(statuses[position], statuses[position].plugin), position)


def _first_refusals(codes: NDArray[np.uint8]) -> NDArray[np.int16]:
    """Index of the first plugin with a code other than success for each column, PASSED where none."""
    if not len(codes):
        return np.full(codes.shape[1], PASSED, dtype=np.int16)
    refusing = codes != 0
    first: NDArray[np.int16] = refusing.argmax(axis=0).astype(np.int16)
    first[~refusing.any(axis=0)] = PASSED
    return first
