"""How many nodes each plugin refused in both attempts, with its reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import signed
from dashboard.runs.queries import verdicts_among
from scheduler_core.recording.vocabulary import Code

if TYPE_CHECKING:
    from dashboard.compare.decisions.side import CursorSide

SHOWN = 12


@dataclass(frozen=True)
class RefusalLine:
    """A plugin with one set of reasons; `is_lasting`: no eviction and no event but a change to the node helps."""

    plugin: str
    reasons: str
    is_lasting: bool
    a: int
    b: int

    @property
    def delta(self) -> str:
        """Return the change from A to B."""
        return signed(self.b - self.a)


@dataclass(frozen=True)
class RefusalTable:
    """The lines that most nodes stand behind first; `n_more` are left out."""

    lines: list[RefusalLine]
    n_more: int

    @classmethod
    def of(cls, a: CursorSide, b: CursorSide) -> RefusalTable | None:
        """Return the table; None where no node was refused on either side."""
        counts: dict[tuple[str, str, bool], list[int]] = {}
        for place, side in enumerate((a, b)):
            if side.row is None:
                continue
            run, number = side.compared.run, side.row.number
            for one in verdicts_among(run, [number]).get(number, []):
                is_lasting = one.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE
                both = counts.setdefault((one.plugin, one.reasons, is_lasting), [0, 0])
                both[place] += one.nodes
        if not counts:
            return None
        lines = [RefusalLine(*key, *both) for key, both in counts.items()]
        lines.sort(key=lambda line: (-max(line.a, line.b), line.plugin, line.reasons))
        return cls(lines[:SHOWN], max(0, len(lines) - SHOWN))
