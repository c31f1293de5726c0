"""The scheduling queue of one run (backend/queue/scheduling_queue.go), single-threaded, in virtual time.

Nothing here blocks, reads a clock or starts a timer: ``now`` is handed in, and the engine calls the flushes at the
times that ``next_backoff_flush`` and ``next_unschedulable_flush`` name. Where upstream walks a map in random order,
pods are taken in the order in which they came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.framework.contracts.events import ClusterEvent
from scheduler_core.framework.contracts.run_context import UNCAUSED, HasCause
from scheduler_core.queue import types
from scheduler_core.queue.backoff import stay_flush_time
from scheduler_core.queue.board import PodBoard
from scheduler_core.queue.cluster_events import (
    ASSIGNED_POD_ADD,
    BACKOFF_COMPLETE,
    DONE,
    FORCE_ACTIVATE,
    POP_FROM_BACKOFF,
    POPPED,
    SCHEDULE_ATTEMPT_FAILURE,
    UNSCHEDULABLE_TIMEOUT,
    UNSCHEDULED_POD_ADD,
    UNSCHEDULED_POD_DELETE,
    UNSCHEDULED_POD_UPDATE,
    event_label,
    is_wildcard,
)
from scheduler_core.queue.hints import HintTable
from scheduler_core.queue.in_flight import InFlight, SeenEvent
from scheduler_core.queue.nominator import Nominator
from scheduler_core.queue.rules import HintRules, MoveCycleRules, RequeueRules
from scheduler_core.queue.snapshot import QueueState, SavedLogEntry, SavedPod, load_object, load_waiting, save_object
from scheduler_core.queue.types import (
    ACTIVE,
    BACKOFF,
    ERROR_BACKOFF,
    GATED,
    IN_FLIGHT,
    OUTSIDE,
    UNSCHEDULABLE,
    Cause,
    OnMove,
    QueuedPod,
    QueueProfile,
    QueueSettings,
    Requeue,
    RequeueDecision,
    identity,
)

PreCheck = Callable[[Pod], bool]

_ADDED, _UPDATED, _DELETED, _FORCED = (
    Cause(event_label(event))
    for event in (UNSCHEDULED_POD_ADD, UNSCHEDULED_POD_UPDATE, UNSCHEDULED_POD_DELETE, FORCE_ACTIVATE)
)
_POPPED, _POPPED_FROM_BACKOFF = Cause(POPPED, by_clock=True), Cause(POP_FROM_BACKOFF, by_clock=True)
_BACKOFF_COMPLETE = Cause(BACKOFF_COMPLETE, by_clock=True)
_DONE = Cause(DONE)
_RULES: dict[str, Callable[[HintTable, InFlight], RequeueRules]] = {
    types.HINTS: HintRules,
    types.MOVE_CYCLE: MoveCycleRules,
}


class SchedulingQueue:
    """activeQ, backoffQ with the error backoff queue, unschedulable pods, pods in flight and nominations.

    ``on_move`` is called after every move. ``lookup`` gives the current version of a pod by namespace/name (None
    when it is gone): a pod that is gone or bound is not nominated. ``follows`` has the seq of the recorded event whose
    consequences are being carried out: events that pods in flight saw keep it.
    """

    def __init__(
        self,
        now: Callable[[], int],
        profiles: Mapping[str, QueueProfile],
        settings: QueueSettings,
        on_move: OnMove,
        lookup: Callable[[str], Pod | None] | None = None,
        follows: HasCause = UNCAUSED,
    ) -> None:
        if not profiles:
            raise ValueError("a scheduling queue needs at least one profile")
        self.settings = settings
        self.nominator = Nominator(lookup)
        self._now = now
        self._profiles = profiles
        self._table = HintTable(profiles)
        self._board = PodBoard(
            settings,
            next(iter(profiles.values())).sort_key,
            lambda plugin: self._table.concerns(plugin, UNSCHEDULABLE_TIMEOUT),
            on_move,
            follows,
        )
        self._in_flight = self._board.in_flight
        self._rules = _RULES[settings.mode](self._table, self._in_flight)
        self._orders = 0

    # ---- pending pods

    def add(self, pod: Pod) -> None:
        """Queue a new pod: activeQ, or gated. ValueError if no profile has its scheduler name."""
        self._to_active(self._new(pod), _ADDED)

    def update(self, old: Pod | None, new: Pod) -> None:
        """Take over a pending pod's new version; an unschedulable pod moves if a hint says that this helps it."""
        if old is not None and self._rules.absorbs_update(old, new):
            return
        queued = self._board.pods.get(new.key)
        if queued is None:
            self._to_active(self._new(new), _UPDATED)
            return
        before = old or queued.pod
        if queued.lane in self._board.heaps:
            self._board.renew(queued, new, _UPDATED)
            self.nominator.update(before, new)
        else:
            queued.pod = new
            self.nominator.update(before, new)
            self._update_unschedulable(queued, before, new)

    def delete(self, pod: Pod) -> None:
        """Forget a pending pod and its nomination; one in flight stays there until its attempt ends."""
        self.nominator.delete(pod)
        queued = self._board.pods.get(pod.key)
        if queued is not None:
            self._board.drop(queued, _DELETED)

    def drain(self, cause: Cause) -> None:
        """Take every pod out, those in flight too: what a scheduler forgets that stops."""
        for queued in self._board.waiting():
            self._board.drop(queued, cause)
        for queued in self.in_flight():
            self._in_flight.remove(identity(queued.pod))
            self._board.report(queued, OUTSIDE, cause)

    def activate(self, pods: Iterable[Pod]) -> None:
        """Move pods to activeQ at once, whatever backoff is left; pods in flight are retried after their attempt."""
        for pod in pods:
            queued = self._board.pods.get(pod.key)
            if queued is None or queued.lane == ACTIVE or not self._to_active(queued, _FORCED):
                self._rules.activation_missed(pod)

    # ---- attempts

    def pop(self) -> QueuedPod | None:
        """The next pod, now in flight, with its attempts counted up and its verdicts cleared.

        The head of activeQ, else (where allowed) of backoffQ; None where kube-scheduler would block.
        """
        board = self._board
        while True:
            cause = _POPPED
            queued = board.active.pop()
            if queued is None and self.settings.pop_from_backoff:
                cause = _POPPED_FROM_BACKOFF
                queued = board.backoff.pop()
            if queued is None:
                return None
            del board.pods[queued.key]
            queued.attempts += 1
            if queued.pod not in self._in_flight:
                break
            # The same pod twice: the later one is given up, as upstream does.
            board.report(queued, OUTSIDE, cause)
        return self._begin_attempt(queued, cause)

    def take(self, key: str) -> QueuedPod | None:
        """Pop this pod whatever lane it waits in; None when it does not wait or is gated."""
        queued = self._board.pods.get(key)
        if queued is None or queued.lane == GATED:
            return None
        self._board.leave(queued)
        del self._board.pods[key]
        queued.attempts += 1
        return self._begin_attempt(queued, _POPPED)

    def _begin_attempt(self, queued: QueuedPod, cause: Cause) -> QueuedPod:
        self._in_flight.add(queued)
        self._rules.cycle += 1
        queued.cycle = self._rules.cycle
        queued.unschedulable_plugins = queued.pending_plugins = ()
        queued.gated_by = ""
        self._board.report(queued, IN_FLIGHT, cause)
        return queued

    def add_unschedulable_if_not_present(
        self,
        queued: QueuedPod,
        plugins: Iterable[str] = (),
        pending_plugins: Iterable[str] = (),
        pod: Pod | None = None,
    ) -> str:
        """Take a pod back after a failed attempt and end the attempt; the lane it went to.

        ``plugins`` refused it, ``pending_plugins`` hold it; neither means that the attempt ended with an error.
        ``pod`` is its current version. The empty string: the pod waits in the queue already, only the attempt ended.
        """
        attempt = identity(queued.pod)
        if queued.key in self._board.pods:
            self.done(queued)
            return OUTSIDE
        queued.unschedulable_plugins = tuple(sorted(set(plugins)))
        queued.pending_plugins = tuple(sorted(set(pending_plugins)))
        if queued.unschedulable_plugins or queued.pending_plugins:
            queued.unschedulable_count += 1
            queued.error_count = 0
        else:
            queued.error_count += 1
        queued.timestamp = self._now()
        queued.order = self._next_order()
        queued.backoff_until = None
        if pod is not None:
            queued.pod = pod
        self._requeue(queued, self._rules.after_failure(queued), SCHEDULE_ATTEMPT_FAILURE)
        self._in_flight.remove(attempt)
        return queued.lane

    def done(self, pod: QueuedPod | Pod | str) -> None:
        """End the attempt of a pod (or of the one last popped under this namespace/name); unknown pods are ignored."""
        if isinstance(pod, QueuedPod):
            pod = pod.pod
        elif isinstance(pod, str):
            popped = self._in_flight.get(pod)
            if popped is None:
                return
            pod = popped.pod
        queued = self._in_flight.remove(identity(pod))
        if queued is not None:
            self._board.report(queued, OUTSIDE, _DONE)

    # ---- events

    def move_all(self, event: ClusterEvent, old: Any = None, new: Any = None, precheck: PreCheck | None = None) -> None:
        """Move the unschedulable pods that the event may help, and remember it for the pods in flight."""
        interested = self._table.interested(event)
        if not self._is_heard(event):
            return
        unschedulable = self._board.unschedulable
        if not unschedulable.size:
            self._rules.noted(event, old, new)
            return
        pods = list(unschedulable) if is_wildcard(event) else unschedulable.candidates(interested)
        if precheck is not None:
            pods = [queued for queued in pods if precheck(queued.pod)]
        self._move(pods, event, old, new)

    def would_move(
        self, queued: QueuedPod, event: ClusterEvent, old: Any, new: Any, precheck: PreCheck | None = None
    ) -> RequeueDecision:
        """Where ``move_all`` would send a pod that is unschedulable or gated; nothing is moved."""
        is_held = bool(queued.gated_by) and not self._table.concerns(queued.gated_by, event)
        if not self._is_heard(event) or is_held or (precheck is not None and not precheck(queued.pod)):
            return types.SKIPPED
        return self._rules.judge(queued, event, old, new)

    def _is_heard(self, event: ClusterEvent) -> bool:
        return self._rules.hears_all or is_wildcard(event) or bool(self._table.interested(event))

    def would_update(self, queued: QueuedPod, old: Pod, new: Pod) -> list[tuple[str, RequeueDecision]]:
        """(event, where it sends the pod) for each event in an update of that pod; nothing is moved."""
        return list(self._rules.after_update(queued, old, new))

    def assigned_pod_added(self, pod: Pod, precheck: PreCheck | None = None) -> None:
        """Move pods that waited for a pod like this one, which was just bound or came bound."""
        self.move_all(ASSIGNED_POD_ADD, None, pod, precheck)

    def assigned_pod_updated(self, old: Pod, new: Pod, event: ClusterEvent, precheck: PreCheck | None = None) -> None:
        """Move pods that waited for this change of a bound pod."""
        self.move_all(event, old, new, precheck)

    # ---- timers

    def flush_backoff_completed(self) -> None:
        """Move the pods whose backoff is over to activeQ; the timer runs every second."""
        now, timing = self._now(), self._board.timing
        completed = []
        for lane in (self._board.backoff, self._board.error_backoff):
            while (queued := lane.peek()) is not None and not timing.is_backing_off(queued, now):
                lane.pop()
                completed.append(queued)
        for queued in completed:
            self._to_active(queued, _BACKOFF_COMPLETE)

    def flush_unschedulable_leftover(self) -> None:
        """Move the pods that were unschedulable for too long; the timer runs every 30 s.

        Gated pods that waited as long stay, but for them too the pods in flight remember the time-out.
        """
        limit = self._now() - self.settings.unschedulable_stay_us
        waiting = self._board.unschedulable
        pods = [queued for queued in waiting.by_age() if queued.timestamp < limit]
        held = waiting.oldest_held()
        if pods or (held is not None and held.timestamp < limit):
            self._move(pods, UNSCHEDULABLE_TIMEOUT, None, None)

    def next_backoff_flush(self) -> int | None:
        """When (µs) the backoff timer will next move a pod; None while no pod backs off."""
        board = self._board
        if not board.backoff.size and not board.error_backoff.size:
            return None
        now = self._now()
        heads = (lane.peek() for lane in (board.backoff, board.error_backoff))
        return min((board.timing.flush_time(head, now) for head in heads if head is not None), default=None)

    def next_unschedulable_flush(self) -> int | None:
        """When (µs) the leftover timer will next move a pod, or be news to one in flight; None for neither."""
        waiting = self._board.unschedulable
        if not waiting.size:
            return None
        oldest, held = waiting.oldest(), waiting.oldest_held() if waiting.gated else None
        is_older = held is not None and (oldest is None or held.timestamp < oldest.timestamp)
        if is_older and self._rules.timeout_is_news():
            oldest = held
        return None if oldest is None else stay_flush_time(oldest.timestamp, self._now(), self.settings)

    def flush_time(self, queued: QueuedPod, now: int) -> int | None:
        """When (µs), seen from ``now``, a timer moves the pod from the lane that it is in; None where none does."""
        if queued.lane in (types.BACKOFF, types.ERROR_BACKOFF):
            return self._board.timing.flush_time(queued, now)
        return stay_flush_time(queued.timestamp, now, self.settings) if queued.lane == types.UNSCHEDULABLE else None

    @property
    def hints(self) -> HintTable:
        """Which plugins hear of which event."""
        return self._table

    # ---- nominations

    def add_nominated(self, pod: Pod, node: str | None = None) -> None:
        """Nominate the pod to a node; None takes the node of its status, "" is kept as a nomination to no node."""
        self.nominator.add(pod, node)

    def delete_nominated(self, pod: Pod) -> None:
        """Forget the pod's nomination."""
        self.nominator.delete(pod)

    def nominated_node(self, pod: Pod) -> str | None:
        """The node that the pod is nominated to, or None."""
        return self.nominator.node_of(pod)

    def nominated_pods(self, node_name: str) -> list[Pod]:
        """Pods nominated to the node, in order of nomination, in the version that the queue has."""
        nominated = self.nominator.pods_on(node_name)
        if not nominated:
            return nominated
        queued = (self._board.pods.get(pod.key) for pod in nominated)
        return [pod if current is None else current.pod for pod, current in zip(nominated, queued, strict=True)]

    # ---- looking

    @property
    def scheduling_cycle(self) -> int:
        """How many pods were popped."""
        return self._rules.cycle

    @property
    def can_pop(self) -> bool:
        """Whether ``pop`` would give a pod."""
        board = self._board
        return board.active.size > 0 or (self.settings.pop_from_backoff and board.backoff.size > 0)

    def get(self, key: str) -> QueuedPod | None:
        """The pod of this namespace/name, waiting or in flight; None where unknown."""
        return self._board.pods.get(key) or self._in_flight.get(key)

    def entries(self, lane: str) -> list[QueuedPod]:
        """The pods of a lane: active and backoff lanes as they will leave, the others as they came."""
        return self._board.entries(lane)

    def in_flight(self) -> list[QueuedPod]:
        """The pods in flight, in order of their pops."""
        return list(self._in_flight)

    def in_flight_log(self) -> Iterator[QueuedPod | SeenEvent]:
        """Pods in flight and the events seen since, as they came."""
        return self._in_flight.log()

    def waits(self, key: str) -> bool:
        """Whether a pod of this namespace/name waits in a lane."""
        return key in self._board.pods

    def lengths(self) -> dict[str, int]:
        """How many pods each lane holds."""
        return self._board.lengths()

    def __len__(self) -> int:
        """How many pods wait; those in flight are not counted."""
        return len(self._board.pods)

    # ---- saving

    def dump(self) -> dict[str, Any]:
        """The whole state for encoding by msgspec; waiting pods are named, their objects are the caller's."""
        waiting = self._board.pods
        state = QueueState(
            cycle=self._rules.cycle,
            move_request_cycle=self._rules.move_request_cycle,
            orders=self._orders,
            waiting=tuple(map(SavedPod.of, self._board.waiting())),
            log=tuple(map(SavedLogEntry.of, self._in_flight.log())),
            nominated=tuple(
                (node, tuple(pod.key if pod.key in waiting else save_object(pod) for pod in pods))
                for node, pods in self.nominator
            ),
        )
        return msgspec.structs.asdict(state)

    def load(self, data: Mapping[str, Any], pods: Mapping[str, Pod]) -> None:
        """Take over what ``dump`` gave, decoded. ``pods`` are the current pods by namespace/name. Reports no moves.

        ValueError if a waiting pod is missing or the data is not such a state (msgspec.ValidationError).
        """
        state = msgspec.convert(data, QueueState)
        self._board.restore(load_waiting(state.waiting, pods), [entry.restored() for entry in state.log])
        self.nominator.restore(
            [
                (node, [pods[pod] if isinstance(pod, str) else load_object(pod) for pod in nominees])
                for node, nominees in state.nominated
            ]
        )
        self._orders = state.orders
        self._rules.cycle, self._rules.move_request_cycle = state.cycle, state.move_request_cycle

    # ---- moving

    def _new(self, pod: Pod) -> QueuedPod:
        return QueuedPod(pod, pod.key, self._now(), self._next_order())

    def _next_order(self) -> int:
        self._orders += 1
        return self._orders

    def _move(self, pods: Iterable[QueuedPod], event: ClusterEvent, old: Any, new: Any) -> None:
        label = event_label(event)
        for queued in pods:
            if queued.gated_by and not self._table.concerns(queued.gated_by, event):
                continue
            verdict = self._rules.judge(queued, event, old, new)
            if verdict.requeue is not Requeue.SKIP:
                self._requeue(queued, verdict, label)
        self._rules.noted(event, old, new)

    def _update_unschedulable(self, queued: QueuedPod, old: Pod, new: Pod) -> None:
        for label, verdict in self._rules.after_update(queued, old, new):
            self._requeue(queued, verdict, label)
            if queued.lane == ACTIVE or (self.settings.pop_from_backoff and queued.lane in self._board.heaps):
                return

    def _requeue(self, queued: QueuedPod, verdict: RequeueDecision, event: str) -> None:
        """requeuePodWithQueueingStrategy: the pod's backoff may be over by now, then it goes to activeQ."""
        by_clock = event == UNSCHEDULABLE_TIMEOUT.label
        cause = Cause(event, verdict.plugin, verdict.in_flight_event, verdict.origin, by_clock)
        requeue = verdict.requeue
        if requeue is Requeue.SKIP:
            if queued.lane not in (UNSCHEDULABLE, GATED):
                self._board.place(queued, UNSCHEDULABLE, cause)
        elif requeue is Requeue.STRAIGHT_TO_BACKOFF or (
            requeue is Requeue.AFTER_BACKOFF and self._board.timing.is_backing_off(queued, self._now())
        ):
            self._to_backoff(queued, cause)
        else:
            self._to_active(queued, cause)

    def _to_active(self, queued: QueuedPod, cause: Cause) -> bool:
        """Whether the pod got into activeQ; PreEnqueue ran already for pods out of backoffQ, also activated ones."""
        if not (self.settings.pop_from_backoff and queued.lane in (BACKOFF, ERROR_BACKOFF)):
            self._run_pre_enqueue(queued)
        if queued.gated_by:
            self._gate(queued, cause)
            return False
        if queued.initial_attempt_timestamp is None:
            queued.initial_attempt_timestamp = self._now()
        self._board.place(queued, ACTIVE, cause)
        if cause.event in (_ADDED.event, _UPDATED.event):
            self.nominator.add(queued.pod)
        return True

    def _to_backoff(self, queued: QueuedPod, cause: Cause) -> None:
        if self.settings.pop_from_backoff:
            self._run_pre_enqueue(queued)
            if queued.gated_by:
                self._gate(queued, cause)
                return
        has_error_lane = self.settings.mode == types.HINTS
        lane = ERROR_BACKOFF if has_error_lane and not queued.rejectors else BACKOFF
        self._board.place(queued, lane, cause)

    def _run_pre_enqueue(self, queued: QueuedPod) -> None:
        profile = self._profiles.get(queued.pod.scheduler_name)
        if profile is None:
            raise ValueError(f"pod {queued.key}: no profile named {queued.pod.scheduler_name!r}")
        status = profile.pre_enqueue(queued.pod)
        if status.is_success:
            queued.gated_by = ""
            return
        queued.gated_by = status.plugin
        if status.plugin not in queued.unschedulable_plugins:
            queued.unschedulable_plugins = tuple(sorted((*queued.unschedulable_plugins, status.plugin)))

    def _gate(self, queued: QueuedPod, cause: Cause) -> None:
        other = self._board.pods.get(queued.key)
        if other is None or other is queued:
            self._board.place(queued, GATED, cause)
