"""What an update of a pod or node means for scheduling, as cluster events (framework/events.go).

Known difference: node conditions are not part of our nodes, so their changes give no event; no default plugin
registers for them.
"""

from __future__ import annotations

import msgspec

from scheduler_core.api.objects import Node, Pod
from scheduler_core.api.resources import pod_requests, shares_requests
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, Resource


def node_events(old: Node, new: Node, *, features: bool = False) -> list[ClusterEvent]:
    """The specific Node update events, in upstream's order; empty when nothing relevant changed. ``features``: changes
    of declared features are events."""
    changed = (
        (old.unschedulable and not new.unschedulable, ActionType.UPDATE_NODE_TAINT),
        (old.allocatable != new.allocatable, ActionType.UPDATE_NODE_ALLOCATABLE),
        (old.labels != new.labels, ActionType.UPDATE_NODE_LABEL),
        (old.taints != new.taints, ActionType.UPDATE_NODE_TAINT),
        (old.annotations != new.annotations, ActionType.UPDATE_NODE_ANNOTATION),
        (features and old.declared_features != new.declared_features, ActionType.UPDATE_NODE_DECLARED_FEATURE),
    )
    return [ClusterEvent(Resource.NODE, action) for is_changed, action in changed if is_changed]


def pod_events(old: Pod, new: Pod) -> list[ClusterEvent]:
    """The specific update events of an assigned or unscheduled pod; the general Update when there is none."""
    resource = Resource.ASSIGNED_POD if new.node_name else Resource.UNSCHEDULED_POD
    changed = (
        (old.labels != new.labels, ActionType.UPDATE_POD_LABEL),
        (_scaled_down(old, new), ActionType.UPDATE_POD_SCALE_DOWN),
        (bool(old.scheduling_gates) and not new.scheduling_gates, ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED),
        # Tolerations can only be added, so comparing their number suffices.
        (len(old.tolerations) != len(new.tolerations), ActionType.UPDATE_POD_TOLERATION),
        (old.resource_claims != new.resource_claims, ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM),
    )
    actions = [action for is_changed, action in changed if is_changed] or [ActionType.UPDATE]
    return [ClusterEvent(resource, action) for action in actions]


def _scaled_down(old: Pod, new: Pod) -> bool:
    if shares_requests(old, new):
        return False
    before, after = pod_requests(old), pod_requests(new)
    return any(name not in after or value > after[name] for name, value in before.items())


def is_pod_updated(old: Pod, new: Pod) -> bool:
    """Whether more than the status changed: what made the older queue try a pod again (isPodUpdated)."""
    return _without_status(old) != _without_status(new)


def _without_status(pod: Pod) -> Pod:
    return msgspec.structs.replace(pod, nominated_node_name="", phase="", start_time=None, allocated_requests=None)
