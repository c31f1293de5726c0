"""kube-scheduler's message in parts, each with the letters of the obstacles that it counts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.debugger.panels.why.causes.letters import Letter, Lettering

if TYPE_CHECKING:
    from scheduler_core.explain.diagnosis.model import Diagnosis, ObstacleKey


@dataclass(frozen=True)
class MarkedPart:
    """A piece of the message; without letters where no obstacle of the answer is counted by it."""

    text: str
    letters: tuple[Letter, ...] = ()

    @property
    def is_lit(self) -> bool:
        """Return whether it counts an obstacle of the cause."""
        return any(letter.is_lit for letter in self.letters)


def message_parts(message: str, diagnosis: Diagnosis | None) -> tuple[MarkedPart, ...]:
    """Return the message in order; one part where nothing is known of it."""
    keys = _keys_by_reason(diagnosis) if diagnosis is not None else {}
    if diagnosis is None or not keys:
        return (MarkedPart(message),) if message else ()
    letters = Lettering(diagnosis)
    reasons = "|".join(re.escape(reason) for reason in sorted(keys, key=len, reverse=True))
    parts, end = [], 0
    for match in re.finditer(rf"\d+ ({reasons})", message):
        parts += [MarkedPart(message[end : match.start()]), MarkedPart(match[0], letters.of(keys[match[1]]))]
        end = match.end()
    return tuple(part for part in (*parts, MarkedPart(message[end:])) if part.text)


def _keys_by_reason(diagnosis: Diagnosis) -> dict[str, set[ObstacleKey]]:
    """{a reason of the message: the obstacles of the plugin that it is counted under}."""
    plugins = {one.key: one.plugin for one in (*diagnosis.cause.obstacles, *diagnosis.obstacles)}
    keys: dict[str, set[ObstacleKey]] = {}
    for group in diagnosis.groups:
        counted = {key for key in group.obstacles if plugins.get(key) == group.counted}
        for reason in group.reasons:
            keys.setdefault(reason, set()).update(counted)
    return keys
