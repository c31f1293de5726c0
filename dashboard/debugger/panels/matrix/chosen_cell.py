"""The cell or node of the matrix that the address names, for the line below the matrix."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.panels.matrix.frame_view import FilterCell, FrameView, filter_cell
from scheduler_core.recording.vocabulary import DEFAULT, DEFAULT_REVERSED, IDENTITY, IGNORED, MIN_MAX, SPREAD

if TYPE_CHECKING:
    from collections.abc import Callable

    from scheduler_core.recording import Frame


@dataclass(frozen=True)
class RefusalReason:
    """What one plugin has against a node: `facts` in terms of the objects ("" unknown) beside the raw reason."""

    plugin: str
    meaning: str
    facts: str
    raw: str

    @property
    def text(self) -> str:
        """Return the facts, or the raw reason where there are none."""
        return self.facts or self.raw


# Meaning and label of a verdict's state by the look of its cell; other looks are refusals.
_STATES = {"ok": ("bound", "passed"), "hid": ("hidden", "would refuse too"), "na": ("none", "not looked at")}


@dataclass(frozen=True)
class Score:
    """How a raw score became points; `low` and `high` are the minimum and maximum raw score of the nodes that fit."""

    raw: int
    norm: int
    weight: int
    step: str
    low: int
    high: int

    @property
    def points(self) -> int:
        """Return the points for the node's total."""
        return self.norm * self.weight


@dataclass(frozen=True)
class ChosenCell:
    """A node and, where `plugin` is one of the cycle's, its verdict and score; `kind` says which of them is shown.

    Kinds: "missing" (no such node in the cycle), "score", "verdict", "node". `cells` are the node's verdicts in order,
    `reasons` what the refusing ones among those shown have against the node.
    """

    node: str
    kind: str
    plugin: str = ""
    fits: bool = False
    total: int = 0
    cells: list[FilterCell] = field(default_factory=list)
    verdict: FilterCell | None = None
    score: Score | None = None
    reasons: list[RefusalReason] = field(default_factory=list)

    @property
    def verb(self) -> str:
        """Return the word between plugin and node."""
        return "scores" if self.score else "on"

    @property
    def state(self) -> tuple[str, str]:
        """Return meaning and label of the verdict; a plugin that only scores refuses nothing."""
        if self.verdict is None:
            return _STATES["ok"]
        meaning = "unres" if self.verdict.look == "nores" else "unsched"
        return _STATES.get(self.verdict.look, (meaning, self.verdict.label))

    @property
    def verdict_text(self) -> str:
        """Return the recorded reason of the verdict, or its label where it has none."""
        return (self.verdict.reason or self.verdict.label) if self.verdict else ""


def cell_of(frame: FrameView, node: str, plugin: str) -> ChosenCell:
    """Return the cell of the node and the plugin ("": the node as a whole), without its reasons."""
    row = frame.row_of.get(node)
    if row is None:
        return ChosenCell(node, "missing")
    verdict = filter_cell(frame.frame, plugin, row) if plugin in frame.frame.filter_plugins else None
    score = _score(frame, plugin, row)
    return ChosenCell(
        node=node,
        kind="score" if score else "verdict" if verdict else "node",
        plugin=plugin,
        fits=row in frame.feasible,
        total=int(frame.totals[row]),
        cells=frame.cells(row),
        verdict=verdict,
        score=score,
    )


def _score(frame: FrameView, plugin: str, row: int) -> Score | None:
    """The plugin's score of the row, None before Score and for rows that were not scored."""
    recorded = frame.frame
    if not frame.has_scores or row not in frame.feasible or plugin not in recorded.score_plugins:
        return None
    i = recorded.score_plugins.index(plugin)
    among = recorded.raw[i][frame.feasible]
    return Score(
        raw=int(recorded.raw[i][row]),
        norm=int(frame.normalized(i)[row]),
        weight=recorded.weights[i],
        step=normalization_text(recorded, i, row),
        low=int(among.min()),
        high=int(among.max()),
    )


TIMES, MINUS = "\N{MULTIPLICATION SIGN}", "\N{MINUS SIGN}"


# ---------------------------------------------------------------- how a score was normalised


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
