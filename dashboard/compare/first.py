"""Where two runs part: the event on both sides, the cause, and the inputs that differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.debugger.cursor.cursor import Cursor
from dashboard.runs.queries import cycle_at_seq

if TYPE_CHECKING:
    from dashboard.answers.answering.comparing.sides import DivergenceAnswer
    from dashboard.compare.address import AskedComparison, ComparedRun
    from scheduler_core.compare import Happened, InputDifference


@dataclass(frozen=True)
class DivergedSide:
    """What one side has at the first event that differs, where that is looked at ("" where it has no such event), and
    what it decided there ("" outside of cycles)."""

    letter: str
    text: str
    at_us: int | None
    url: str
    decision: str = ""


class FirstDivergence:
    """The divergence as the page says it."""

    def __init__(self, asked: AskedComparison, answer: DivergenceAnswer) -> None:
        self.asked = asked
        self.divergence = answer.divergence
        self.inputs: tuple[InputDifference, ...] = answer.inputs

    @property
    def same_text(self) -> str:
        """Return what is said where nothing differs."""
        if self.asked.a.seq == self.asked.b.seq and self.asked.is_one_run:
            return "Both are the same moment of the same run."
        return f"All {self.asked.a.seq:,} events are the same, from the first to the last."

    @property
    def sides(self) -> list[DivergedSide]:
        """Return both sides at the event."""
        one = self.divergence
        if one is None:
            return []
        return [
            self._side("A", self.asked.a, one.a, one.at_cursor[0]),
            self._side("B", self.asked.b, one.b, one.at_cursor[1]),
        ]

    def _side(self, letter: str, compared: ComparedRun, happened: Happened | None, at_cursor: bool) -> DivergedSide:
        assert self.divergence is not None
        if happened is None:
            text = f"ends here, at event {compared.seq:,}" if at_cursor else "has no further event"
            return DivergedSide(letter, text, None, "")
        seq = min(self.divergence.seq + 1, compared.run.head.seq)
        url = Cursor(compared.run, self.asked.slug, seq, None).url(seq=seq)
        return DivergedSide(letter, happened.text, happened.at, url, happened.decision)

    @property
    def cursors_url(self) -> str:
        """Return the address with both cursors where it began; "" where that is in no cycle of either."""
        if self.divergence is None:
            return ""
        cycles = []
        for compared in (self.asked.a, self.asked.b):
            cycle = cycle_at_seq(compared.run, min(self.divergence.seq + 1, compared.seq))
            cycles.append(cycle.number if cycle is not None and cycle.last_seq < compared.seq else 0)
        if not all(cycles):
            return ""
        return self.asked.url(a_cycle=cycles[0], b_cycle=cycles[1])

    @property
    def moved_by(self) -> str:
        """Return what made the difference of the two choices there, "" where they are the same or none."""
        return self.divergence.moved_by if self.divergence is not None else ""

    @property
    def cause_text(self) -> str:
        """Return which inputs are the cause, or may be."""
        one = self.divergence
        if one is None or any(one.at_cursor):
            return ""
        if not one.because:
            return "no input that is present differs"
        draw = "both drew from the same tied nodes; " if one.is_draw else ""
        return draw + one.because_text

    @property
    def cause_lines(self) -> list[InputDifference]:
        """Return the differences of these inputs."""
        because = self.divergence.because if self.divergence else ()
        return [one for one in self.inputs if one.what in because]
