"""Pods held by Permit (runtime/waiting_pods_map.go)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from scheduler_core.columns.pods import PodInfo


class WaitingPod(Protocol):
    """A pod held by Permit, as other plugins may see and decide it."""

    @property
    def pod(self) -> PodInfo: ...
    @property
    def node_name(self) -> str: ...
    def pending_plugins(self) -> tuple[str, ...]: ...
    def allow(self, plugin: str) -> None: ...
    def reject(self, plugin: str, message: str) -> None: ...


class WaitingPodRecord:
    """A waiting pod; ``deadlines`` by plugin in microseconds of virtual time.

    It is decided once every plugin allowed it, or one rejected it: then ``decision`` is (plugin, allowed, message), and
    ``origin`` the seq of the event that had it decided, as ``cause`` said at that moment.
    """

    def __init__(
        self, pod: PodInfo, node_name: str, cycle: int, deadlines: dict[str, int], cause: Callable[[], int]
    ) -> None:
        self.pod = pod
        self.node_name = node_name
        self.cycle = cycle
        self.deadlines = deadlines
        self.cause = cause
        self.decision: tuple[str, bool, str] | None = None
        self.origin = cause()

    def pending_plugins(self) -> tuple[str, ...]:
        """Plugins that still make the pod wait."""
        return tuple(self.deadlines)

    def allow(self, plugin: str) -> None:
        """Take the plugin's wait away; the pod goes on when it was the last."""
        if self.decision is None and self.deadlines.pop(plugin, None) is not None and not self.deadlines:
            self._decide((plugin, True, ""))

    def reject(self, plugin: str, message: str) -> None:
        """Refuse the pod; the first decision stands."""
        if self.decision is None:
            self._decide((plugin, False, message))

    def _decide(self, decision: tuple[str, bool, str]) -> None:
        self.decision, self.origin = decision, self.cause()

    @property
    def next_deadline(self) -> int:
        """The earliest time-out in microseconds."""
        return min(self.deadlines.values(), default=0)

    def time_out(self, now: int) -> None:
        """Reject the pod when the time of one of its plugins is over."""
        for plugin, deadline in self.deadlines.items():
            if deadline <= now:
                self.reject(plugin, f"rejected due to timeout after waiting at plugin {plugin}")
                return


class Gang(msgspec.Struct, frozen=True):
    """``key`` namespace/name of the group, ``object`` its object (apiVersion/Kind/namespace/name). ``members`` are the
    keys of all its pods, ``placed`` of those on a node, waiting ones too; at least ``least`` have to be there."""

    key: str
    object: str
    members: tuple[str, ...]
    placed: tuple[str, ...]
    least: int
