"""From a framework (one scheduler profile) to what the queue needs of it."""

from __future__ import annotations

from typing import Any

from scheduler_core.api.objects import Pod
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Resource
from scheduler_core.framework.contracts.extending.recorded import EXTENDER
from scheduler_core.framework.contracts.plugin import (
    EnqueueExtension,
    FilterPlugin,
    PermitPlugin,
    Plugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    ReservePlugin,
)
from scheduler_core.framework.contracts.plugin_errors import QUEUEING_HINT, PluginError
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.queue.types import QueueProfile

_REJECTING = (PreEnqueuePlugin, PreFilterPlugin, FilterPlugin, ReservePlugin, PermitPlugin)
_RESOURCES = (
    Resource.POD,
    Resource.NODE,
    Resource.PERSISTENT_VOLUME,
    Resource.PERSISTENT_VOLUME_CLAIM,
    Resource.CSI_NODE,
    Resource.CSI_DRIVER,
    Resource.CSI_STORAGE_CAPACITY,
    Resource.STORAGE_CLASS,
    Resource.RESOURCE_CLAIM,
    Resource.DEVICE_CLASS,
)
EVERY_EVENT = tuple(EventWithHint(ClusterEvent(resource, ActionType.ALL)) for resource in _RESOURCES)
"""What a plugin that names no events is taken to wait for (framework/types.go UnrollWildCardResource)."""


def queue_profile(framework: Framework) -> QueueProfile:
    """The framework's queue order, gates and hints.

    Only plugins that can refuse a pod before it is bound have events (framework/runtime fillEnqueueExtensions). A pod
    that extenders refused waits for any event, as they cannot say what for (NewFramework).
    """
    of_extenders = () if framework.run.extenders is None else EVERY_EVENT
    hints = [(EXTENDER, event) for event in of_extenders]
    hints += [
        (plugin.name, event)
        for plugin in framework.plugins.values()
        if isinstance(plugin, _REJECTING)
        for event in _registered_events(plugin)
    ]

    def hint_raised(plugin: str, pod: Pod, problem: Exception) -> None:
        framework.report(PluginError.of(plugin, QUEUEING_HINT, problem), pod.key)

    sort_key = framework.points.queue_sort[0].sort_key
    return QueueProfile(sort_key, framework.run_pre_enqueue, tuple(hints), hint_raised)


def _registered_events(plugin: Plugin[Any]) -> tuple[EventWithHint, ...]:
    return plugin.events_to_register() if isinstance(plugin, EnqueueExtension) else EVERY_EVENT
