"""One pass over a run's events: how each pod ended, and requested resources and queue lengths over time.

A tally can be brought forward as the recording grows. It holds what pages ask about a pod (its last attempt, its
refusals), not its history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.outcomes.making.refusals import RefusalTally
from scheduler_core.explain.outcomes.making.spans import ROLLED, RolloutSpans
from scheduler_core.explain.outcomes.objects import RunObjects
from scheduler_core.explain.outcomes.records import BINDING, CYCLE, PERMIT, Placed, PodRecord, Preemptions
from scheduler_core.explain.outcomes.samples import Sample, Samples
from scheduler_core.explain.outcomes.usage import ClusterUsage
from scheduler_core.recording import events as ev
from scheduler_core.recording.quantities import is_placement
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.recording.state import RunState, apply

LEFT_OUT: frozenset[type[ev.Event]] = ev.PASSING - {ev.NodesFiltered, ev.HostSelected}
"""Events that a tally has no use for."""
BATCH = 8192
PREEMPTED, LOST = "preempted by ", "lost with node "
Numbered = tuple[int, int | None, ev.AnyEvent]
"""(seq, seq of the cause, event)."""


class OutcomesTally:
    """The pass over one recording: ``start`` is the state before its first event. ``fold`` takes events in order."""

    def __init__(self, inputs: RunInputs, start: RunState) -> None:
        self.inputs = inputs
        self.objects = RunObjects(inputs)
        self.state = start
        self.usage = ClusterUsage()
        self.samples = Samples()
        self.preemptions = Preemptions()
        self.lanes = dict.fromkeys(ev.LANES, 0)
        self.peaks = dict.fromkeys(ev.LANES, 0)
        self.failures: dict[tuple[str, str, str], tuple[int, ev.PluginFailed]] = {}
        self.n_failures: Counter[tuple[str, str, str]] = Counter()
        self.finished: ev.RunFinished | None = None
        self.refusals = RefusalTally()
        self.rollouts = RolloutSpans((*inputs.objects.deployments, *inputs.objects.workloads))
        self.placed: list[Placed] = []
        self.n_bindings = 0
        self.records: list[PodRecord] = []
        self.of_name: dict[str, PodRecord] = {}
        self._of_cycle: dict[int, PodRecord] = {}
        self._went: dict[int, PodRecord] = {}
        self._open: PodRecord | None = None
        self._handlers: dict[type, Callable[[int, int | None, Any], None]] = {
            ev.ObjectChanged: self._object_changed,
            ev.CreationRefused: self._creation_refused,
            ev.QueueMove: self._queue_move,
            ev.CycleStarted: self._cycle_started,
            ev.NodesFiltered: self._nodes_filtered,
            ev.HostSelected: self._host_selected,
            ev.PreemptionDecided: self._preemption,
            ev.Reserved: self._reserved,
            ev.Unreserved: self._unreserved,
            ev.PermitWaiting: self._permit_waiting,
            ev.PermitDecided: self._permit_decided,
            ev.Bound: self._bound,
            ev.PluginFailed: self._plugin_failed,
            ev.CycleFinished: self._cycle_finished,
            ev.RunFinished: self._run_finished,
        }
        self._begin()

    def _begin(self) -> None:
        for name in self.state.nodes:
            self.usage.put_node(name, self.objects.allocatable(name))
        for key in dict.fromkeys((*self.objects.pods, *self.state.placements)):
            self._new(key)
            self._place(key)
        for key, cause in self.state.terminating.items():
            if key in self.of_name:
                self.of_name[key].cause = cause
        self._sample()

    def fold(self, events: Iterable[Numbered]) -> None:
        """Take further events; those of LEFT_OUT may be missing."""
        state, handler_of = self.state, self._handlers.get
        for seq, cause, event in events:
            if event.at != state.at:
                self._sample()
            state.seq = seq
            handler = handler_of(type(event))
            if handler is None:
                apply(state, event)
            else:
                handler(seq, cause, event)
        self._sample()

    def binding_waits(self) -> list[int]:
        """The waits of the run's bindings, whatever became of the pods, in order of arrival."""
        return [one.wait(self.state.at) for one in self.records if one.bound_at >= 0 and one.came >= 0]

    # --- pods and nodes ----------------------------------------------------------------------------------------------
    def _new(self, key: str, uid: str = "") -> PodRecord:
        pod = self.objects.pods.get(key)
        record = PodRecord(key, uid, priority=pod.priority if pod is not None else 0)
        self.records.append(record)
        self.of_name[key] = record
        return record

    def _object_changed(self, seq: int, cause: int | None, event: ev.ObjectChanged) -> None:
        self.objects.take(event)
        apply(self.state, event)
        if event.kind in ROLLED:
            self.rollouts.owner_changed(event, self.objects.workload(event))
        elif event.kind == "Pod":
            self._pod_changed(seq, cause, event)
        elif event.kind == "Node":
            if event.action == "deleted":
                self.usage.drop_node(event.key)
            elif event.key in self.state.nodes:
                self.usage.put_node(event.key, self.objects.allocatable(event.key))

    def _pod_changed(self, seq: int, cause: int | None, event: ev.ObjectChanged) -> None:
        record = self.of_name.get(event.key)
        if event.action == "added":
            record = self._new(event.key, event.uid)
            self._replaces(cause)
            self.refusals.pod_came(event)
        if record is None:
            return
        if event.action == "deleted":
            record.exists, record.gone_at = False, event.at
            record.spent.enter("", event.at)
            record.cause = event.cause or record.cause
        elif event.key in self.state.terminating:
            record.cause = self.state.terminating[event.key]
        if record.cause.startswith((PREEMPTED, LOST)):
            self._went[seq] = record
            if cause is None:
                record.replaced = None
        self._place(event.key)

    def _creation_refused(self, seq: int, _cause: int | None, event: ev.CreationRefused) -> None:
        self.refusals.take(seq, event)

    def _replaces(self, cause: int | None) -> None:
        """A pod that was made because another one went, or began to, replaces it."""
        went = self._went.get(cause) if cause is not None else None
        if went is not None:
            went.replaced = True

    def _place(self, key: str) -> None:
        placement = self.state.placements.get(key)
        record = self.of_name.get(key)
        if record is not None and record.exists:
            record.node = placement.node if placement is not None else ""
        if placement is None:
            self.usage.place(key, "", ())
        else:
            self.usage.place(key, placement.node, self.objects.requests(self.objects.pods.get(key)))

    def _reserved(self, _seq: int, _cause: int | None, event: ev.Reserved) -> None:
        apply(self.state, event)
        self._place(event.pod)
        self._spends(event.cycle, BINDING, event.at)

    def _permit_waiting(self, _seq: int, _cause: int | None, event: ev.PermitWaiting) -> None:
        apply(self.state, event)
        self._spends(event.cycle, PERMIT, event.at)

    def _permit_decided(self, _seq: int, _cause: int | None, event: ev.PermitDecided) -> None:
        apply(self.state, event)
        self._spends(event.cycle, BINDING, event.at)

    def _unreserved(self, _seq: int, _cause: int | None, event: ev.Unreserved) -> None:
        apply(self.state, event)
        self._place(event.pod)
        self._spends(event.cycle, CYCLE, event.at)

    def _spends(self, cycle: int, part: str, at: int) -> None:
        record = self._of_cycle.get(cycle)
        if record is not None and not record.is_over:
            record.spent.enter(part, at)

    def _bound(self, _seq: int, _cause: int | None, event: ev.Bound) -> None:
        apply(self.state, event)
        self._place(event.pod)
        self.n_bindings += 1
        record = self._of_cycle.pop(event.cycle, None) if event.cycle else self.of_name.get(event.pod)
        if record is not None:
            record.bound_at, record.node = event.at, event.node
            self._note_rollout(event)
            record.spent.enter("", event.at)

    def _note_rollout(self, event: ev.Bound) -> None:
        pod = self.objects.pods.get(event.pod) if self.rollouts.spans else None
        if pod is not None:
            self.rollouts.pod_bound(self.objects.owner_title(pod), event.at)

    # --- queue and cycles --------------------------------------------------------------------------------------------
    def _queue_move(self, _seq: int, _cause: int | None, event: ev.QueueMove) -> None:
        entry = self.state.queue.get(event.pod)
        apply(self.state, event)
        now = self.state.queue.get(event.pod)
        if entry is not None:
            self.lanes[entry.lane] -= 1
        if now is not None:
            self.lanes[now.lane] += 1
            self.peaks[now.lane] = max(self.peaks[now.lane], self.lanes[now.lane])
        record = self.of_name.get(event.pod)
        if record is None or record.uid != event.uid or record.is_over:
            return
        if record.came < 0 and event.target:
            record.came = event.at
        if record.came >= 0:
            record.spent.moved(event)

    def _cycle_started(self, _seq: int, _cause: int | None, event: ev.CycleStarted) -> None:
        apply(self.state, event)
        record = self.of_name.get(event.pod)
        self._open = record if record is not None and record.uid == event.uid else None
        if self._open is not None:
            self._open.attempts += 1
            self._open.cycle, self._open.priority = event.cycle, event.priority
            self._open.n_nodes, self._open.refusals = event.n_nodes, ()
            self._open.failure = None
            self._of_cycle[event.cycle] = self._open

    def _nodes_filtered(self, _seq: int, _cause: int | None, event: ev.NodesFiltered) -> None:
        if self._open is not None:
            self._open.refusals = event.refusals

    def _host_selected(self, _seq: int, _cause: int | None, event: ev.HostSelected) -> None:
        if self._open is not None:
            self._open.ties = event.tie_count
            self._open.total, self._open.second = event.total, event.second_total

    def _cycle_finished(self, _seq: int, _cause: int | None, event: ev.CycleFinished) -> None:
        apply(self.state, event)
        record, self._open = self._open, None
        if record is not None:
            record.outcome, record.message = event.outcome, event.message
            record.plugins = event.plugins + event.pending_plugins
            if is_placement(event.outcome):
                self.placed.append(Placed(record, event.cycle, record.ties, record.total, record.second))
            else:
                self._of_cycle.pop(event.cycle, None)
                record.ties, record.total, record.second = 0, -1, -1

    def _plugin_failed(self, seq: int, _cause: int | None, event: ev.PluginFailed) -> None:
        kind = event.plugin, event.point, event.error
        self.failures.setdefault(kind, (seq, event))
        self.n_failures[kind] += 1
        record = self.of_name.get(event.pod)
        if record is not None and record.uid == event.uid:
            record.failure = event

    def _preemption(self, _seq: int, _cause: int | None, event: ev.PreemptionDecided) -> None:
        apply(self.state, event)
        totals, chosen = self.preemptions, event.nominated
        totals.tries += 1
        if chosen is None:
            totals.last_without = event
            return
        totals.successful += 1
        totals.victims += len(chosen.victims)
        for victim in chosen.victims:
            if victim in self.of_name:
                self.of_name[victim].preempted_in = event.cycle
        totals.violations += chosen.violations

    def _run_finished(self, _seq: int, _cause: int | None, event: ev.RunFinished) -> None:
        apply(self.state, event)
        self.finished = event

    def _sample(self) -> None:
        usage, devices = self.usage, self.objects.device_usage
        requested, allocatable = usage.requested | devices.allocated, usage.allocatable | devices.there
        self.samples.take(Sample(self.state.at, self.state.seq, requested, allocatable, dict(self.lanes)))


def tally_recording(inputs: RunInputs, reader: RecordingReader, until: int | None = None) -> OutcomesTally:
    """The tally of a recording up to event ``until`` (None: its head)."""
    tally = OutcomesTally(inputs, reader.state_at(0))
    bring_forward(tally, reader, reader.head_seq() if until is None else until)
    return tally


def bring_forward(tally: OutcomesTally, reader: RecordingReader, until: int) -> None:
    """Fold into the tally the events that it has not seen yet, up to ``until``."""
    first = tally.state.seq
    while first < until:
        end = min(first + BATCH, until)
        tally.fold(reader.events_without(LEFT_OUT, first, end))
        first = tally.state.seq = end
