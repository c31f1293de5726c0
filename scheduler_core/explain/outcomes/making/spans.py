"""When rollouts of a run began, ended, and passed their deadline, as its events say."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from scheduler_core.api.objects import Workload
from scheduler_core.controllers.rollouts.progress import COMPLETE, TIMED_OUT
from scheduler_core.explain.outcomes.making.model import RolloutSpan
from scheduler_core.recording import events as ev

ROLLED = ("Deployment", "StatefulSet", "DaemonSet")
MOST = 200
"""At most this many rollouts of a run are listed, the first ones."""


class RolloutSpans:
    """The rollouts that a run began: a change of an owner's template begins one, and replaces one that goes on."""

    def __init__(self, given: Iterable[Workload]) -> None:
        self._templates = {one.key: one.template_hash for one in given if one.kind in ROLLED}
        self._open: dict[str, int] = {}
        self.spans: list[RolloutSpan] = []

    def owner_changed(self, event: ev.ObjectChanged, now: Workload | None) -> None:
        """An input put the owner, or its condition changed (``now`` is None then), or it was deleted."""
        key = f"{event.kind}/{event.key}"
        if now is None:
            self._condition(key, event)
            return
        before = self._templates.get(now.key)
        self._templates[now.key] = now.template_hash
        if before is None or before == now.template_hash or len(self.spans) >= MOST:
            return
        self._open[now.title] = self._open[key] = len(self.spans)
        self.spans.append(RolloutSpan(now.title, event.at))

    def _condition(self, key: str, event: ev.ObjectChanged) -> None:
        number = self._open.get(key)
        if number is None:
            return
        if f" {TIMED_OUT}:" in event.cause:
            self.spans[number] = replace(self.spans[number], late_at=event.at)
        elif f" {COMPLETE}:" in event.cause:
            self.spans[number] = replace(self.spans[number], ended=event.at)
            del self._open[key]

    def pod_bound(self, title: str, at: int) -> None:
        """A pod of the owner of this title was bound."""
        number = self._open.get(title)
        if number is not None and self.spans[number].ended < 0:
            self.spans[number] = replace(self.spans[number], bound_at=at)
