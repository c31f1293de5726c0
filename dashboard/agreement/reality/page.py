"""The page of reality: classes that filter, decisions over time, their list, the selected one with what it could be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.agreement import decided_runs
from dashboard.agreement.reality.rows import STYLES, DecisionRow, Fold, Listing
from dashboard.agreement.reality.strip import Strip
from dashboard.common.http.params import INT32_MAX, choice_param, optional_int
from scheduler_core.explain.reality import CAUSES
from scheduler_core.explain.reality.texts import (
    AMONG_BEST,
    APART,
    CAUSE_TITLES,
    NOT_COMPARABLE,
    SAME_NODE,
    divergence_text,
    headline,
    standing_words,
    unknowns,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dashboard.agreement.models import CollectedBundle
    from dashboard.clusters.revisions.page_context import PageContext
    from dashboard.runs.models import Run
    from scheduler_core.explain.agreement import BesidePoints
    from scheduler_core.explain.reality import Decision, Reality

SHOWN = ("all", "same", "best", "messages", "apart", "differ", *CAUSES)
MOST_ROWS = 400
OTHERS = 6
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


@dataclass(frozen=True)
class CauseRow:
    """A cause that was looked at, as the page lists it."""

    title: str
    meaning: str
    glyph: str
    subject: str
    found: str
    is_named: bool


class RealityPage:
    """What the page shows of a comparison that is there."""

    def __init__(
        self,
        here: PageContext,
        bundle: CollectedBundle,
        figures: Reality,
        decisions: Sequence[Decision],
        run: Run | None,
        query: Mapping[str, str],
    ) -> None:
        self.figures, self.bundle, self.run = figures, bundle, run
        self._here, self._all, self._query = here, decisions, query
        self.show = choice_param(query, "show", SHOWN, "all")
        self.folds = query.get("fold") != "no" and self.show == "all"
        self._opened = optional_int(query, "open", low=0, high=INT32_MAX)

    def url(self, **choices: object) -> str:
        """Return the page's address with other choices; "" takes one off."""
        kept = {name: self._query.get(name, "") for name in ("config", "show", "fold", "open", "d")}
        merged = {name: str(value) for name, value in {**kept, **choices}.items() if value not in ("", None)}
        path = address(self._here)
        return f"{path}?{urlencode(merged)}" if merged else path

    # ---------------------------------------------------------------- classes

    @cached_property
    def tiles(self) -> list[Tile]:
        """Return the classes; a second click takes a filter off."""
        figures, same = self.figures, self.figures.counted("binding", "agree")
        apart = figures.counted("binding", "not_comparable") + figures.counted("message", "not_comparable")
        n_messages = figures.counted("message") - figures.counted("message", "not_comparable")
        equal = figures.counted("message", "agree", "chance")
        causes = [
            self._tile(name, *STYLES[name], f"{figures.causes.get(name, 0):,}", name, _cause_note(name, figures))
            for name in DIFFERENT_CAUSES
            if figures.causes.get(name) or name == "no cause found"
        ]
        return [
            self._tile(
                "same", "bound", "check", f"{same:,}", SAME_NODE, f"{figures.n_only_one:,} had only one that fits"
            ),
            self._tile(
                *("best", "tie", "equal", f"{figures.counted('binding', 'chance'):,}", AMONG_BEST, "a draw, no proof")
            ),
            *causes,
            self._tile(
                "messages", "wait", "file", f"{equal:,} of {n_messages:,}", "messages", "equal, reason by reason"
            ),
            self._tile("apart", "none", "dash", f"{apart:,}", NOT_COMPARABLE, "static, foreign, gap"),
        ]

    def _tile(self, name: str, meaning: str, glyph: str, figure: str, label: str, note: str) -> Tile:
        is_on = self.show == name
        url = self.url(show="" if is_on else name, d="", open="")
        return Tile(meaning, glyph, figure, label, note, url, is_on)

    @cached_property
    def strip(self) -> Strip:
        """Return the decisions over time."""
        return Strip(self.figures, self._all, self.selected)

    # ---------------------------------------------------------------- list

    @property
    def all_url(self) -> str:
        """Return the address that shows every decision."""
        return self.url(show="", d="", open="")

    @property
    def differ_url(self) -> str:
        """Return the address that shows those that differ."""
        return self.url(show="differ", d="", open="")

    @property
    def fold_url(self) -> str:
        """Return the address that folds decisions that agree, or shows them all."""
        return self.url(fold="no" if self.folds else "", open="")

    @cached_property
    def shown(self) -> list[Decision]:
        """Return the decisions of the class that is shown."""
        return [one for one in self._all if _is_of(one, self.show)]

    @cached_property
    def differing(self) -> list[Decision]:
        """Return all that differ."""
        return [one for one in self._all if one.verdict == "differ"]

    @cached_property
    def selected(self) -> Decision | None:
        """Return the decision that the address names, else the first that differs, else the first that is shown."""
        number = optional_int(self._query, "d", low=0, high=INT32_MAX)
        if number is not None and number < len(self._all):
            return self._all[number]
        differing = [one for one in self.shown if one.verdict == "differ"]
        return next(iter(differing or self.shown or self._all), None)

    @cached_property
    def rows(self) -> list[DecisionRow | Fold]:
        """Return rows and folds around the selected decision, at most MOST_ROWS."""
        number = self.selected.number if self.selected is not None else None
        rows = list(Listing(number, self._opened, self.folds, self.url).rows(self.shown))
        at = next((n for n, row in enumerate(rows) if isinstance(row, DecisionRow) and row.is_selected), 0)
        begin = max(0, min(at - MOST_ROWS // 2, len(rows) - MOST_ROWS))
        self.n_left_out = len(rows) - min(len(rows), MOST_ROWS)
        return rows[begin : begin + MOST_ROWS]

    def of(self, one: Decision | None) -> str:
        """Return the address that selects a decision, "" for none."""
        return "" if one is None else self.url(d=one.number)

    def _beside(self, among: Sequence[Decision], step: int) -> Decision | None:
        here = self.selected.number if self.selected is not None else -1
        if step > 0:
            return next((one for one in among if one.number > here), None)
        return next((one for one in reversed(among) if one.number < here), None)

    @property
    def next_difference(self) -> str:
        """Return the address of the next decision that differs, after the last one the first."""
        return self.of(self._beside(self.differing, 1) or next(iter(self.differing), None))

    @property
    def previous_difference(self) -> str:
        """Return the address of the one before."""
        return self.of(self._beside(self.differing, -1) or next(reversed(self.differing), None))

    @property
    def next_decision(self) -> str:
        """Return the address of the next decision that is shown."""
        return self.of(self._beside(self.shown, 1))

    @property
    def previous_decision(self) -> str:
        """Return the address of the one before."""
        return self.of(self._beside(self.shown, -1))

    # ---------------------------------------------------------------- the selected one

    @property
    def row(self) -> DecisionRow | None:
        """Return the selected decision with its words."""
        return None if self.selected is None else DecisionRow(self.selected)

    @property
    def place(self) -> int:
        """Return which of those that differ it is, 0 where it does not."""
        numbers = [one.number for one in self.differing]
        return numbers.index(self.selected.number) + 1 if self.selected and self.selected.number in numbers else 0

    @property
    def headline(self) -> str:
        """Return what both did, in a sentence."""
        return "" if self.selected is None else headline(self.selected)

    @property
    def standing(self) -> str:
        """Return how the real decision stands in ours."""
        return "" if self.selected is None else standing_words(self.selected)

    @property
    def moment(self) -> str:
        """Return the moment of the state, to the millisecond."""
        assert self.selected is not None
        row = DecisionRow(self.selected)
        return f"{row.clock}.{int(self.selected.at % 1 * 1000):03d}"

    @property
    def points(self) -> list[tuple[BesidePoints, int]]:
        """Return each plugin's points of the real node and of ours, with the difference; the largest first."""
        bound = self.selected.bound if self.selected is not None else None
        rows = [(one, one.real - one.ours) for one in (bound.points if bound is not None else ())]
        return sorted(rows, key=lambda row: -abs(row[1]))

    @property
    def best_total(self) -> int:
        """Return the total of our node, where both were scored."""
        bound = self.selected.bound if self.selected is not None else None
        return 0 if bound is None or bound.total is None else bound.total + bound.gap

    @property
    def causes(self) -> list[CauseRow]:
        """Return the causes that were looked at."""
        one = self.selected
        rows = []
        for test in one.tests if one is not None else ():
            is_named = test.cause == (one.cause if one is not None else "")
            meaning, glyph = STYLES.get(test.cause, ("none", "x")) if is_named else ("none", "x")
            rows.append(CauseRow(CAUSE_TITLES[test.cause], meaning, glyph, test.subject, test.found, is_named))
        return rows

    @property
    def same_cause(self) -> list[DecisionRow]:
        """Return the first others of the same cause."""
        one = self.selected
        if one is None or one.verdict != "differ":
            return []
        others = [other for other in self.differing if other.cause == one.cause and other is not one]
        return [DecisionRow(other, url=self.of(other)) for other in others[:OTHERS]]

    @property
    def cycle_url(self) -> str:
        """Return the address of the pod's cycle in the run from the beginning, "" while there is none."""
        if self.run is None or self.selected is None:
            return ""
        return decided_runs.cycle_address(self.run, self.selected.pod)

    @property
    def divergence(self) -> str:
        """Return where a free run leaves the real history."""
        return divergence_text(self.figures.divergence, self.figures.free_run)

    @property
    def divergence_url(self) -> str:
        """Return the address of the real binding there, "" where there is none."""
        first = self.figures.divergence
        number = first.decision if first is not None else None
        return "" if number is None or number >= len(self._all) else self.of(self._all[number])

    @property
    def unknowns(self) -> list[tuple[str, str]]:
        """Return what the comparison cannot know."""
        return list(unknowns(self.figures))

    @property
    def apart(self) -> list[tuple[int, str]]:
        """Return (how many, why) of those that are not compared."""
        return [(count, words) for name, words in APART.items() if (count := self.figures.apart.get(name, 0))]

    @property
    def minutes(self) -> float:
        """Return how long was collected."""
        return (self.figures.ended - self.figures.began) / 60


def address(here: PageContext) -> str:
    """Return the page's path."""
    return reverse("agreement:reality", args=[here.access.workspace.slug, here.cluster.slug])


def _cause_note(name: str, figures: Reality) -> str:
    if name == "version":
        return f"{figures.server_version}, not {figures.follows}"
    notes = {"configuration": "another one explains", "missing kind": "not collected", "order": "within 100 ms"}
    return notes.get(name, "looked at all six")


def _is_of(one: Decision, show: str) -> bool:
    if show == "all":
        return True
    if show in ("same", "best"):
        return one.what == "binding" and one.verdict == ("agree" if show == "same" else "chance")
    if show == "messages":
        return one.what == "message"
    if show == "apart":
        return one.verdict == "not_comparable"
    return one.verdict == "differ" and show in ("differ", one.cause)
