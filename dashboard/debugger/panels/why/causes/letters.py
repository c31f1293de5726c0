"""The letter of each obstacle of an answer: one key for the sentence, the matrix, the message and the remedies.

A is the cause (A and B where the set has two), then come the second readings, then the rest by how many nodes they
refuse. Letters belong to one pod at one cursor; links never carry them. kube-scheduler's message is cut into parts that
have the letters of the obstacles that they count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.debugger.panels.why.causes.short_words import head_of, value_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scheduler_core.explain.diagnosis.model import Diagnosis, Obstacle, ObstacleKey

LETTERS = "ABCDE"


@dataclass(frozen=True)
class Letter:
    """The key of an obstacle; lit where it is of the cause, `title` says it in short words."""

    text: str
    title: str
    is_lit: bool = False


class Lettering:
    """The letters of a diagnosis: of what refuses nodes, where that is more than one thing to tell apart.

    A cause of another stage than Filter refuses no node, and has none.
    """

    def __init__(self, diagnosis: Diagnosis) -> None:
        listed = {one.key: one for one in (*diagnosis.cause.obstacles, *diagnosis.obstacles)}
        refusing = {key for group in diagnosis.groups for key in group.obstacles}
        self.obstacles: list[Obstacle] = [one for key, one in listed.items() if key in refusing]
        self.lit = {one.key for one in diagnosis.cause.obstacles}
        named = self.obstacles[: len(LETTERS)] if len(self.obstacles) > 1 else []
        self._letters = {
            one.key: Letter(text, f"{head_of(one.code)} {value_of(one)}".strip(), one.key in self.lit)
            for text, one in zip(LETTERS, named, strict=False)
        }

    def of(self, keys: Iterable[ObstacleKey]) -> tuple[Letter, ...]:
        """Return the letters of these obstacles in order, those without one left out."""
        return tuple(sorted((self._letters[key] for key in set(keys) if key in self._letters), key=_by_text))


def _by_text(letter: Letter) -> str:
    return letter.text


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
