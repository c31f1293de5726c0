"""Pods that wait for an event, indexed by the plugins that refused them (backend/queue/unschedulable_pods.go)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import NamedTuple

from scheduler_core.queue.lanes import Lane
from scheduler_core.queue.types import QueuedPod

_BY_TICKET = attrgetter("ticket")
_NOBODY = ""
"""Stands for the refusing plugin of pods that no plugin refused."""


class _IndexedPod(NamedTuple):
    """How a pod was indexed when it came; its fields may change before it leaves."""

    queued: QueuedPod
    plugins: tuple[str, ...]
    timed: bool
    gated: bool


class UnschedulablePods:
    """Unschedulable and gated pods in order of arrival.

    ``candidates`` finds the pods that an event can concern without looking at the others; ``oldest`` the pod
    that has waited longest among those that the leftover timer may move, ``oldest_held`` among those that their gate
    keeps from it. ``size`` is the length, ``gated`` how many are gated.
    """

    def __init__(self) -> None:
        self._entries: dict[int, _IndexedPod] = {}
        self._by_plugin: dict[str, dict[int, QueuedPod]] = {}
        self._ages = Lane()
        self._held = Lane()
        self.size = 0
        self.gated = 0

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[QueuedPod]:
        return (entry.queued for entry in self._entries.values())

    def add(self, queued: QueuedPod, ticket: int, timed: bool) -> None:
        """Put the pod in; ``timed`` says whether the leftover timer may move it."""
        entry = _IndexedPod(queued, queued.rejectors or (_NOBODY,), timed, bool(queued.gated_by))
        self._entries[ticket] = entry
        self.size += 1
        for plugin in entry.plugins:
            self._by_plugin.setdefault(plugin, {})[ticket] = queued
        self.gated += entry.gated
        (self._ages if timed else self._held).push(queued, queued.timestamp, ticket)

    def discard(self, queued: QueuedPod) -> None:
        """Take the pod out."""
        ticket = queued.ticket
        entry = self._entries.pop(ticket)
        self.size -= 1
        for plugin in entry.plugins:
            self._by_plugin[plugin].pop(ticket, None)
        self.gated -= entry.gated
        (self._ages if entry.timed else self._held).discard(queued)

    def candidates(self, plugins: Iterable[str]) -> list[QueuedPod]:
        """Pods refused by any of the plugins, and those that no plugin refused, in order of arrival."""
        groups = [self._by_plugin.get(plugin) for plugin in (*plugins, _NOBODY)]
        occupied = [group for group in groups if group]
        if len(occupied) == 1:
            return list(occupied[0].values())
        merged: dict[int, QueuedPod] = {}
        for group in occupied:
            merged.update(group)
        return sorted(merged.values(), key=_BY_TICKET)

    def oldest(self) -> QueuedPod | None:
        """The timed pod with the oldest timestamp; None when there is none."""
        return self._ages.peek()

    def oldest_held(self) -> QueuedPod | None:
        """The pod with the oldest timestamp among those that the leftover timer leaves alone."""
        return self._held.peek()

    def by_age(self) -> Iterator[QueuedPod]:
        """The timed pods, oldest timestamp first."""
        return iter(self._ages)
