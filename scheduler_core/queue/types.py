"""What the queue holds, is given and reports: queued pods, profiles, settings, moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.framework.contracts.events import EventWithHint
from scheduler_core.framework.contracts.run_context import NO_CAUSE
from scheduler_core.framework.contracts.status import Status
from scheduler_core.versions.behaviours import Behaviours

ACTIVE = "active"
BACKOFF = "backoff"
ERROR_BACKOFF = "error_backoff"
UNSCHEDULABLE = "unschedulable"
GATED = "gated"
IN_FLIGHT = "in_flight"
OUTSIDE = ""

LANES = (ACTIVE, BACKOFF, ERROR_BACKOFF, UNSCHEDULABLE, GATED, IN_FLIGHT)
"""Places of a pod in the queue, the same words as in recordings; gated pods are upstream's unschedulable pods
that a PreEnqueue plugin holds back."""

HINTS = "hints"
MOVE_CYCLE = "move-cycle"

SECOND = 1_000_000


class QueueProfile(msgspec.Struct, frozen=True):
    """What a profile hands to the queue.

    ``sort_key(pod, timestamp)`` orders activeQ ascending; all profiles must use the same. ``pre_enqueue`` answers with
    ``Status.plugin`` set where it refuses. ``hints`` are the events that each plugin registers, in profile order.
    ``hint_raised(plugin, pod, exception)`` is called when a queueing hint raises.
    """

    sort_key: Callable[[Pod, int], tuple[Any, ...]]
    pre_enqueue: Callable[[Pod], Status]
    hints: Sequence[tuple[str, EventWithHint]] = ()
    hint_raised: Callable[[str, Pod, Exception], None] | None = None


class QueueSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Durations in microseconds of virtual time, and the rules of the house.

    ``mode`` "hints" is kube-scheduler since v1.33; "move-cycle" the queue before queueing hints (see
    MOVE_CYCLE_SETTINGS). ``behaviours`` are those that versions differ in.
    """

    initial_backoff_us: int = 1 * SECOND
    max_backoff_us: int = 10 * SECOND
    unschedulable_stay_us: int = 300 * SECOND
    backoff_flush_us: int = 1 * SECOND
    unschedulable_flush_us: int = 30 * SECOND
    pop_from_backoff: bool = True
    mode: str = HINTS
    behaviours: Behaviours = Behaviours()


MOVE_CYCLE_SETTINGS = QueueSettings(mode=MOVE_CYCLE, pop_from_backoff=False, unschedulable_stay_us=60 * SECOND)
"""The older queue of the seed on PriorityQueue: a move request during the attempt decides, backoff grows by attempts,
one backoff queue without ordering windows, pods stay unschedulable for 60 s at the longest."""


class QueuedPod(msgspec.Struct, eq=False):
    """A pod with what the queue knows of it; compared by identity.

    ``timestamp`` is when it was first added or last came back from a failed attempt; ``order`` counts these occasions
    and separates equal timestamps. ``backoff_until`` is the cached expiry. ``cycle`` is the scheduling cycle of the
    last pop. ``ticket`` is the queue's own: its place in a lane's heap, 0 while in none. ``moved_seq`` is the seq of
    the event that records the last move; the recorder of the moves sets it.
    """

    pod: Pod
    key: str
    timestamp: int
    order: int
    attempts: int = 0
    unschedulable_count: int = 0
    error_count: int = 0
    initial_attempt_timestamp: int | None = None
    unschedulable_plugins: tuple[str, ...] = ()
    pending_plugins: tuple[str, ...] = ()
    gated_by: str = ""
    backoff_until: int | None = None
    lane: str = OUTSIDE
    ticket: int = 0
    cycle: int = 0
    moved_seq: int = NO_CAUSE

    @property
    def rejectors(self) -> tuple[str, ...]:
        """Plugins that refused the pod or hold it pending; empty after an error."""
        return self.unschedulable_plugins + self.pending_plugins


class Requeue(IntEnum):
    """Where an event sends a waiting pod (scheduling_queue.go queueingStrategy).

    STRAIGHT_TO_BACKOFF is the older queue's answer to a move request: backoffQ without looking at the clock.
    """

    SKIP = 0
    AFTER_BACKOFF = 1
    IMMEDIATELY = 2
    STRAIGHT_TO_BACKOFF = 3


class RequeueDecision(NamedTuple):
    """A requeueing decision with its cause: the plugin whose hint decided and the event replayed after an attempt, with
    the seq of what caused that event (NO_CAUSE where none is replayed)."""

    requeue: Requeue
    plugin: str = ""
    in_flight_event: str = ""
    origin: int = NO_CAUSE


SKIPPED = RequeueDecision(Requeue.SKIP)


class Cause(NamedTuple):
    """Why a pod moves: the label of the cluster event or timer, the plugin whose hint let the pod through, and, after a
    failed attempt, the event during the attempt that had the pod retried, with the seq of what caused that event.

    ``by_clock``: nothing happened but time went by since the pod's last move."""

    event: str
    plugin: str = ""
    in_flight_event: str = ""
    origin: int = NO_CAUSE
    by_clock: bool = False


OnMove = Callable[[QueuedPod, str, Cause], None]
"""Called after each move with the pod (in its new lane), the lane that it left, and the cause."""


def identity(pod: Pod) -> str:
    """What distinguishes a pod from a later one of the same name: its uid, or namespace/name where it has none."""
    return pod.uid or pod.key
