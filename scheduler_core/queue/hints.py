"""Which plugins hear of which event, and what their hints say of a pod (scheduler.go buildQueueingHintMap)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_core.framework.contracts.events import (
    ActionType,
    ClusterEvent,
    EventWithHint,
    Hint,
    HintFunction,
    Resource,
)
from scheduler_core.queue.cluster_events import is_wildcard, matches
from scheduler_core.queue.types import SKIPPED, QueuedPod, QueueProfile, Requeue, RequeueDecision, identity

logger = logging.getLogger(__name__)

_NODE_TAINT_UPDATE = EventWithHint(ClusterEvent(Resource.NODE, ActionType.UPDATE_NODE_TAINT))

Listeners = tuple[tuple[str, HintFunction | None], ...]


class HintTable:
    """The registrations of all profiles.

    A plugin that registers Node/Add but no node taint update hears of those too, without a hint: a node whose addition
    was held back becomes visible to it that way (kubernetes issue 109437).
    """

    def __init__(self, profiles: Mapping[str, QueueProfile]) -> None:
        self._profiles = profiles
        self._registered = {name: _with_taint_updates(profile.hints) for name, profile in profiles.items()}
        self._by_plugin: dict[str, list[ClusterEvent]] = {}
        for hints in self._registered.values():
            for plugin, registered in hints:
                self._by_plugin.setdefault(plugin, []).append(registered.event)
        self._listeners: dict[tuple[str, ClusterEvent], Listeners] = {}
        self._interested: dict[ClusterEvent, frozenset[str]] = {}

    def interested(self, event: ClusterEvent) -> frozenset[str]:
        """Plugins of any profile that registered for the event."""
        plugins = self._interested.get(event)
        if plugins is None:
            plugins = self._interested[event] = frozenset(
                plugin for plugin, events in self._by_plugin.items() if any(matches(e, event) for e in events)
            )
        return plugins

    def concerns(self, plugin: str, event: ClusterEvent) -> bool:
        """Whether the plugin registered for the event; gated pods are moved by events of their gate only."""
        return plugin in self.interested(event)

    def listeners(self, profile: str, event: ClusterEvent) -> Listeners | None:
        """(plugin, hint function or None) in order of registration; None where the profile is unknown."""
        listeners = self._listeners.get((profile, event))
        if listeners is None:
            registered = self._registered.get(profile)
            if registered is None:
                return None
            listeners = tuple((plugin, hint.hint) for plugin, hint in registered if matches(hint.event, event))
            self._listeners[profile, event] = listeners
        return listeners

    def judge(
        self, queued: QueuedPod, event: ClusterEvent, old: Any, new: Any, use_hints: bool = True
    ) -> RequeueDecision:
        """Where the event sends the pod, asking only the plugins that refused it (isPodWorthRequeuing)."""
        refused, pending = queued.unschedulable_plugins, queued.pending_plugins
        if not refused and not pending:
            return RequeueDecision(Requeue.AFTER_BACKOFF)
        if is_wildcard(event):
            others = new is not None and identity(new) != identity(queued.pod)
            return SKIPPED if others else RequeueDecision(Requeue.AFTER_BACKOFF)
        listeners = self.listeners(queued.pod.scheduler_name, event)
        if listeners is None:
            return RequeueDecision(Requeue.AFTER_BACKOFF)
        best = SKIPPED
        for plugin, hint in listeners:
            if plugin in pending:
                if not use_hints or self._says_queue(plugin, hint, queued, old, new):
                    return RequeueDecision(Requeue.IMMEDIATELY, plugin)
            elif (
                best is SKIPPED
                and plugin in refused
                and (not use_hints or self._says_queue(plugin, hint, queued, old, new))
            ):
                best = RequeueDecision(Requeue.AFTER_BACKOFF, plugin)
                if not pending:
                    return best
        return best

    def _says_queue(self, plugin: str, hint: HintFunction | None, queued: QueuedPod, old: Any, new: Any) -> bool:
        if hint is None:
            return True
        try:
            return hint(queued.pod, old, new) is Hint.QUEUE
        except Exception as problem:
            # A hint that fails must not leave the pod stuck, as upstream has it.
            report_raised = self._profiles[queued.pod.scheduler_name].hint_raised
            if report_raised is not None:
                report_raised(plugin, queued.pod, problem)
            else:
                logger.warning("queueing hint of %s failed for pod %s", plugin, queued.key, exc_info=True)
            return True


def _with_taint_updates(hints: Sequence[tuple[str, EventWithHint]]) -> list[tuple[str, EventWithHint]]:
    node_actions: dict[str, int] = {}
    for plugin, registered in hints:
        if registered.event.resource is Resource.NODE:
            node_actions[plugin] = node_actions.get(plugin, 0) | registered.event.action
    missing = [
        plugin
        for plugin, actions in node_actions.items()
        if actions & ActionType.ADD and not actions & ActionType.UPDATE_NODE_TAINT
    ]
    return [*hints, *((plugin, _NODE_TAINT_UPDATE) for plugin in missing)]
