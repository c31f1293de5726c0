"""A queue with a hand-moved clock and two plugins, for the tests of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_core.api.objects import Node, Pod
from scheduler_core.engine.summaries import queue_move
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.status import SUCCESS, Status, unresolvable
from scheduler_core.queue.scheduling_queue import SchedulingQueue
from scheduler_core.queue.types import SECOND, QueueProfile, QueueSettings

if TYPE_CHECKING:
    from scheduler_core.recording.events import QueueMove

NODE_ADD = ClusterEvent(Resource.NODE, ActionType.ADD)
NODE_LABEL = ClusterEvent(Resource.NODE, ActionType.UPDATE_NODE_LABEL)
POD_DELETE = ClusterEvent(Resource.ASSIGNED_POD, ActionType.DELETE)
GATE_REMOVED = ClusterEvent(Resource.POD, ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED)


def big_enough(pod, old, new):
    """Hint of Fit: nodes named big help."""
    return Hint.QUEUE if new is not None and new.name.startswith("big") else Hint.SKIP


def own_update(pod, old, new):
    """Hint of Gates: the pod's own update helps."""
    return Hint.QUEUE if new is not None and new.uid == pod.uid else Hint.SKIP


NODE_GROWS = ClusterEvent(Resource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_ALLOCATABLE)
HINTS = (
    ("Fit", EventWithHint(NODE_GROWS, big_enough)),
    ("Fit", EventWithHint(ClusterEvent(Resource.POD, ActionType.DELETE))),
    ("Affinity", EventWithHint(ClusterEvent(Resource.NODE, ActionType.UPDATE_NODE_LABEL))),
    ("Permit", EventWithHint(ClusterEvent(Resource.POD, ActionType.ADD))),
    ("Tolerations", EventWithHint(ClusterEvent(Resource.POD, ActionType.UPDATE_POD_TOLERATION), own_update)),
    ("Gates", EventWithHint(GATE_REMOVED, own_update)),
)


def gate(pod: Pod) -> Status:
    return Status(unresolvable().code, ("gated",), "Gates") if pod.scheduling_gates else SUCCESS


def by_priority(pod: Pod, timestamp: int) -> tuple[int, int]:
    return -pod.priority, timestamp


PROFILE = QueueProfile(by_priority, gate, HINTS)


def pod(name: str, priority: int = 0, **fields) -> Pod:
    return Pod(name=name, uid=f"uid-{name}", priority=priority, **fields)


def node(name: str) -> Node:
    return Node(name=name)


class Harness:
    """``queue`` with ``clock`` (µs) and the list of ``moves``; ``pods`` is what its lookup sees."""

    def __init__(self, settings: QueueSettings | None = None, profiles=None) -> None:
        self.clock = 0
        self.moves: list[QueueMove] = []
        self.pods: dict[str, Pod] = {}
        self.queue = SchedulingQueue(
            lambda: self.clock,
            profiles or {"default-scheduler": PROFILE},
            settings or QueueSettings(),
            lambda queued, source, cause: self.moves.append(queue_move(self.clock, queued, source, cause)),
            lambda key: self.pods.get(key),
        )

    def add(self, *pods: Pod) -> None:
        for added in pods:
            self.pods[added.key] = added
            self.queue.add(added)

    def advance(self, seconds: float) -> None:
        self.clock += int(seconds * SECOND)

    def fail(self, name: str, *plugins: str, pending: tuple[str, ...] = ()) -> str:
        queued = self.queue.pop()
        assert queued is not None
        assert queued.pod.name == name
        return self.queue.add_unschedulable_if_not_present(queued, plugins, pending, self.pods[queued.key])

    def names(self, lane: str) -> list[str]:
        return [queued.pod.name for queued in self.queue.entries(lane)]

    def popped(self) -> str | None:
        queued = self.queue.pop()
        return None if queued is None else queued.pod.name
