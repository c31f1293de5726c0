"""Holds the pods of a group at Permit until enough of them have found a node, and rejects them together otherwise.

Follows the plugin Coscheduling of kubernetes-sigs/scheduler-plugins (pkg/coscheduling), with the extension points of
its early configuration examples (queueSort, preFilter, permit, reserve, postBind) and PostFilter. Known differences:
``minResources`` of a PodGroup is not looked at; the age of a group is when its first pod was queued; a group that is
short by no more than a tenth is rejected like any other; a rejected group backs off for 3 s by default, as the first
versions had it, since otherwise its pods call each other back without end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from schedscope_coscheduling.groups import Groups, group_key
from scheduler_core.api.objects import Pod
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import (
    EnqueueExtension,
    PermitPlugin,
    PostBindPlugin,
    PostFilterPlugin,
    PostFilterResult,
    PreFilterPlugin,
    PreFilterResult,
    QueueSortPlugin,
    ReservePlugin,
)
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status, unresolvable, unschedulable
from scheduler_core.framework.contracts.waiting_pod import Gang

_SECOND = 1_000_000


class CoschedulingArgs(msgspec.Struct, frozen=True):
    """How long pods wait for their siblings, and how long a rejected group is turned away (seconds)."""

    permit_waiting_time_seconds: int = 60
    pod_group_backoff_seconds: int = 3

    def __post_init__(self) -> None:
        if self.permit_waiting_time_seconds < 1:
            raise ValueError("permitWaitingTimeSeconds: must be at least 1")
        if self.pod_group_backoff_seconds < 0:
            raise ValueError("podGroupBackoffSeconds: must not be negative")


class Coscheduling(
    QueueSortPlugin[CoschedulingArgs],
    PreFilterPlugin[CoschedulingArgs],
    PostFilterPlugin[CoschedulingArgs],
    ReservePlugin[CoschedulingArgs],
    PermitPlugin[CoschedulingArgs],
    PostBindPlugin[CoschedulingArgs],
    EnqueueExtension[CoschedulingArgs],
):
    """All or nothing for groups of pods; pods without a group pass as if the plugin were not there.

    ``first_seen`` and ``backoff_until`` (microseconds) and ``bound`` (a count) are by group.
    """

    name = "Coscheduling"
    title = "The group of pods cannot be placed together"
    obstacles = kinds("GANG_TOO_FEW", "GANG_NO_ROOM", "PERMIT_WAITS", "PERMIT_REJECTED")
    Args = CoschedulingArgs

    def __init__(self, args: CoschedulingArgs, handle: Handle) -> None:
        super().__init__(args, handle)
        self.groups = Groups(handle)
        self.first_seen: dict[str, int] = {}
        self.backoff_until: dict[str, int] = {}
        self.bound: dict[str, int] = {}

    def dump(self) -> Any:
        """What must survive save and restore. The waiting pods themselves are the framework's, and are saved by it."""
        state = {"first_seen": self.first_seen, "backoff_until": self.backoff_until, "bound": self.bound}
        return {name: dict(values) for name, values in state.items()}

    def load(self, state: Mapping[str, dict[str, int]]) -> None:
        """Take back what ``dump`` gave."""
        self.first_seen, self.backoff_until = dict(state["first_seen"]), dict(state["backoff_until"])
        self.bound = dict(state["bound"])

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """A pod or the PodGroup itself comes; siblings that wait are also activated by Permit."""
        return (
            EventWithHint(ClusterEvent(Resource.POD, ActionType.ADD), _after_pod_added),
            EventWithHint(ClusterEvent(Resource.POD_GROUP, ActionType.ADD | ActionType.UPDATE), _after_group_change),
        )

    def sort_key(self, pod: Pod, timestamp: int) -> tuple[int, int, str, int]:
        """By priority, then by the age of the group, so that its pods follow each other."""
        key = group_key(pod)
        age = self.first_seen.setdefault(key, timestamp) if key else timestamp
        return -pod.priority, age, key, timestamp

    def pre_filter(self, cycle: CycleState, pod: PodInfo) -> PreFilterResult:
        """Turns a pod away while its group is too small, or was rejected a moment ago."""
        group = self.groups.of(pod.pod)
        if group is None:
            return PreFilterResult()
        if self.handle.run.now < self.backoff_until.get(group.key, 0):
            return PreFilterResult(unresolvable(f"podGroup {group.key} failed recently"))
        count = len(self.groups.members(group.key))
        if count < group.min_member:
            text = f"pre-filter pod {pod.pod.name} cannot find enough sibling pods"
            numbers = f"current pods number: {count}, minMember of group: {group.min_member}"
            return PreFilterResult(unresolvable(f"{text}, {numbers}"))
        return PreFilterResult()

    def post_filter(self, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> PostFilterResult:
        """One pod of the group fits nowhere: those that wait give their places back at once."""
        group = self.groups.of(pod.pod)
        if group is None:
            return PostFilterResult(unschedulable("can not find pod group"))
        if self.groups.placed(group.key) >= group.min_member:
            return PostFilterResult(unschedulable())
        text = f"PodGroup {group.key} gets rejected due to Pod {pod.pod.name} is unschedulable even after PostFilter"
        self._reject(group.key, text)
        if self.args.pod_group_backoff_seconds and len(self.groups.members(group.key)) >= group.min_member:
            self.backoff_until[group.key] = self.handle.run.now + self.args.pod_group_backoff_seconds * _SECOND
        return PostFilterResult(unschedulable(text))

    def reserve(self, cycle: CycleState, pod: PodInfo, node_name: str) -> Status:
        """Nothing to set aside: the place on the node is enough."""
        return SUCCESS

    def unreserve(self, cycle: CycleState, pod: PodInfo, node_name: str) -> None:
        """A pod of the group lost its place (time-out, rejection, failed binding): the others do, too."""
        key = group_key(pod.pod)
        if key:
            self._reject(key, "rejection in Unreserve")

    def permit(self, cycle: CycleState, pod: PodInfo, node_name: str) -> tuple[Status, float]:
        """Lets the whole group go with the pod that completes it; until then the pods wait."""
        key, group = group_key(pod.pod), self.groups.of(pod.pod)
        if not key:
            return SUCCESS, 0.0
        if group is None:
            return unschedulable("PodGroup not found"), 0.0
        if self.groups.placed(key) >= group.min_member:  # this pod is counted on its node already
            for waiting in self.groups.waiting(key):
                waiting.allow(self.name)
            return SUCCESS, 0.0
        if self.groups.placed(key) == 1:  # the first of the group calls the others, once
            self.handle.run.activate(self.groups.unplaced(key))
        seconds = group.schedule_timeout_seconds or self.args.permit_waiting_time_seconds
        return Status(Code.WAIT), float(seconds)

    def gang(self, pod: Pod) -> Gang | None:
        """The pods of the group, and how many of them have to be there."""
        group = self.groups.of(pod)
        if group is None:
            return None
        members = sorted(one.key for one in self.groups.members(group.key))
        placed = [key for key in members if self.handle.cluster.node_of(key) is not None]
        named = f"scheduling.x-k8s.io/v1alpha1/PodGroup/{group.key}"
        return Gang(group.key, named, tuple(members), tuple(placed), group.min_member)

    def post_bind(self, cycle: CycleState, pod: PodInfo, node_name: str) -> None:
        """Count, as the status of a PodGroup would."""
        key = group_key(pod.pod)
        if key:
            self.bound[key] = self.bound.get(key, 0) + 1

    def _reject(self, key: str, message: str) -> None:
        for waiting in self.groups.waiting(key):
            waiting.reject(self.name, message)


def _after_pod_added(pod: Pod, old: Pod | None, new: Pod) -> Hint:
    """A sibling may be the one that was missing."""
    return Hint.QUEUE if group_key(pod) and group_key(new) == group_key(pod) else Hint.SKIP


def _after_group_change(pod: Pod, old: Any, new: Any) -> Hint:
    return Hint.QUEUE if group_key(pod) == new.key else Hint.SKIP
