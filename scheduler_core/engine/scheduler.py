"""The scheduler: a pod's attempt from start to assumption or failure, then Permit and binding (schedule_one.go)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec

from scheduler_core.columns.pods import PodInfo
from scheduler_core.engine.attempt import NodeEvaluation, SchedulingAttempt, refuse
from scheduler_core.engine.consequences.evictions import Evictions
from scheduler_core.engine.summaries import extenders_preempted_event, preemption_event
from scheduler_core.engine.world import World
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.extending.hooks import Extenders
from scheduler_core.framework.contracts.run_context import NO_CAUSE
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status, error
from scheduler_core.framework.contracts.waiting_pod import WaitingPodRecord
from scheduler_core.framework.runtime.binding_points import (
    run_bind,
    run_permit,
    run_post_bind,
    run_pre_bind,
    run_reserve,
    run_unreserve,
)
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.queue.cluster_events import ASSIGNED_POD_DELETE
from scheduler_core.queue.scheduling_queue import SchedulingQueue
from scheduler_core.queue.types import QueuedPod
from scheduler_core.recording import events as ev

PERMIT_REJECTED = "rejected while waiting on Permit"


class Binding(msgspec.Struct):
    """A pod assumed on a node, on its way to being bound. ``origin`` is the seq of the event that it follows from:
    the pod's reservation, its wait on Permit, or the end of that. ``pre_bind`` is the place of the plugin that waits at
    PreBind, -1 where that has not begun."""

    queued: QueuedPod
    info: PodInfo
    node: str
    framework: Framework
    cycle: CycleState
    origin: int = NO_CAUSE
    pre_bind: int = -1


class Scheduler:
    """Attempts and bindings. ``start_binding`` is called for a pod that may be bound; the event loop does so later."""

    def __init__(
        self,
        world: World,
        queue: SchedulingQueue,
        frameworks: Mapping[str, Framework],
        evaluation: NodeEvaluation,
        evictions: Evictions,
    ) -> None:
        self.world = world
        self.queue = queue
        self.context = world.context
        self.frameworks = frameworks
        self.evaluation = evaluation
        self.emit = evaluation.emit
        self.evictions = evictions
        self.waiting: dict[str, Binding] = {}
        self.start_binding: Callable[[Binding], None] = self.bind
        self.look_again: Callable[[Binding, int], None] = lambda binding, at: None
        self.wake_at: Callable[[int, str], None] = lambda at, key: None
        self.on_attempt: Callable[[SchedulingAttempt], None] = lambda attempt: None
        world.reject_waiting = self.reject_waiting

    # --- the scheduling cycle --------------------------------------------------------------------------------------
    def attempt(self, queued: QueuedPod) -> SchedulingAttempt | None:
        """Try the pod once; None when there was nothing to try (the pod is being deleted, or assumed already)."""
        pod, cluster, context = queued.pod, self.context.cluster, self.context
        context.cause = queued.moved_seq
        if pod.deletion_timestamp is not None or queued.key in cluster.pods:
            self.queue.done(queued)
            context.cause = NO_CAUSE
            return None
        framework = self.frameworks[pod.scheduler_name]
        context.cycle += 1
        attempt = SchedulingAttempt(cluster.info(pod), framework, CycleState(context.cycle))
        context.cause = self._started(attempt, queued)
        self.evaluation.run(attempt)
        if attempt.node:
            self._assume(attempt, queued)
        if attempt.failure:
            self._failed(attempt, queued)
        self._finished(attempt)
        if context.to_activate:
            self._activate()
        context.cause = NO_CAUSE
        return attempt

    def _started(self, attempt: SchedulingAttempt, queued: QueuedPod) -> int:
        info = attempt.info
        return self.emit(
            ev.CycleStarted(
                at=self.context.now,
                cycle=attempt.cycle.number,
                pod=info.key,
                attempt=queued.attempts,
                profile=attempt.framework.name,
                priority=info.pod.priority,
                template=info.cls.template,
                n_nodes=self.context.cluster.n_nodes,
                uid=self.world.later_uid(info.key, info.pod.uid),
            )
        )

    def _assume(self, attempt: SchedulingAttempt, queued: QueuedPod) -> None:
        """Assume the pod on its node, then run Reserve and Permit; a refusal there undoes the assumption."""
        cycle, info, node, framework = attempt.cycle, attempt.info, attempt.node, attempt.framework
        self.context.cluster.put_pod(info, node)
        self.queue.delete_nominated(info.pod)
        status = run_reserve(framework, cycle, info, node)
        record: WaitingPodRecord | None = None
        binding = Binding(queued, info, node, framework, cycle)
        if status.is_success:
            binding.origin = self.emit(ev.Reserved(at=self.context.now, cycle=cycle.number, pod=info.key, node=node))
            status, record = run_permit(framework, cycle, info, node)
        if status.code not in (Code.SUCCESS, Code.WAIT):
            self._take_back(binding, status.message)
            refuse(attempt, status)
            return
        if record is None:
            self.start_binding(binding)
        else:
            self._hold(binding, record)

    def _take_back(self, binding: Binding, reason: str) -> int:
        """Undo the pod's assumption, and return the seq of the event that records it."""
        run_unreserve(binding.framework, binding.cycle, binding.info, binding.node)
        self.world.cluster.drop_pod(binding.info.key)
        number, key = binding.cycle.number, binding.info.key
        return self.emit(ev.Unreserved(at=self.context.now, cycle=number, pod=key, node=binding.node, reason=reason))

    def _failed(self, attempt: SchedulingAttempt, queued: QueuedPod) -> None:
        """Carry out preemption, return the pod to the queue, write its nomination (handleSchedulingFailure)."""
        decision = attempt.post_filter.decision if attempt.post_filter else None
        if decision is None:
            self._requeue(queued, attempt.plugins, attempt.pending_plugins, attempt.nominated_node)
            return
        started = self.context.cause
        if decision.calls:
            self.emit(extenders_preempted_event(self.world, attempt.cycle.number, attempt.info, decision))
        decided = self.context.cause = self.emit(
            preemption_event(self.world, attempt.cycle.number, attempt.info, decision)
        )
        self.evictions.carry_out(self.world, attempt.info.key, decision)
        self.context.cause = started
        self._requeue(queued, attempt.plugins, attempt.pending_plugins, attempt.nominated_node, decided)

    def _requeue(
        self,
        queued: QueuedPod,
        plugins: frozenset[str],
        pending: frozenset[str],
        nominated_node: str | None,
        nominated_by: int = NO_CAUSE,
    ) -> None:
        """Bring the pod back to the queue. ``nominated_by`` is the seq of the event that decided on the nomination,
        where that is another one than what is carried out now."""
        key = queued.key
        current = self.world.pods.get(key)
        if current is None or current.node_name:
            self.queue.done(queued)
            return
        self.queue.add_unschedulable_if_not_present(queued, plugins, pending, current)
        if nominated_node is not None and (nominated_node or current.nominated_node_name):
            self.queue.add_nominated(current, nominated_node)
            outer = self.context.cause
            self.context.cause = outer if nominated_by == NO_CAUSE else nominated_by
            self.world.nominate(key, nominated_node)
            self.context.cause = outer
        else:
            self.queue.add_nominated(current)

    def _finished(self, attempt: SchedulingAttempt) -> None:
        outcome = "scheduled" if not attempt.failure else "unschedulable" if attempt.rejected else "error"
        self.emit(
            ev.CycleFinished(
                at=self.context.now,
                cycle=attempt.cycle.number,
                pod=attempt.info.key,
                outcome=outcome,
                node=attempt.node if not attempt.failure else "",
                message=attempt.failure,
                plugins=tuple(sorted(attempt.plugins)) if attempt.plugins else (),
                pending_plugins=tuple(sorted(attempt.pending_plugins)) if attempt.pending_plugins else (),
            )
        )
        self.on_attempt(attempt)

    def _activate(self) -> None:
        pods, self.context.to_activate = self.context.to_activate, []
        self.queue.activate(pods)

    # --- Permit ----------------------------------------------------------------------------------------------------
    def _hold(self, binding: Binding, record: WaitingPodRecord) -> None:
        self.context.waiting[binding.info.key] = record
        self.waiting[binding.info.key] = binding
        for deadline in sorted(set(record.deadlines.values())):
            self.wake_at(deadline, binding.info.key)
        binding.origin = self.emit(
            ev.PermitWaiting(
                at=self.context.now,
                cycle=binding.cycle.number,
                pod=binding.info.key,
                node=binding.node,
                plugins=record.pending_plugins(),
                deadline=record.next_deadline,
            )
        )

    def reject_waiting(self, key: str, message: str) -> bool:
        """Reject a pod that waits at Permit. Returns whether there was one."""
        record = self.context.waiting.get(key)
        if record is None:
            return False
        record.reject("", message)
        return True

    def settle_waiting(self) -> bool:
        """Continue with every pod at Permit that was decided or timed out. Returns whether there was any."""
        settled = False
        for key, record in list(self.context.waiting.items()):
            if record.next_deadline <= self.context.now:
                self.context.cause = self.waiting[key].origin
                record.time_out(self.context.now)
            if record.decision is not None:
                settled = True
                self.context.cause = record.origin
                self._settle(key, record.decision)
        self.context.cause = NO_CAUSE
        return settled

    def _settle(self, key: str, decision: tuple[str, bool, str]) -> None:
        plugin, allowed, message = decision
        del self.context.waiting[key]
        binding = self.waiting.pop(key)
        number = binding.cycle.number
        binding.origin = self.context.cause = self.emit(
            ev.PermitDecided(
                at=self.context.now, cycle=number, pod=key, plugin=plugin, allowed=allowed, message=message
            )
        )
        if allowed:
            self.start_binding(binding)
        else:
            self.binding_failed(binding, Status(Code.UNSCHEDULABLE, (message or PERMIT_REJECTED,), plugin))

    # --- binding ---------------------------------------------------------------------------------------------------
    def bind(self, binding: Binding) -> None:
        """PreBind, Bind, PostBind; a failure takes the assumption back and the pod returns to the queue."""
        outer, self.context.cause = self.context.cause, binding.origin
        self._bind(binding)
        self.context.cause = outer

    def _bind(self, binding: Binding) -> None:
        info, framework, cycle, node = binding.info, binding.framework, binding.cycle, binding.node
        if info.key not in self.world.pods:
            self.give_up(binding)
            return
        if binding.pre_bind < 0:
            self.queue.done(binding.queued)
        status, place, again_at = run_pre_bind(framework, cycle, info, node, max(binding.pre_bind, 0))
        if status.code is Code.WAIT:
            binding.pre_bind = place
            self.look_again(binding, again_at)
            return
        if status.is_success:
            extenders = self.context.extenders
            by_extender = None if extenders is None else self._bind_extended(extenders, binding)
            status = run_bind(framework, cycle, info, node) if by_extender is None else by_extender
        if not status.is_success:
            self.binding_failed(binding, status)
            return
        self._bound(binding)

    def _bind_extended(self, extenders: Extenders, binding: Binding) -> Status | None:
        """Have an extender bind the pod, if one is asked to; None where a bind plugin has to."""
        info, number = binding.info, binding.cycle.number
        calls = tuple(extenders.bind(info, binding.node, number))
        if not calls:
            return None
        self.emit(ev.ExtendersBound(at=self.context.now, cycle=number, pod=info.key, node=binding.node, calls=calls))
        last = calls[-1]
        if last.ignored:
            return None
        return error(last.error) if last.error else SUCCESS

    def take_all_back(self, bindings: Iterable[Binding], reason: str) -> None:
        """Undo every assumption, of these bindings and of the pods waiting at Permit; the queue is left as it is."""
        for binding in (*bindings, *self.waiting.values()):
            self._take_back(binding, reason)
            self.world.nominate(binding.info.key, "")
        self.waiting.clear()
        self.context.waiting.clear()

    def restart(self, queue: SchedulingQueue, frameworks: Mapping[str, Framework], evaluation: NodeEvaluation) -> None:
        """Continue with this queue, these frameworks and this evaluation, once every assumption was undone."""
        self.queue, self.frameworks, self.evaluation = queue, frameworks, evaluation

    def give_up(self, binding: Binding) -> None:
        """Abandon the binding of a pod that was deleted."""
        outer, self.context.cause = self.context.cause, binding.origin
        self._take_back(binding, "the pod was deleted")
        self.queue.done(binding.queued)
        self.context.cause = outer

    def _bound(self, binding: Binding) -> None:
        assumed, node, cycle = binding.info, binding.node, binding.cycle
        pod = self.world.pods[assumed.key]
        bound = msgspec.structs.replace(pod, node_name=node, phase="Running", start_time=self.world.wall_time())
        # binding changes nothing that a class is made of; an update in the meantime may have
        info = PodInfo(bound, assumed.cls, assumed.key) if pod is assumed.pod else self.context.cluster.info(bound)
        self.context.cause = self.emit(ev.Bound(at=self.context.now, cycle=cycle.number, pod=info.key, node=node))
        self.world.bind_pod(pod, info)
        run_post_bind(binding.framework, cycle, info, node)
        if self.context.to_activate:
            self._activate()

    def binding_failed(self, binding: Binding, status: Status) -> None:
        """The pod loses its place and goes back to the queue (handleBindingCycleError)."""
        self.context.cause = self._take_back(binding, status.message)
        freed = msgspec.structs.replace(binding.info.pod, node_name=binding.node)
        rejected = status.is_rejected
        if not rejected:
            self.queue.move_all(ASSIGNED_POD_DELETE, freed, None)
        plugins = frozenset({status.plugin} - {""}) if rejected else frozenset()
        self._requeue(binding.queued, plugins, frozenset(), "")
        if rejected:
            self.queue.move_all(ASSIGNED_POD_DELETE, freed, None, lambda pod: pod.key != freed.key)
