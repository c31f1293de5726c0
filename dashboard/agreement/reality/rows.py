"""Decisions as the page's list shows them: those that agree folded to a line, the others one a row."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scheduler_core.explain.reality import HeldDecision
from scheduler_core.explain.reality.texts import standing_words, word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

STYLES = {
    "version": ("nomin", "layers"),
    "configuration": ("unsched", "gear"),
    "missing kind": ("backoff", "ring"),
    "order": ("queue", "list"),
    "chance": ("tie", "equal"),
    "no cause found": ("error", "alert"),
}
"""Meaning and glyph of a cause."""
AGREEING = ("agree", "chance")
FEWEST_FOLDED = 2


def style_of(one: HeldDecision) -> tuple[str, str]:
    """Return the meaning and the glyph that a decision is shown with."""
    if one.verdict == "differ":
        return STYLES.get(one.cause, ("error", "alert"))
    if one.verdict == "not_comparable":
        return "none", "dash"
    return ("tie", "equal") if one.verdict == "chance" else ("bound", "check")


@dataclass(frozen=True)
class DecisionRow:
    """One decision of the list."""

    one: HeldDecision
    is_selected: bool = False
    url: str = ""

    @property
    def name(self) -> str:
        """Return the pod's name."""
        return self.one.pod.partition("/")[2]

    @property
    def clock(self) -> str:
        """Return the time of the day, in UTC."""
        return clock(self.one.at)

    @property
    def real(self) -> str:
        """Return what the real scheduler did, in a word."""
        return self.one.node or "refused"

    @property
    def ours(self) -> str:
        """Return what ours does, in a word."""
        if self.one.verdict == "not_comparable":
            return "not run"
        if self.one.agrees_in_all and self.one.node:
            return self.one.node
        return self.one.ours[0] if self.one.ours else "refused"

    @property
    def meaning(self) -> str:
        """Return the meaning of its colour."""
        return style_of(self.one)[0]

    @property
    def glyph(self) -> str:
        """Return its glyph."""
        return style_of(self.one)[1]

    @property
    def word(self) -> str:
        """Return the verdict, or the cause."""
        return word(self.one)

    @property
    def title(self) -> str:
        """Return where the real decision ranks in ours, for a tip."""
        return standing_words(self.one)


@dataclass(frozen=True)
class FoldedDecisions:
    """Decisions that agree, one after another; `first` is the number of the first."""

    first: int
    since: str
    until: str
    count: int
    by_chance: int
    messages: int
    url: str

    @property
    def words(self) -> str:
        """Return what is among them."""
        chance = f", {self.by_chance:,} by chance" if self.by_chance else ""
        messages = f", {self.messages:,} message{'' if self.messages == 1 else 's'}" if self.messages else ""
        return f"to {self.until}{chance}{messages}"


def clock(at: float) -> str:
    """Return the time of the day, in UTC."""
    return f"{datetime.fromtimestamp(at, UTC):%H:%M:%S}"


@dataclass(frozen=True)
class DecisionListing:
    """How decisions are listed: `selected` and the first of the fold that is `opened` by their numbers; `url` gives the
    page's address with other choices."""

    selected: int | None
    opened: int | None
    folds: bool
    url: Callable[..., str]

    def rows(self, decisions: Sequence[HeldDecision]) -> Iterator[DecisionRow | FoldedDecisions]:
        """Yield rows, and folds of those that agree, but the selected one."""
        folded: list[HeldDecision] = []
        for one in decisions:
            if self.folds and one.agrees_in_all and one.number != self.selected:
                folded.append(one)
                continue
            yield from self._folded(folded)
            folded = []
            yield self._row(one)
        yield from self._folded(folded)

    def _row(self, one: HeldDecision) -> DecisionRow:
        return DecisionRow(one, one.number == self.selected, self.url(d=one.number))

    def _folded(self, decisions: list[HeldDecision]) -> Iterator[DecisionRow | FoldedDecisions]:
        if len(decisions) < FEWEST_FOLDED or decisions[0].number == self.opened:
            yield from map(self._row, decisions)
        else:
            yield _fold(decisions, self.url(open=decisions[0].number))


def _fold(decisions: list[HeldDecision], url: str) -> FoldedDecisions:
    return FoldedDecisions(
        first=decisions[0].number,
        since=clock(decisions[0].at),
        until=clock(decisions[-1].at),
        count=len(decisions),
        by_chance=sum(one.verdict == "chance" for one in decisions),
        messages=sum(one.what == "message" for one in decisions),
        url=url,
    )
