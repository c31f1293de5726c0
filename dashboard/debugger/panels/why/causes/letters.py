"""The letter of each obstacle of an answer: one key for the sentence, the matrix, the message and the remedies.

A is the cause (A and B where the set has two), then come the second readings, then the rest by how many nodes they
refuse. Letters belong to one pod at one cursor; links never carry them.
"""

from __future__ import annotations

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
