"""One scheduling cycle's search for a node: PreFilter to host selection, as events and a frame (schedule_one.go)."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import msgspec

from scheduler_core.columns.pods import PodInfo
from scheduler_core.engine.summaries import (
    extenders_filtered_event,
    filtered_event,
    host_event,
    host_event_named,
    scored_event,
    statuses,
)
from scheduler_core.engine.world import Emit
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.extending.hooks import Extenders
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.plugin_errors import PluginRaised
from scheduler_core.framework.contracts.status import Code, Status
from scheduler_core.framework.runtime.extended_scores import nodes_left, score_extended
from scheduler_core.framework.runtime.filter_phase import FilterError
from scheduler_core.framework.runtime.fit_error import NO_NODES, fit_error, fit_message
from scheduler_core.framework.runtime.framework import Framework, PostFilterOutcome
from scheduler_core.framework.runtime.phases import Phases
from scheduler_core.framework.runtime.pre_filter_phase import PreFilterOutcome
from scheduler_core.framework.runtime.score_phase import (
    NodeChoice,
    ScoreError,
    ScoreOutcome,
    StatusOfPlugin,
    select_host,
)
from scheduler_core.recording import events as ev
from scheduler_core.recording.frames.frame import Frame

_MOST_FINISHED_POINTS = 8192
_FinishedPoint = tuple[list[StatusOfPlugin] | None, tuple[ev.PluginStatus, ...]]
_NOT_KNOWN: _FinishedPoint = None, ()


class SchedulingAttempt(msgspec.Struct):
    """The result of a cycle. ``node`` is "" where no node was chosen; then ``failure`` says why.

    ``rejected``: the failure is a verdict on the pod, not an error. ``nominated_node``: what to do with the pod's
    nomination (a name, "" to clear, None to leave).
    """

    info: PodInfo
    framework: Framework
    cycle: CycleState
    pre_filter: PreFilterOutcome | None = None
    outcome: FilterOutcome | None = None
    scores: ScoreOutcome | None = None
    selection: NodeChoice | None = None
    post_filter: PostFilterOutcome | None = None
    node: str = ""
    failure: str = ""
    rejected: bool = False
    nominated_node: str | None = None
    plugins: frozenset[str] = frozenset()
    pending_plugins: frozenset[str] = frozenset()


class NodeEvaluation:
    """Runs the points up to the choice of a node, or PostFilter. ``next_start`` is the rotating search position."""

    def __init__(self, phases: Phases, emit: Emit, frame: Callable[[Frame], None]) -> None:
        self.phases = phases
        self.emit = emit
        self.frame = frame
        self.next_start = 0
        self._finished_points: dict[tuple[int, str], _FinishedPoint] = {}

    def run(self, attempt: SchedulingAttempt) -> None:
        """Fill the attempt; never raises for what plugins answer or raise."""
        framework = attempt.framework
        if framework.cluster.n_nodes == 0:
            attempt.failure, attempt.rejected, attempt.nominated_node = NO_NODES, True, ""
            return
        try:
            self._find(attempt)
        except FilterError as problem:
            if problem.outcome is not None:
                attempt.outcome, self.next_start = problem.outcome, problem.outcome.next_start
                self._record_extender_calls(attempt, problem.outcome)
            self._fail(attempt, problem.status)
        except ScoreError as problem:
            self._fail(attempt, problem.status)
        except PluginRaised as problem:
            attempt.post_filter = None
            self._fail(attempt, framework.failed(problem.error, attempt.info, attempt.cycle))

    def _find(self, attempt: SchedulingAttempt) -> None:
        framework, cycle, info = attempt.framework, attempt.cycle, attempt.info
        durations, started = framework.durations, perf_counter()
        attempt.pre_filter = self.phases.pre_filter(framework, cycle, info)
        status = attempt.pre_filter.status
        durations.add("PreFilter", "", perf_counter() - started, status.code.label)
        self._point(attempt, "PreFilter", attempt.pre_filter.statuses)
        if not status.is_success and not status.is_rejected:
            self._fail(attempt, status)
            return
        started = perf_counter()
        outcome = self.phases.filter(framework, cycle, info, attempt.pre_filter, self.next_start)
        durations.add("Filter", "", perf_counter() - started)
        attempt.outcome = outcome
        self.next_start = outcome.next_start
        if outcome.extended is not None:
            self._record_extender_calls(attempt, outcome)
        self.emit(filtered_event(framework.run.now, cycle.number, outcome))
        if framework.run.extenders is not None:
            self._go_on_extended(attempt, outcome, framework.run.extenders)
        elif len(outcome.feasible) == 0:
            self._post_filter(attempt, outcome)
        elif len(outcome.feasible) == 1:
            self._choose(attempt, int(outcome.feasible[0]))
        else:
            self._score(attempt, outcome)

    def _record_extender_calls(self, attempt: SchedulingAttempt, outcome: FilterOutcome) -> None:
        """Record the calls of extenders in the filter phase, if there was any."""
        extended, framework = outcome.extended, attempt.framework
        if extended is not None and extended.calls:
            names = framework.cluster.table.row_of
            self.emit(extenders_filtered_event(framework.run.now, attempt.cycle.number, extended, names))

    def _go_on_extended(self, attempt: SchedulingAttempt, outcome: FilterOutcome, extenders: Extenders) -> None:
        """Score and choose where extenders may have a say in the nodes and in the scores."""
        framework, number, info = attempt.framework, attempt.cycle.number, attempt.info
        names = nodes_left(outcome)
        if not names:
            self._post_filter(attempt, outcome)
            return
        if len(names) == 1:
            self._choose_named(attempt, names[0])
            return
        try:
            started = perf_counter()
            extended = score_extended(framework, extenders, attempt.cycle, info, outcome)
            framework.durations.add("Score", "", perf_counter() - started)
        except (ScoreError, PluginRaised):
            self.frame(Frame.from_cycle(number, info.cls.template, outcome))
            raise
        attempt.scores, attempt.selection = extended.recorded, extended.choice
        self._point(attempt, "PreScore", extended.scores.pre_score)
        if extended.calls or extended.unknown:
            self.emit(
                ev.ExtendersScored(at=framework.run.now, cycle=number, calls=extended.calls, unknown=extended.unknown)
            )
        self.emit(scored_event(framework.run.now, number, extended.scores, extended.choice))
        self._choose_named(attempt, extended.node, extended.second)

    def _choose_named(self, attempt: SchedulingAttempt, node: str, second: str = "") -> None:
        """As _choose for a node that may be unknown."""
        assert attempt.outcome is not None
        attempt.node = node
        self.frame(Frame.from_cycle(attempt.cycle.number, attempt.info.cls.template, attempt.outcome, attempt.scores))
        self.emit(host_event_named(attempt.framework.run.now, attempt.cycle.number, node, second, attempt.selection))

    def _score(self, attempt: SchedulingAttempt, outcome: FilterOutcome) -> None:
        framework, number = attempt.framework, attempt.cycle.number
        try:
            started = perf_counter()
            scores = self.phases.score(framework, attempt.cycle, attempt.info, outcome)
            framework.durations.add("Score", "", perf_counter() - started)
        except (ScoreError, PluginRaised):  # the filters' verdicts are complete all the same
            self.frame(Frame.from_cycle(number, attempt.info.cls.template, outcome))
            raise
        attempt.scores = scores
        self._point(attempt, "PreScore", scores.pre_score)
        attempt.selection = select_host(framework, scores)
        self.emit(scored_event(framework.run.now, number, scores, attempt.selection))
        self._choose(attempt, attempt.selection.row)

    def _choose(self, attempt: SchedulingAttempt, row: int) -> None:
        cluster, outcome = attempt.framework.cluster, attempt.outcome
        assert outcome is not None
        attempt.node = cluster.name_of(row)
        self.frame(Frame.from_cycle(attempt.cycle.number, attempt.info.cls.template, outcome, attempt.scores))
        self.emit(host_event(attempt.framework.run.now, attempt.cycle.number, cluster, attempt.node, attempt.selection))

    def _post_filter(self, attempt: SchedulingAttempt, outcome: FilterOutcome) -> None:
        framework = attempt.framework
        assert attempt.pre_filter is not None
        self.frame(Frame.from_cycle(attempt.cycle.number, attempt.info.cls.template, outcome))
        message = ""
        if framework.points.post_filter:
            attempt.cycle.pre_filter_failed = not attempt.pre_filter.status.is_success
            started = perf_counter()
            attempt.post_filter = framework.run_post_filter(attempt.cycle, attempt.info, outcome)
            status = attempt.post_filter.status
            framework.durations.add("PostFilter", "", perf_counter() - started, status.code.label)
            self._point(attempt, "PostFilter", [(n, s, None) for n, s in attempt.post_filter.statuses])
            message = attempt.post_filter.status.message
            attempt.nominated_node = attempt.post_filter.nominated_node
        elif framework.run.behaviours.failure_clears_nomination:
            attempt.nominated_node = ""
        refused = None if attempt.pre_filter.status.is_success else attempt.pre_filter.status
        attempt.failure = fit_error(framework.cluster.n_nodes, outcome, refused, message)
        attempt.rejected = True
        attempt.plugins = frozenset(outcome.unschedulable_plugins)
        attempt.pending_plugins = frozenset(outcome.pending_plugins)

    def _point(self, attempt: SchedulingAttempt, point: str, answered: list[StatusOfPlugin]) -> None:
        """Record what the plugins answered, which is mostly what they answered for the last pod of the class."""
        key, points = (attempt.info.cls.id, point), self._finished_points
        recorded, statuses_told = points.get(key, _NOT_KNOWN)
        if recorded is not answered and recorded != answered:
            if len(points) >= _MOST_FINISHED_POINTS:
                points.clear()
            statuses_told = statuses(answered)
            points[key] = answered, statuses_told
        self.emit(
            ev.PointFinished(
                at=attempt.framework.run.now, cycle=attempt.cycle.number, point=point, statuses=statuses_told
            )
        )

    def _fail(self, attempt: SchedulingAttempt, status: Status) -> None:
        attempt.failure, attempt.rejected, attempt.nominated_node = status.message, False, ""
        attempt.node = ""


def refuse(attempt: SchedulingAttempt, status: Status) -> None:
    """Make the attempt fail at Reserve or Permit although a node was chosen; the nomination is cleared.

    Mirrors newFailureNominatingInfo."""
    attempt.nominated_node = ""
    attempt.rejected = status.is_rejected
    if status.is_rejected:
        attempt.failure = fit_message(1, "", dict.fromkeys(status.reasons, 1), "")
        attempt.plugins = frozenset({status.plugin} - {""})
        if status.code is Code.PENDING:
            attempt.pending_plugins = attempt.plugins
    else:
        attempt.failure = status.message
