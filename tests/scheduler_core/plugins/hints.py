"""Asking a plugin's queueing hints in tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scheduler_core.framework.contracts.events import ActionType, Hint, Resource

if TYPE_CHECKING:
    from scheduler_core.api.objects import Pod
    from scheduler_core.framework.contracts.plugin import EnqueueExtension


def ask(plugin: EnqueueExtension[Any], event: tuple[Resource, ActionType], pod: Pod, old: Any, new: Any) -> Hint | None:
    """What the plugin says of the event; None when it did not register it, QUEUE when it has no hint for it."""
    resource, action = event
    for registered in plugin.events_to_register():
        if registered.event.resource is resource and registered.event.action & action:
            return registered.hint(pod, old, new) if registered.hint else Hint.QUEUE
    return None


NODE_ADD = (Resource.NODE, ActionType.ADD)
NODE_TAINT = (Resource.NODE, ActionType.UPDATE_NODE_TAINT)
NODE_LABEL = (Resource.NODE, ActionType.UPDATE_NODE_LABEL)
NODE_ALLOCATABLE = (Resource.NODE, ActionType.UPDATE_NODE_ALLOCATABLE)
POD_DELETE = (Resource.POD, ActionType.DELETE)
POD_TOLERATION = (Resource.POD, ActionType.UPDATE_POD_TOLERATION)
POD_SCALE_DOWN = (Resource.POD, ActionType.UPDATE_POD_SCALE_DOWN)
CLAIM_ADD = (Resource.PERSISTENT_VOLUME_CLAIM, ActionType.ADD)
CLAIM_UPDATE = (Resource.PERSISTENT_VOLUME_CLAIM, ActionType.UPDATE)
VOLUME_UPDATE = (Resource.PERSISTENT_VOLUME, ActionType.UPDATE)
CLASS_ADD = (Resource.STORAGE_CLASS, ActionType.ADD)
CLASS_UPDATE = (Resource.STORAGE_CLASS, ActionType.UPDATE)
CSI_NODE_UPDATE = (Resource.CSI_NODE, ActionType.UPDATE)
CSI_DRIVER_UPDATE = (Resource.CSI_DRIVER, ActionType.UPDATE)
CAPACITY_UPDATE = (Resource.CSI_STORAGE_CAPACITY, ActionType.UPDATE)
ATTACHMENT_DELETE = (Resource.VOLUME_ATTACHMENT, ActionType.DELETE)
