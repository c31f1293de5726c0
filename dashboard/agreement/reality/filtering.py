"""Which decisions the page lists: those of a class, with all words of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_core.explain.reality import CAUSES
from scheduler_core.explain.reality.texts import word

if TYPE_CHECKING:
    from scheduler_core.explain.reality import HeldDecision

SHOWN = ("all", "same", "best", "messages", "apart", "differ", *CAUSES)
TEXT_LENGTH = 200


class DecisionFilter:
    """A class of SHOWN, and words that each have to be in the pod, a node or the verdict; pod:, node: and cause: before
    a word name one of these."""

    def __init__(self, show: str, text: str) -> None:
        self._show = show
        self._words = text.lower().split()

    def has(self, one: HeldDecision) -> bool:
        """Return whether the decision is listed."""
        return _is_of(one, self._show) and all(_has_word(one, word) for word in self._words)


def _has_word(one: HeldDecision, asked: str) -> bool:
    fields = {"pod": one.pod, "node": " ".join((one.node, *one.ours[:1])), "cause": f"{word(one)} {one.cause}"}
    name, colon, rest = asked.partition(":")
    if colon and name in fields:
        return rest in fields[name].lower()
    return any(asked in text.lower() for text in fields.values())


def _is_of(one: HeldDecision, show: str) -> bool:
    if show == "all":
        return True
    if show in ("same", "best"):
        return one.what == "binding" and one.verdict == ("agree" if show == "same" else "chance")
    if show == "messages":
        return one.what == "message"
    if show == "apart":
        return one.verdict == "not_comparable"
    return one.verdict == "differ" and show in ("differ", one.cause)
