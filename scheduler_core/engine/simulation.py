"""The event loop in virtual time: timeline, bindings, evictions, flushes and scheduling cycles, one at a time."""

from __future__ import annotations

import heapq
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.objects import Pod, Workload
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.compiled import kernel
from scheduler_core.engine.arrivals.pods_at_start import RefusedAtStart
from scheduler_core.engine.assumed_pods import AssumedPods
from scheduler_core.engine.attempt import NodeEvaluation
from scheduler_core.engine.consequences.aftermath import Aftermath, Setting
from scheduler_core.engine.consequences.evictions import Evictions
from scheduler_core.engine.inputs import (
    InputChange,
    RunInputs,
    other_objects,
    placed,
    played,
    run_epoch,
    settings_after,
    start_of,
)
from scheduler_core.engine.listed import ListedQueue
from scheduler_core.engine.policies import as_recorded
from scheduler_core.engine.scheduler import Binding, Scheduler
from scheduler_core.engine.summaries import outcome, queue_move
from scheduler_core.engine.world import TERMINATING, ObjectSource, World
from scheduler_core.framework.contracts.plugin_errors import PluginError
from scheduler_core.framework.contracts.run_context import NO_CAUSE, RunContext
from scheduler_core.framework.incremental.phases import IncrementalPhases
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.framework.runtime.phases import PlainPhases
from scheduler_core.queue.cluster_events import ASSIGNED_POD_DELETE, SCHEDULER_RESTART, name_of_2021
from scheduler_core.queue.profiles import queue_profile
from scheduler_core.queue.scheduling_queue import SchedulingQueue
from scheduler_core.queue.types import (
    ERROR_BACKOFF,
    MOVE_CYCLE,
    MOVE_CYCLE_SETTINGS,
    UNSCHEDULABLE,
    Cause,
    QueuedPod,
    QueueProfile,
    QueueSettings,
)
from scheduler_core.recording import events as ev
from scheduler_core.recording.keyframes import AtStart
from scheduler_core.recording.recorder import Recorder
from scheduler_core.recording.state import RunState
from scheduler_core.workloads.timeline import Action

_log = logging.getLogger(__name__)
_encode = msgspec.msgpack.Encoder().encode
SECOND_US = 1_000_000
_MOST_LOGGED = 1_000
_NEVER = 1 << 62
MAX_LISTED = 200
"""At most this many workloads that lack pods are named in the last event."""
MakeFrameworks = Callable[[SchedulerConfiguration, RunContext], dict[str, Framework]]
"""How the engine gets its profiles at work: it is handed them, and knows no plugin."""


class Due(msgspec.Struct, order=True, frozen=True):
    """An entry of the clock: "timeline" (index), "bind" (pod, cycle), "permit" (pod), "evict" (pod, cause), "complete"
    (pod of a Job), "fail", "ready" and "uncount" (pod) or "decide" (workload).

    ``origin`` is the seq of the event that put it there, where that is what causes it. ``uid`` tells the pod that is
    meant from a later one of its name.
    """

    at: int
    serial: int
    kind: str
    key: str = ""
    cause: str = ""
    origin: int = NO_CAUSE
    uid: str = ""


class Simulation:
    """A run in progress. ``step`` does the next thing; ``finished`` is the reason once the run is over.

    ``cached`` False recomputes everything in every cycle, for comparison: the recording is the same.
    ``observers`` are called with every event but digests. ``tracebacks`` are (seq of PluginFailed, text) of plugins'
    exceptions, the first of each kind. ``start_pods`` by key are those of time 0, made of the inputs unless handed in,
    ``start_nodes`` the nodes of those that have one; ``pods_at_start`` and ``nodes_at_start`` are the same for
    keyframes. ``saved_entries`` and ``saved_table`` are encoded parts of the last keyframe, the former made of
    ``saved_pods``.
    ``timeline_at_change`` has for each change carried out how many timeline entries were carried out before it.
    ``configuration`` and ``policies`` are those that hold now: of the inputs, or of the last change of them
    (``n_changes``: how many were carried out before, for a run that is restored). ``switched_off`` are the timeline's
    entries that do not happen. ``is_after_event``: the last step recorded something, so that the run was nowhere else
    with that many events before. ``stays_open``: nothing more is done where the run would end, not even its last event.
    """

    def __init__(
        self,
        inputs: RunInputs,
        make_frameworks: MakeFrameworks,
        recorder: Recorder | None = None,
        *,
        cached: bool = True,
        start: dict[str, Pod] | None = None,
        n_changes: int = 0,
    ) -> None:
        self.inputs = inputs
        self._make_frameworks = make_frameworks
        self.configuration, self.policies = settings_after(inputs, n_changes)
        self.refused_at_start: Sequence[RefusedAtStart] = ()
        if start is None:
            pods, self.refused_at_start = start_of(inputs)
            start = {pod.key: pod for pod in pods}
        self.start_pods = start
        self.start_nodes = placed(self.start_pods)
        self.pods_at_start, self.nodes_at_start = AtStart(self.start_pods), AtStart(self.start_nodes)
        self.context = RunContext(Cluster(), inputs.seed)
        self.context.uses_caches = cached
        self.context.nominated_pods = self._nominated
        self.frameworks: dict[str, Framework] = {}
        self._make_scheduler()
        self.context.on_plugin_error = self._plugin_raised
        self._logged: set[PluginError] = set()
        self.tracebacks: list[tuple[int, str]] = []
        self.recorder = recorder if recorder is not None else self._begin()
        self.observers = self.recorder.observers
        self.recorder.follows = self.context
        self._emit = self.recorder.event
        self.world = World(self.context, self.queue, set(self.frameworks), self._emit, run_epoch(inputs))
        self.evictions = Evictions(at_once=self.policies.victims == "at_once", schedule=self._schedule_eviction)
        self.aftermath = Aftermath(self.world, self.evictions, self._setting(), self._push)
        self.aftermath.begin(inputs.objects, self.start_pods)
        self.world.on_pod, self.world.on_node = self.aftermath.pod_changed, self.aftermath.node_changed
        self.world.on_other = self.aftermath.other_changed
        self.world.protects_claims = self.policies.claims == "play"
        self.evaluation = self._make_evaluation()
        self.scheduler = Scheduler(self.world, self.queue, self.frameworks, self.evaluation, self.evictions)
        self.scheduler.start_binding = self._schedule_binding
        self.scheduler.look_again = self._bind_at
        self.world.cancel_binding = self._cancel_binding
        self.scheduler.wake_at = lambda at, key: self._push(at, "permit", key)
        self.decided = AssumedPods(self.world, self._freed, lambda pod: self.queue.add(pod))
        self._nominees: dict[str, PodInfo] = {}
        self.heap: list[Due] = []
        self.serial = 0
        self.bindings: dict[str, Binding] = {}
        self.busy_until = 0
        self.tried: dict[str, int] = {}
        self.saved_pods: dict[str, Pod] = {}
        self.saved_entries: dict[str, msgspec.Raw] = {}
        self.saved_table: tuple[int, msgspec.Raw] | None = None
        self.finished = ""
        self.started = False
        self.timeline_position = 0
        self.timeline_at_change: list[int] = []
        self.switched_off: set[int] = set()
        self.step_seq = 0
        self.stays_open = False
        self.next_change = self.find_next_change()

    def _make_scheduler(self) -> None:
        """Make the profiles and an empty queue from the configuration and the policies."""
        context, policies = self.context, self.policies
        context.draw_smallest, context.reservoir = policies.draw == "smallest", policies.draw == "reservoir"
        context.behaviours = policies.behaviours
        context.cluster.in_node_order = context.behaviours.pods_in_node_order
        context.cluster.classes.reads_later = (
            context.behaviours.image_volumes_count or context.behaviours.declared_features
        )
        context.cluster.classes.shares_claims = policies.claims == "play"
        context.preemption_candidates_all = policies.preemption_candidates == "all"
        self.frameworks = self._make_frameworks(self.configuration, context)
        self.queue = self._make_queue()
        context.nominated_nodes = self.queue.nominator.node_names
        context.nomination_log = self.queue.nominator.log

    def _make_evaluation(self) -> NodeEvaluation:
        """Make the object that finds a node in each cycle."""
        sample, phases = self.policies.node_search == "configured", None
        if self.context.uses_caches and self.context.extenders is None and kernel() is not None:
            phases = IncrementalPhases(self.frameworks.values(), sample=sample)
        return NodeEvaluation(phases or PlainPhases(sample=sample), self._emit, self.recorder.frame)

    @property
    def change_position(self) -> int:
        """How many of the inputs' changes were carried out."""
        return len(self.timeline_at_change)

    @property
    def is_after_event(self) -> bool:
        """See the class."""
        return self.recorder.head_seq > self.step_seq

    def now(self) -> int:
        """Virtual time in microseconds."""
        return self.context.now

    # --- the loop --------------------------------------------------------------------------------------------------
    def step(self) -> bool:
        """Carry out the next entry or cycle. Returns whether the run goes on."""
        if self.finished:
            return False
        self.step_seq = self.recorder.head_seq
        if not self.started:
            self._start()
            return True
        if self.next_change != _NEVER and self.next_change <= self.recorder.head_seq:
            self._apply_change()
            self.decided.look()
            self.settle()
            return True
        if self.aftermath.exceeded:
            return self._finish(self.aftermath.exceeded)
        context, inputs = self.context, self.inputs
        if context.cycle >= inputs.max_cycles:
            return self._finish(f"the limit of {inputs.max_cycles:,} cycles is reached")
        due, do = self._next()
        if do is None:
            return self._finish(self._outcome())
        if due > inputs.max_virtual_us:
            return self._finish(f"the limit of {inputs.max_virtual_us // (3600 * SECOND_US)} h virtual time is reached")
        if due > context.now:
            context.now = due
        do()
        if self.decided.nodes:
            self.decided.look()
        if self.scheduler.waiting or self.aftermath.to_settle:
            self.settle()
        return True

    def settle(self) -> None:
        """Continue with pods at Permit that were decided, then carry out the consequences of this step's changes."""
        while True:
            while self.scheduler.waiting and self.scheduler.settle_waiting():
                pass
            if not self.aftermath.to_settle:
                return
            self.aftermath.settle()

    def _next(self) -> tuple[int, Callable[[], None] | None]:
        """When the next step is due, and the function that carries it out; None for the latter at the run's end.

        At equal times, entries of the clock come before flushes of the queue, and these before cycles."""
        if self.switched_off:
            self._pass_over()
        queue, at = self.queue, _NEVER
        do: Callable[[], None] | None = None
        can_pop = queue.can_pop
        if self.heap:
            at, do = self.heap[0].at, self._do_due
        elif not can_pop and self._all_tried():
            last = self.aftermath.retries.next(is_all_that_is_left=True) if self.aftermath.retries.of else None
            return (at, None) if last is None else (last, self.aftermath.try_again)
        retries = self.aftermath.retries
        if retries.of and (retry := retries.next(is_all_that_is_left=False)) is not None and retry < at:
            at, do = retry, self.aftermath.try_again
        if (backoff := queue.next_backoff_flush()) is not None and backoff < at:
            at, do = backoff, queue.flush_backoff_completed
        if (leftover := queue.next_unschedulable_flush()) is not None and leftover < at:
            at, do = leftover, queue.flush_unschedulable_leftover
        if can_pop:
            now, free = self.context.now, self.busy_until
            if free < now:
                free = now
            if free < at:
                at, do = free, self._do_cycle
        return at, do

    def deployments(self) -> list[Workload]:
        """The Deployments as they are now; where rollouts are not played, those of the inputs."""
        owners = self.aftermath.owners
        return self.inputs.objects.deployments if owners is None else list(owners.deployments.values())

    def next_at(self) -> int | None:
        """When the next step is due, in microseconds; None where the run would end."""
        at, do = self._next()
        return None if do is None else at

    def _all_tried(self) -> bool:
        """Whether every unschedulable pod was tried since the last change of the cluster."""
        waiting = (q for lane in (UNSCHEDULABLE, ERROR_BACKOFF) for q in self.queue.entries(lane))
        return all(self.tried.get(queued.key) == self.world.changes for queued in waiting)

    def _do_cycle(self) -> None:
        queued = self.queue.pop()
        if queued is None:
            return
        self.tried[queued.key] = self.world.changes
        self.scheduler.attempt(queued)
        self.busy_until = self.context.now + self.policies.cycle_us

    def _do_due(self) -> None:
        due = heapq.heappop(self.heap)
        if due.kind == "bind":
            binding = self.bindings.get(due.key)
            if binding is not None and str(binding.cycle.number) == due.cause:
                self.scheduler.bind(self.bindings.pop(due.key))
        elif due.kind == "timeline":
            self._apply_timeline(int(due.key))
        elif due.kind in ("evict", "complete", "fail"):
            self.context.cause = due.origin
            if due.kind == "evict":
                self.aftermath.leave(due.key, due.uid, due.cause)
            elif due.kind == "fail":
                self.aftermath.fail(due.key, due.uid)
            else:
                self.aftermath.complete(due.key, due.uid)
            self.context.cause = NO_CAUSE
        elif due.kind == "ready":
            self.aftermath.become_ready(due.key, due.uid, due.origin)
        elif due.kind == "uncount":
            self.aftermath.admissions.uncount(due.key)
        elif due.kind == "decide":
            self.aftermath.look_again(due.key, due.origin)
        # "permit" only brings the clock to the time-out; settle_waiting does the rest

    def _apply_timeline(self, index: int) -> None:
        entry = self.inputs.timeline.entries[index]
        self.timeline_position = index + 1
        self._apply(entry.action, entry.object, ObjectSource("timeline", index))
        self._schedule_timeline(index + 1)

    def find_next_change(self) -> int:
        """The seq at which the next change is due; a number above every seq where there is none."""
        changes, position = self.inputs.changes, self.change_position
        return changes[position].seq if position < len(changes) else _NEVER

    def _apply_change(self) -> None:
        """Carry out the next of the changes that were made in the middle of the run."""
        position = self.change_position
        change = self.inputs.changes[position]
        self.timeline_at_change.append(self.timeline_position)
        self.next_change = self.find_next_change()
        if change.action == "put" or change.action == "delete":
            self._apply(change.action, change.object, ObjectSource("change", position))
        elif change.action == "switch_off":
            if change.object >= self.timeline_position:
                self.switched_off.add(change.object)
            self._emit_change(position, "timeline", entry=change.object)
        else:
            self._change_settings(position, change)

    def _change_settings(self, position: int, change: InputChange) -> None:
        """Switch to another configuration or policies; the scheduler restarts if it reads them. The clock stays."""
        value, is_policies = change.object, change.action == "set_policies"
        restarts = not is_policies or self.policies.differs(value)
        what, recorded = ("policies", as_recorded(value)) if is_policies else ("configuration", value)
        self.context.cause = self._emit_change(position, what, value=_encode(recorded), restarts=restarts)
        if is_policies:
            self.policies = value
            self.evictions.at_once = value.victims == "at_once"
            self.aftermath.take(self._setting())
            self.world.protects_claims = value.claims == "play"
        else:
            self.configuration = value
        if restarts:
            self._restart()
        self.context.cause = NO_CAUSE

    def _emit_change(self, position: int, what: str, **facts: Any) -> int:
        return self._emit(ev.InputsChanged(at=self.now(), change=position, what=what, **facts))

    def _restart(self) -> None:
        """Restart the scheduler with the configuration and policies in force now.

        As with kube-scheduler, its memory is lost: assumed pods that are not bound yet are taken back, and pending pods
        are queued as if they were created now. Bound pods and nominations stay."""
        durations = {name: framework.durations for name, framework in self.frameworks.items()}
        self.scheduler.take_all_back(self.bindings.values(), "the scheduler was started anew")
        self.bindings.clear()
        self.queue.drain(Cause(SCHEDULER_RESTART))
        self.context.to_activate.clear()
        self._make_scheduler()
        for name, framework in self.frameworks.items():
            framework.durations = durations.get(name, framework.durations)
        self.evaluation = self._make_evaluation()
        self.scheduler.restart(self.queue, self.frameworks, self.evaluation)
        self.world.serve(self.queue, set(self.frameworks))
        self._queue_all()

    def try_configuration(self, configuration: SchedulerConfiguration) -> None:
        """Make the profiles of this configuration and discard them, so that what is wrong with it raises here."""
        self._make_frameworks(configuration, RunContext(Cluster(), self.inputs.seed))

    def take_inputs(self, inputs: RunInputs) -> None:
        """Continue with inputs that differ from the present ones only by further changes, not carried out yet."""
        self.inputs = inputs
        self.next_change = self.find_next_change()

    def _pass_over(self) -> None:
        """Remove switched-off timeline entries from the head of the clock.

        The following entry takes their place, as if they had never been in the timeline."""
        heap, entries = self.heap, self.inputs.timeline.entries
        while heap and heap[0].kind == "timeline" and (index := int(heap[0].key)) in self.switched_off:
            due = heapq.heappop(heap)
            self.timeline_position = index + 1
            if index + 1 < len(entries):
                heapq.heappush(heap, Due(entries[index + 1].at, due.serial, "timeline", str(index + 1)))

    def _apply(self, action: Action, obj: Any, source: ObjectSource) -> None:
        if action == "put":
            self.aftermath.admissions.bring(obj, source)
        else:
            self.world.delete(obj, source)

    # --- start and end ---------------------------------------------------------------------------------------------
    def _begin(self) -> Recorder:
        """Put the initial objects in place and open the recording on them."""
        cluster = self.context.cluster
        for obj in other_objects(self.inputs.objects):
            cluster.listers.put(obj)
        for node in self.inputs.objects.nodes:
            cluster.put_node(node)
        self.context.pods.update(self.start_pods)
        for pod in self.start_pods.values():
            if pod.node_name:
                cluster.put_pod(cluster.info(pod), pod.node_name)
        terminating = {key: TERMINATING for key, pod in self.start_pods.items() if pod.deletion_timestamp is not None}
        recorder = Recorder(state=RunState.initial(cluster.table.row_of, self.start_nodes, terminating=terminating))
        self.context.reasons = recorder.reasons
        return recorder

    def _queue_all(self) -> None:
        """Queue the pods that wait for one of the profiles."""
        for pod in self.world.pods.values():
            if not pod.node_name and pod.scheduler_name in self.frameworks and pod.key not in self.decided.nodes:
                self.queue.add(pod)

    def _start(self) -> None:
        """Queue the pods that wait at time 0, and put the timeline on the clock."""
        self.started = True
        if self.policies.decided == "hold" and self.inputs.schedule != "all":
            self.decided.begin(self.frameworks)
        self.aftermath.claims.start(self._off_their_nodes())
        self._queue_all()
        self._schedule_timeline(0)
        self.aftermath.ownership.index(self.world.pods.values())
        self.aftermath.start(self.world.pods.values(), self.refused_at_start)
        if not self.queue.can_pop:
            # No cycle comes before the controllers.
            self.settle()

    def _off_their_nodes(self) -> Iterator[Pod]:
        """The pods that the inputs have on a node and the run schedules again."""
        for pod in self.inputs.objects.pods:
            if pod.node_name and (now := self.world.pods.get(pod.key)) is not None and not now.node_name:
                yield now

    def _finish(self, reason: str) -> bool:
        if self.next_change != _NEVER:  # the run ends before the seq at which this change is due
            self._apply_change()
            self.decided.look()
            self.settle()
            return True
        if self.stays_open:
            return False
        bound = sum(1 for pod in self.world.pods.values() if pod.node_name)
        pending = len(self.world.pods) - bound
        short = self.aftermath.shortfalls()
        self._emit(
            ev.RunFinished(
                at=self.now(),
                reason=reason,
                cycles=self.context.cycle,
                bound=bound,
                pending=pending,
                missing=tuple(short[:MAX_LISTED]),
                n_short=len(short),
            )
        )
        self.finished = reason
        return False

    def _outcome(self) -> str:
        pending = sum(1 for pod in self.world.pods.values() if not pod.node_name)
        stuck = [one for one in self.aftermath.rollouts() if not one.is_on_purpose]
        pending -= sum(len(one.pending) for one in stuck)
        return outcome(pending, self.aftermath.shortfalls(), self.aftermath.bare_gone, [one.text for one in stuck])

    # --- the clock -------------------------------------------------------------------------------------------------
    def _push(self, at: int, kind: str, key: str, cause: str = "", uid: str = "", origin: int = NO_CAUSE) -> None:
        self.serial += 1
        heapq.heappush(self.heap, Due(at, self.serial, kind, key, cause, origin, uid))

    def _schedule_timeline(self, index: int) -> None:
        if index < len(self.inputs.timeline.entries):
            self._push(self.inputs.timeline.entries[index].at, "timeline", str(index))

    def _schedule_eviction(self, at: int, pod: Pod, cause: str, origin: int) -> None:
        self._push(at, "evict", pod.key, cause, pod.uid, origin)

    def _schedule_binding(self, binding: Binding) -> None:
        self._bind_at(binding, self.context.now + self.policies.binding_us)

    def _bind_at(self, binding: Binding, at: int) -> None:
        key = binding.info.key
        self.bindings[key] = binding
        self._push(at, "bind", key, str(binding.cycle.number))

    def _cancel_binding(self, key: str) -> None:
        binding = self.bindings.pop(key, None)
        if binding is not None:
            self.scheduler.give_up(binding)

    # --- callbacks of the parts ------------------------------------------------------------------------------------
    def _moved(self, queued: QueuedPod, source: str, cause: Cause) -> None:
        """Record the move. Where only time caused it, its recorded cause is the pod's previous move."""
        origin = self.context.cause if cause.origin < 0 else cause.origin
        if cause.by_clock:
            origin = queued.moved_seq
        if self.policies.event_names == "of_2021":
            cause = cause._replace(event=name_of_2021(cause.event))
        uid = self.world.later_uid(queued.key, queued.pod.uid) if self.world.firsts else ""
        queued.moved_seq = self.recorder.event(queue_move(self.context.now, queued, source, cause, uid), origin)

    def _plugin_raised(self, error: PluginError) -> None:
        """Record the exception; log the first of its kind with its traceback, which is kept in ``tracebacks``."""
        pod = self.world.pods.get(error.pod)
        seq = self._emit(
            ev.PluginFailed(
                at=self.now(),
                cycle=error.cycle,
                pod=error.pod,
                plugin=error.plugin,
                point=error.point,
                error=error.kind,
                message=error.text,
                uid="" if pod is None else self.world.later_uid(error.pod, pod.uid),
            )
        )
        kind = PluginError(plugin=error.plugin, point=error.point, kind=error.kind, text=error.text)
        if kind not in self._logged and len(self._logged) < _MOST_LOGGED:
            self._logged.add(kind)
            self.tracebacks.append((seq, error.traceback))
            _log.warning("pod %s: %s\n%s", error.pod, error.message, error.traceback)

    def _freed(self, pod: Pod) -> None:
        self.queue.move_all(ASSIGNED_POD_DELETE, pod, None)

    def _lookup(self, key: str) -> Pod | None:
        return self.world.pods.get(key)

    def _nominated(self, node_name: str) -> list[PodInfo]:
        return [self._nominee(pod) for pod in self.queue.nominated_pods(node_name)]

    def _nominee(self, pod: Pod) -> PodInfo:
        """The PodInfo of a nominated pod: one object for as long as the pod's version is the same."""
        info = self._nominees.get(pod.key)
        if info is None or info.pod is not pod:
            if len(self._nominees) > 2 * len(self.queue.nominator) + 64:
                self._nominees.clear()
            info = self._nominees[pod.key] = self.context.cluster.info(pod)
        return info

    def _make_queue(self) -> SchedulingQueue:
        profiles = self._profiles()
        if self.policies.attempt_order == "listed":
            return ListedQueue(self.now, profiles, self._settings(), self._moved, self._lookup, self.context)
        return SchedulingQueue(self.now, profiles, self._settings(), self._moved, self._lookup, self.context)

    def _profiles(self) -> dict[str, QueueProfile]:
        return {name: queue_profile(framework) for name, framework in self.frameworks.items()}

    def _setting(self) -> Setting:
        policies = self.policies
        return Setting(
            leaving=policies.terminating == "leave",
            keeping=policies.owners == "keep",
            losing=policies.node_loss == "pods_go",
            claiming=policies.claims == "play",
            admission=played(self.inputs, policies),
            job_running_us=policies.job_running_us,
            max_replacements=policies.max_replacements,
            seed=self.inputs.seed,
            rolling=policies.rollouts == "play" and policies.owners == "keep",
            kubelets=policies.kubelets,
        )

    def _settings(self) -> QueueSettings:
        configuration, policies = self.configuration, self.policies
        base = MOVE_CYCLE_SETTINGS if policies.queue == MOVE_CYCLE else QueueSettings()
        stay = policies.unschedulable_stay_us
        return msgspec.structs.replace(
            base,
            initial_backoff_us=configuration.pod_initial_backoff_seconds * SECOND_US,
            max_backoff_us=configuration.pod_max_backoff_seconds * SECOND_US,
            unschedulable_stay_us=base.unschedulable_stay_us if stay is None else stay,
            behaviours=self.context.behaviours,
        )
