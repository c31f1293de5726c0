"""One scheduling attempt of a pod on a restored state, and its result with copied arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from time import perf_counter

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Pod
from scheduler_core.columns.pods import PodInfo
from scheduler_core.engine.attempt import NodeEvaluation, SchedulingAttempt
from scheduler_core.engine.simulation import Simulation
from scheduler_core.engine.trials.changes import UNCHANGED, Changes, applied
from scheduler_core.engine.trials.unanswered import unanswered_in
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.plugin_errors import PluginError
from scheduler_core.framework.contracts.status import Code, Status
from scheduler_core.framework.preemption.decision import PreemptionDecision
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.framework.runtime.phases import Phases, PlainPhases
from scheduler_core.framework.runtime.pre_filter_phase import PreFilterOutcome
from scheduler_core.framework.runtime.score_phase import ScoreOutcome, run_scores
from scheduler_core.recording.events import AnyEvent
from scheduler_core.recording.frames.frame import Frame


class Points(msgspec.Struct, frozen=True):
    """What one score plugin gave a node: the raw score, the normalised one (0..100), and the plugin's weight."""

    plugin: str
    raw: int
    norm: int
    weight: int

    @property
    def weighted(self) -> int:
        """The weighted score, which is the plugin's share of the node's total."""
        return self.norm * self.weight


class Trial:
    """What one attempt decided. Nothing here changes with later trials of the same state.

    ``pod`` is the pod as tried; ``node`` the node it was given, "" where none; ``failure`` then says why, as
    kube-scheduler does. ``feasible`` are the names of the nodes that fit, in the order searched; ``tied`` those that
    share the best total, from which ``node`` was drawn (just the node where there was one). ``nominated`` is the
    node that preemption chose ("" clears a nomination, None leaves it), ``preemption`` its account (None: PostFilter
    did not run or decided nothing). ``errors`` are exceptions of plugins. ``events`` are those that a run would have
    recorded of the cycle up to here; ``seconds`` is what the attempt took.
    """

    def __init__(self, attempt: SchedulingAttempt, names: Sequence[str], ran: _Ran) -> None:
        self.pod: Pod = attempt.info.pod
        self.template = attempt.info.cls.template
        self.cycle = attempt.cycle.number
        self.node = attempt.node
        self.failure = attempt.failure
        self.nominated = attempt.nominated_node
        self.gated: Status | None = ran.gated
        """PreEnqueue's refusal, for which a run would not attempt the pod at all; None where there is none."""
        self.names = names
        """Node names by row, "" where no node is."""
        self.events, self.errors, self.seconds = ran.events, ran.errors, ran.seconds
        post_filter, pre_filter = attempt.post_filter, attempt.pre_filter
        self.preemption: PreemptionDecision | None = post_filter.decision if post_filter is not None else None
        self.unanswered = unanswered_in(ran.events, self.preemption)
        """Requests to extenders that the run's tape has no answer for."""
        self.refused_whole: Status | None = None
        """PreFilter's refusal of the pod as a whole, which counts on every node; None where there was none."""
        self.narrowing: frozenset[str] = frozenset()
        """Plugins whose PreFilter left nodes out."""
        if pre_filter is not None:
            self.narrowing = frozenset(pre_filter.narrowing)
            if not pre_filter.status.is_success:
                self.refused_whole = pre_filter.status
        self.outcome = None if attempt.outcome is None else attempt.outcome.copy()
        self.scores = None if attempt.scores is None else _copied(attempt.scores)
        self._ties = attempt.selection.ties if attempt.selection is not None else b""

    @property
    def is_scheduled(self) -> bool:
        """Whether a node fits."""
        return bool(self.node)

    @cached_property
    def feasible(self) -> tuple[str, ...]:
        """See the class."""
        return () if self.outcome is None else tuple([self.names[row] for row in self.outcome.feasible.tolist()])

    @cached_property
    def tied(self) -> tuple[str, ...]:
        """See the class; in order of name."""
        if not self._ties:
            return (self.node,) if self.node else ()
        bits: NDArray[np.uint8] = np.unpackbits(np.frombuffer(self._ties, dtype=np.uint8))
        return tuple(sorted(self.names[row] for row in np.flatnonzero(bits).tolist()))

    @cached_property
    def row_of(self) -> dict[str, int]:
        """Rows of the nodes by name."""
        return {name: row for row, name in enumerate(self.names) if name}

    @cached_property
    def frame(self) -> Frame | None:
        """What a run would have recorded of every node; None where the attempt ended before its filter phase."""
        return None if self.outcome is None else Frame.from_cycle(self.cycle, self.template, self.outcome, self.scores)

    def fits(self, node: str) -> bool:
        """Whether the node passed every filter."""
        return node in self._feasible_set

    @cached_property
    def _feasible_set(self) -> frozenset[str]:
        return frozenset(self.feasible)

    def status(self, node: str) -> Status:
        """The status that the node counts with: its first refusal, or success."""
        if self.outcome is None or node not in self.row_of:
            raise KeyError(node)
        return self.outcome.status(self.row_of[node])

    def refusals(self, node: str) -> list[Status]:
        """Every refusal of the node, in the order of the filter plugins; that with nominated pods counted in last."""
        if self.outcome is None:
            return []
        outcome, row = self.outcome, self.row_of[node]
        if self.refused_whole is not None:
            return [self.refused_whole]
        codes, reasons = outcome.codes[:, row].tolist(), outcome.reasons[:, row].tolist()
        entries = outcome.reason_table.entries
        statuses = [
            Status(Code(code), entries[reason], plugin)
            for plugin, code, reason in zip(outcome.plugins, codes, reasons, strict=True)
            if code
        ]
        if row in outcome.overlay:
            statuses.append(outcome.overlay[row])
        return statuses or ([outcome.absent] if outcome.absent is not None and outcome.decisive[row] < -1 else [])

    def points(self, node: str) -> list[Points]:
        """What each score plugin gave the node, in the plugins' order; empty where scores were not asked for."""
        if self.scores is None or self.total(node) is None:
            return []
        row = self.row_of[node]
        return [Points(p.plugin, int(p.raw[row]), int(p.norm[row]), p.weight) for p in self.scores.plugins]

    def total(self, node: str) -> int | None:
        """The node's weighted total; None where it was not scored."""
        if self.scores is None:
            return None
        total = int(self.scores.totals[self.row_of[node]])
        return total if total >= 0 else None


class _Ran(msgspec.Struct):
    """What an attempt produced besides its result."""

    events: list[AnyEvent] = []
    errors: list[PluginError] = []
    gated: Status | None = None
    seconds: float = 0.0


class Trials:
    """Attempts on the state of one simulation, which must not be stepped on afterwards.

    Each begins from the same state: changes, and what plugins noted, are taken back at its end. Caches of the engine
    stay, so that a trial of a class of pods that was tried before looks at what changed only. ``now`` is the virtual
    time in microseconds at which attempts take place (None: that of the last step).
    """

    def __init__(self, simulation: Simulation, now: int | None = None) -> None:
        self.simulation = simulation
        self.seq = simulation.recorder.head_seq
        """How many events led to the state."""
        self._next_start = simulation.evaluation.next_start
        self.now = max(simulation.now(), now or 0)
        self.cycle = simulation.context.cycle + 1
        """Number of the cycle that would come next, which draws depend on."""
        self._phases = simulation.evaluation.phases
        self._plain_phases = PlainPhases(sample=simulation.policies.node_search == "configured")
        self._names: list[str] | None = None

    def pod(self, key: str) -> Pod:
        """The pod as it would be tried: as the queue has it, or without its node where it is placed.

        Raises KeyError where there is no such pod.
        """
        queued = self.simulation.queue.get(key)
        pod = self.simulation.world.pods[key] if queued is None else queued.pod
        return msgspec.structs.replace(pod, node_name="", phase="Pending") if pod.node_name else pod

    def knows(self, key: str) -> bool:
        """Whether there is such a pod in the state."""
        return key in self.simulation.world.pods

    def attempt(self, key: str, changes: Changes = UNCHANGED) -> Trial:
        """Try the pod once. Raises KeyError for a pod that the state does not have and that ``changes`` do not bring,
        and where its profile is none of the run's."""
        return self.attempt_pod(self.pod(key) if changes.pod is None else changes.pod, changes)

    def attempt_pod(self, pod: Pod, changes: Changes = UNCHANGED) -> Trial:
        """As ``attempt``, for a pod object that the state may or may not have."""
        with self.under(pod, changes) as trial:
            return trial

    @contextmanager
    def under(self, pod: Pod, changes: Changes) -> Iterator[Trial]:
        """As ``attempt_pod``, as a context in which the changes are still applied, so that the state can be read."""
        framework = self.simulation.frameworks[pod.scheduler_name]
        ran, started = _Ran(), perf_counter()
        with self._in_next_cycle(ran), _plugins_unchanged(framework), applied(self.simulation, pod, changes):
            gated = framework.run_pre_enqueue(pod)
            ran.gated = None if gated.is_success else gated
            attempt = self._run(pod, framework, changes, ran)
            ran.seconds = perf_counter() - started
            yield Trial(attempt, self._names_now(changes), ran)

    @contextmanager
    def plainly(self) -> Iterator[None]:
        """Have attempts made without caches meanwhile, as where other frameworks stand in for the simulation's."""
        before, self._phases = self._phases, self._plain_phases
        try:
            yield
        finally:
            self._phases = before

    @contextmanager
    def _in_next_cycle(self, ran: _Ran) -> Iterator[None]:
        context = self.simulation.context
        before = context.now, context.cycle, context.on_plugin_error, context.write, context.delete
        context.now, context.cycle, context.on_plugin_error = self.now, self.cycle, ran.errors.append
        context.write = context.delete = lambda obj: None  # what PostFilter would change stays as it is
        try:
            yield
        finally:
            context.now, context.cycle, context.on_plugin_error, context.write, context.delete = before

    def _run(self, pod: Pod, framework: Framework, changes: Changes, ran: _Ran) -> SchedulingAttempt:
        context = self.simulation.context
        # what is tried once is not worth a cache, which would be kept until the session goes
        once = changes.pod is not None or changes.nodes or changes.weights or changes.objects
        phases: Phases = self._plain_phases if once else self._phases
        if changes.admitted:
            phases = _Admitting(self._plain_phases, changes.admitted)
        elif changes.sample:
            phases = _Finding(self._plain_phases, changes.sample)
        start = self._next_start
        if changes.sampled_from is not None:
            phases, start = PlainPhases(sample=True), changes.sampled_from

        def emit(event: AnyEvent) -> int:
            ran.events.append(event)
            return self.seq + len(ran.events) - 1

        evaluation = NodeEvaluation(phases, emit, lambda frame: None)
        evaluation.next_start = start
        attempt = SchedulingAttempt(context.cluster.info(pod), framework, CycleState(context.cycle))
        evaluation.run(attempt)
        return attempt

    def _names_now(self, changes: Changes) -> list[str]:
        if changes.nodes:
            return self.simulation.context.cluster.table.names
        if self._names is None:
            self._names = self.simulation.context.cluster.table.names
        return self._names


@contextmanager
def _plugins_unchanged(framework: Framework) -> Iterator[None]:
    """Give plugins at PostFilter back the state that they had: they may note for later that the pod found no node."""
    states = [(plugin, plugin.dump()) for plugin in framework.points.post_filter]
    try:
        yield
    finally:
        for plugin, state in states:
            if state is not None:
                plugin.load(state)


class _Admitting:
    """Phases that also score the named nodes, even where filters refuse them."""

    def __init__(self, phases: PlainPhases, names: Sequence[str]) -> None:
        self._phases = phases
        self._names = names

    def pre_filter(self, framework: Framework, cycle: CycleState, pod: PodInfo) -> PreFilterOutcome:
        """See Phases."""
        return self._phases.pre_filter(framework, cycle, pod)

    def filter(
        self, framework: Framework, cycle: CycleState, pod: PodInfo, pre_filter: PreFilterOutcome, start: int
    ) -> FilterOutcome:
        """See Phases."""
        outcome = self._phases.filter(framework, cycle, pod, pre_filter, start)
        rows = framework.cluster.rows_of(self._names)
        if outcome.extended is not None and outcome.extended.replaced is None:
            names = outcome.extended.names
            outcome.extended.names = [*names, *[name for name in self._names if name not in names]]
        outcome.feasible = np.concatenate([outcome.feasible, rows[~np.isin(rows, outcome.feasible)]])
        return outcome

    def score(self, framework: Framework, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> ScoreOutcome:
        """See Phases."""
        return run_scores(framework, cycle, pod, outcome.feasible)


class _Finding(_Admitting):
    """Phases that score only the named ones of the nodes that fit."""

    def filter(
        self, framework: Framework, cycle: CycleState, pod: PodInfo, pre_filter: PreFilterOutcome, start: int
    ) -> FilterOutcome:
        """See Phases."""
        outcome = self._phases.filter(framework, cycle, pod, pre_filter, start)
        outcome.feasible = outcome.feasible[np.isin(outcome.feasible, framework.cluster.rows_of(self._names))]
        return outcome


def _copied(scores: ScoreOutcome) -> ScoreOutcome:
    """A copy of the scores that shares no arrays with them."""
    plugins = [msgspec.structs.replace(p, raw=np.array(p.raw), norm=np.array(p.norm)) for p in scores.plugins]
    return msgspec.structs.replace(
        scores, plugins=plugins, raw=np.array(scores.raw), totals=np.array(scores.totals), table=None
    )
