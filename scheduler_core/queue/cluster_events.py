"""The queue's own cluster events, labels, and matching of events to registrations (framework/types.go, events.go)."""

from __future__ import annotations

from functools import lru_cache

from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, Resource

SCHEDULE_ATTEMPT_FAILURE = "ScheduleAttemptFailure"
BACKOFF_COMPLETE = "BackoffComplete"
POP_FROM_BACKOFF = "PopFromBackoffQ"
POPPED = "Popped"
DONE = "Done"
SCHEDULER_RESTART = "SchedulerRestart"

ASSIGNED_POD_ADD = ClusterEvent(Resource.ASSIGNED_POD, ActionType.ADD)
ASSIGNED_POD_DELETE = ClusterEvent(Resource.ASSIGNED_POD, ActionType.DELETE)
UNSCHEDULED_POD_ADD = ClusterEvent(Resource.UNSCHEDULED_POD, ActionType.ADD)
UNSCHEDULED_POD_UPDATE = ClusterEvent(Resource.UNSCHEDULED_POD, ActionType.UPDATE)
UNSCHEDULED_POD_DELETE = ClusterEvent(Resource.UNSCHEDULED_POD, ActionType.DELETE)
UNSCHEDULABLE_TIMEOUT = ClusterEvent(Resource.WILDCARD, ActionType.ALL, "UnschedulableTimeout")
FORCE_ACTIVATE = ClusterEvent(Resource.WILDCARD, ActionType.ALL, "ForceActivate")

_ANY_RESOURCE, _ANY_ACTION = Resource.WILDCARD, ActionType.ALL  # members of an enum are slow to look up

_ACTION_LABELS = {
    ActionType.ADD: "Add",
    ActionType.DELETE: "Delete",
    ActionType.UPDATE: "Update",
    ActionType.ALL: "All",
    ActionType.UPDATE_NODE_ALLOCATABLE: "UpdateNodeAllocatable",
    ActionType.UPDATE_NODE_LABEL: "UpdateNodeLabel",
    ActionType.UPDATE_NODE_TAINT: "UpdateNodeTaint",
    ActionType.UPDATE_NODE_CONDITION: "UpdateNodeCondition",
    ActionType.UPDATE_NODE_ANNOTATION: "UpdateNodeAnnotation",
    ActionType.UPDATE_POD_LABEL: "UpdatePodLabel",
    ActionType.UPDATE_POD_SCALE_DOWN: "UpdatePodScaleDown",
    ActionType.UPDATE_POD_TOLERATION: "UpdatePodToleration",
    ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED: "UpdatePodSchedulingGatesEliminated",
    ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM: "UpdatePodGeneratedResourceClaim",
}


@lru_cache(maxsize=256)
def event_label(event: ClusterEvent) -> str:
    """The event's name as upstream's metrics have it: its own label, or resource and action (ClusterEvent.Label)."""
    return event.label or event.resource.value + _ACTION_LABELS.get(event.action, "")


_NAMES_OF_2021 = {
    "UnschedulablePodAdd": "PodAdd",
    "UnschedulablePodUpdate": "PodUpdate",
    "NodeUpdateNodeAllocatable": "NodeAllocatableChange",
    "NodeUpdateNodeLabel": "NodeLabelChange",
    "NodeUpdateNodeTaint": "NodeTaintChange",
    "NodeUpdateNodeCondition": "NodeConditionChange",
    "PersistentVolumeAdd": "PvAdd",
    "PersistentVolumeUpdate": "PvUpdate",
    "PersistentVolumeClaimAdd": "PvcAdd",
    "PersistentVolumeClaimUpdate": "PvcUpdate",
}
"""Events that have another name since (internal/queue/events.go of v1.22)."""


def name_of_2021(label: str) -> str:
    """The name that the queue of 2021 gave to an event; updates of assigned and of waiting pods had one name each."""
    for pods in ("AssignedPodUpdate", "UnschedulablePodUpdate"):
        if label.startswith(pods):
            label = pods
    return _NAMES_OF_2021.get(label, label.rpartition("/")[2])


def is_wildcard(event: ClusterEvent) -> bool:
    """Whether the event is about everything: any resource, any action."""
    return event.resource is _ANY_RESOURCE and event.action == _ANY_ACTION


def matches(registered: ClusterEvent, incoming: ClusterEvent) -> bool:
    """Whether a plugin that registered the first hears of the second (MatchClusterEvents).

    The incoming event must be the same or more specific; an incoming wildcard reaches registered wildcards only.
    """
    if is_wildcard(registered):
        return True
    if not _same_resource(registered.resource, incoming.resource):
        return False
    return bool(registered.action & incoming.action) and incoming.action <= registered.action


def _same_resource(registered: Resource, incoming: Resource) -> bool:
    if registered is Resource.WILDCARD or registered is incoming:
        return True
    return registered is Resource.POD and incoming in (Resource.ASSIGNED_POD, Resource.UNSCHEDULED_POD)
