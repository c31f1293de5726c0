"""The classes of decisions, each a filter with its figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.agreement.reality.rows import STYLES
from scheduler_core.explain.reality import CAUSES
from scheduler_core.explain.reality.texts import AMONG_BEST, NOT_COMPARABLE, SAME_NODE

if TYPE_CHECKING:
    from collections.abc import Callable

    from scheduler_core.explain.reality import Reality

DIFFERENT_CAUSES = tuple(cause for cause in CAUSES if cause not in ("chance", "gap"))


@dataclass(frozen=True)
class Tile:
    """A class of decisions: style, glyph, figure, words, a note, and the address that shows only these."""

    meaning: str
    glyph: str
    figure: str
    label: str
    note: str
    url: str
    is_on: bool


def tiles(figures: Reality, show: str, address: Callable[[str], str]) -> list[Tile]:
    """Return the classes; `show` is the one that is on, whose `address` takes it off."""

    def tile(name: str, style: tuple[str, str], figure: str, label: str, note: str) -> Tile:
        is_on = show == name
        return Tile(*style, figure, label, note, address("" if is_on else name), is_on)

    same, chance = figures.counted("binding", "agree"), figures.counted("binding", "chance")
    apart = figures.counted("binding", "not_comparable") + figures.counted("message", "not_comparable")
    n_messages = figures.counted("message") - figures.counted("message", "not_comparable")
    equal = f"{figures.counted('message', 'agree', 'chance'):,} of {n_messages:,}" if n_messages else "0"
    causes = [
        tile(name, STYLES[name], f"{figures.causes.get(name, 0):,}", name, _cause_note(name, figures))
        for name in DIFFERENT_CAUSES
        if figures.causes.get(name) or name == "no cause found"
    ]
    return [
        tile("same", ("bound", "check"), f"{same:,}", SAME_NODE, f"{figures.n_only_one:,} had only one that fits"),
        tile("best", ("tie", "equal"), f"{chance:,}", AMONG_BEST, "a draw, no proof"),
        *causes,
        tile("messages", ("wait", "file"), equal, "messages", "equal, reason by reason"),
        tile("apart", ("none", "dash"), f"{apart:,}", NOT_COMPARABLE, "static, foreign, gap"),
    ]


def _cause_note(name: str, figures: Reality) -> str:
    if name == "version":
        return f"{figures.server_version}, not {figures.follows}"
    notes = {"configuration": "another one explains", "missing kind": "not collected", "order": "within 100 ms"}
    return notes.get(name, "looked at all six")
