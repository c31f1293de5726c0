"""The step from a raw score to 0 to 100, written out with its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from scheduler_core.recording.vocabulary import DEFAULT, DEFAULT_REVERSED, IDENTITY, IGNORED, MIN_MAX, SPREAD

if TYPE_CHECKING:
    from collections.abc import Callable

    from scheduler_core.recording import Frame

TIMES, MINUS = "\N{MULTIPLICATION SIGN}", "\N{MINUS SIGN}"


def normalization_text(frame: Frame, index: int, row: int) -> str:
    """Return how the score plugin's raw score becomes 0 to 100 on the row, with its numbers; "" where it stays."""
    kind = frame.normalizations[index]
    text = _STEPS.get(kind.kind)
    return text(int(frame.raw[index][row]), kind.params) if text else "by the plugin's own rule"


def _same(raw: int, params: tuple[int, ...]) -> str:
    return ""


def _of_highest(raw: int, params: tuple[int, ...]) -> str:
    (highest,) = params
    return f"100 {TIMES} {grouped(raw)} / {grouped(highest)}" if highest else ""


def _reversed(raw: int, params: tuple[int, ...]) -> str:
    (highest,) = params
    return f"100 {MINUS} 100 {TIMES} {grouped(raw)} / {grouped(highest)}" if highest else "100 where no node has any"


def _spread(raw: int, params: tuple[int, ...]) -> str:
    lowest, highest = params
    if raw == IGNORED:
        return "0 for a node without the topology key"
    if not highest:
        return "100 where no node has any"
    return f"100 {TIMES} ({grouped(highest)} + {grouped(lowest)} {MINUS} {grouped(raw)}) / {grouped(highest)}"


def _stretched(raw: int, params: tuple[int, ...]) -> str:
    lowest, highest = params
    if lowest == highest:
        return "0 where all nodes are equal"
    return f"100 {TIMES} ({grouped(raw)} {MINUS} {grouped(lowest)}) / ({grouped(highest)} {MINUS} {grouped(lowest)})"


_STEPS: dict[str, Callable[[int, tuple[int, ...]], str]] = {
    IDENTITY: _same,
    DEFAULT: _of_highest,
    DEFAULT_REVERSED: _reversed,
    SPREAD: _spread,
    MIN_MAX: _stretched,
}
