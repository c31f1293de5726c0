"""The lines of the comparison: what each score plugin gave the nodes, with the inputs of its formula."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import signed
from scheduler_core.profiles.names import BALANCED, FIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dashboard.debugger.panels.matrix.frame_view import FrameView
    from dashboard.debugger.why.node.rivals import RivalRow
    from dashboard.debugger.why.node.weights import WeightRangeRow, Weights
    from scheduler_core.explain.rivals.model import Rivalry, ScoreInputs

# Where a plugin's name may go on in a second line.
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Room for this many lines of inputs is kept on each plugin's line before they are there.
_LINES = {FIT: 2, BALANCED: 2}


@dataclass(frozen=True)
class RivalCell:
    """What a plugin gave a node: weighted points of the raw and the normalised score; None where it was not scored.

    `inputs` are the numbers in its formula, None while they are not known; `is_computed` as of RivalRow.
    """

    node: str
    points: int | None
    raw: int = 0
    norm: int = 0
    weight: int = 0
    inputs: ScoreInputs | None = None
    is_computed: bool = False

    @property
    def title(self) -> str:
        """Return the inputs in full."""
        return "; ".join(self.inputs.texts) if self.inputs is not None else ""


@dataclass(frozen=True)
class RivalLine:
    """A plugin's line: `lead` of the first node over the second (None where one of them was not scored).

    `x` and `width` place the bar of the lead, in percents; `is_key` says that without it another node would have won.
    `range` is None where the cycle scored nothing, so that no weight matters; `tried` is the weight of the address.
    """

    plugin: str
    weight: int
    cells: list[RivalCell]
    lead: int | None
    x: float
    width: float
    is_key: bool
    range: WeightRangeRow | None
    tried: int

    @property
    def look(self) -> str:
        """Return the CSS class of the lead: up, dn or zero."""
        return "up" if (self.lead or 0) > 0 else "dn" if (self.lead or 0) < 0 else "zero"

    @property
    def lead_text(self) -> str:
        """Return the lead with its sign."""
        return "" if self.lead is None else signed(self.lead)

    @property
    def name_parts(self) -> list[str]:
        """Return the plugin's name in parts after which a line may break."""
        return _HUMP.split(self.plugin)

    @property
    def n_lines(self) -> int:
        """Return how many lines of inputs fit."""
        return _LINES.get(self.plugin, 1)

    @property
    def has_texts(self) -> bool:
        """Return whether the inputs of some node are known."""
        return any(cell.inputs is not None and cell.inputs.texts for cell in self.cells)


def rival_lines(
    view: FrameView,
    rivals: Sequence[RivalRow],
    weights: Weights | None,
    keys: set[str],
    answer: Rivalry | None,
    tried: Mapping[str, int],
) -> list[RivalLine]:
    """Return the lines, in order of the plugins; `keys` are those without which another node would have won.

    `tried` are weights of the address.
    """
    recorded = list(view.frame.score_plugins) if weights is not None else []
    scored = {one.plugin: one.weight for rival in (answer.rivals if answer else ()) for one in rival.points}
    plugins = dict(zip(recorded, view.frame.weights, strict=False)) | scored
    cells = {plugin: [_cell(view, plugin, weight, one) for one in rivals] for plugin, weight in plugins.items()}
    leads = {plugin: _lead(line) for plugin, line in cells.items()}
    longest = max((abs(lead or 0) for lead in leads.values()), default=0) or 1
    lines = []
    for plugin, weight in plugins.items():
        lead = leads[plugin]
        width = 50 * abs(lead or 0) / longest
        x = 50.0 if (lead or 0) >= 0 else 50 - width
        of = weights.range(recorded.index(plugin)) if weights is not None and plugin in recorded else None
        lines.append(
            RivalLine(plugin, weight, cells[plugin], lead, x, width, plugin in keys, of, tried.get(plugin, weight))
        )
    return lines


def _cell(view: FrameView, plugin: str, weight: int, one: RivalRow) -> RivalCell:
    """The recorded points, else those of the answer."""
    of_plugin = [] if one.answer is None else [i for i, p in enumerate(one.answer.points) if p.plugin == plugin]
    inputs = one.answer.inputs[of_plugin[0]] if one.answer is not None and of_plugin else None
    if one.total is None:
        return RivalCell(one.node, None)
    if one.is_computed and one.answer is not None:
        if not of_plugin:
            return RivalCell(one.node, 0, weight=weight, is_computed=True)
        points = one.answer.points[of_plugin[0]]
        return RivalCell(one.node, points.weighted, points.raw, points.norm, points.weight, inputs, is_computed=True)
    if plugin not in view.frame.score_plugins:
        return RivalCell(one.node, 0, weight=weight)
    index, row = view.frame.score_plugins.index(plugin), view.row_of[one.node]
    norm = int(view.normalized(index)[row])
    return RivalCell(one.node, norm * weight, int(view.frame.raw[index][row]), norm, weight, inputs)


def _lead(cells: Sequence[RivalCell]) -> int | None:
    if len(cells) < 2 or cells[0].points is None or cells[1].points is None:
        return None
    return cells[0].points - cells[1].points
