"""The page of reality: classes that filter, decisions over time, their list, the selected one with what it could be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.agreement import decided_runs
from dashboard.agreement.reality.filtering import SHOWN, TEXT_LENGTH, DecisionFilter
from dashboard.agreement.reality.rows import STYLES, DecisionListing, DecisionRow, FoldedDecisions
from dashboard.agreement.reality.strip import MOST_ZOOM, DecisionStrip
from dashboard.agreement.reality.tiles import Tile, tiles
from dashboard.common.http.params import INT32_MAX, choice_param, optional_int, text_param
from scheduler_core.explain.reality.texts import (
    APART,
    CAUSE_TITLES,
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
    from scheduler_core.explain.reality import HeldDecision, Reality

CHOICES = ("bundle", "config", "show", "q", "fold", "open", "zoom", "d")
MOST_ROWS = 400
OTHERS = 6


@dataclass(frozen=True)
class CauseRow:
    """A cause that was looked at, as the page lists it."""

    title: str
    meaning: str
    glyph: str
    subject: str
    result: str
    is_named: bool


class RealityPage:
    """What the page shows of a comparison that is there."""

    def __init__(
        self,
        here: PageContext,
        bundle: CollectedBundle,
        figures: Reality,
        decisions: Sequence[HeldDecision],
        run: Run | None,
        query: Mapping[str, str],
    ) -> None:
        self.figures, self.bundle, self.run = figures, bundle, run
        self._here, self._all, self._query = here, decisions, query
        self.show = choice_param(query, "show", SHOWN, "all")
        self.text = text_param(query, "q", TEXT_LENGTH)
        self.folds = query.get("fold") != "no" and self.show == "all" and not self.text
        self.zoom = optional_int(query, "zoom", low=0, high=MOST_ZOOM) or 0
        self._opened = optional_int(query, "open", low=0, high=INT32_MAX)

    def url(self, **choices: object) -> str:
        """Return the page's address with other choices; "" takes one off."""
        now = {name: self._query.get(name, "") for name in CHOICES}
        merged = {name: str(value) for name, value in {**now, **choices}.items() if value not in ("", None)}
        path = address(self._here)
        return f"{path}?{urlencode(merged)}" if merged else path

    # ---------------------------------------------------------------- classes

    @property
    def tiles(self) -> list[Tile]:
        """Return the classes; a second click takes a filter off."""
        return tiles(self.figures, self.show, lambda name: self.url(show=name, d="", open=""))

    @cached_property
    def strip(self) -> DecisionStrip:
        """Return the decisions over time."""
        return DecisionStrip(self.figures, self._all, self.selected, self.zoom)

    @property
    def zoom_in(self) -> str:
        """Return the address that shows half the time around the selected decision, "" for the shortest."""
        return self.url(zoom=self.zoom + 1) if self.zoom < MOST_ZOOM else ""

    @property
    def zoom_out(self) -> str:
        """Return the address that shows twice the time, "" where all is shown."""
        return self.url(zoom=self.zoom - 1 or "") if self.zoom else ""

    # ---------------------------------------------------------------- list

    @property
    def all_url(self) -> str:
        """Return the address that shows every decision."""
        return self.url(show="", q="", d="", open="")

    @property
    def differ_url(self) -> str:
        """Return the address that shows those that differ."""
        return self.url(show="differ", d="", open="")

    @property
    def fold_url(self) -> str:
        """Return the address that folds decisions that agree, or shows them all."""
        return self.url(fold="no" if self.folds else "", open="")

    @property
    def kept_choices(self) -> list[tuple[str, str]]:
        """Return the choices that a new text leaves, as (name, value)."""
        left = ("q", "d", "open")
        return [(name, value) for name in CHOICES if name not in left and (value := self._query.get(name, ""))]

    @cached_property
    def shown(self) -> list[HeldDecision]:
        """Return the decisions of the class that is shown, with all words of the text."""
        listed = DecisionFilter(self.show, self.text)
        return [one for one in self._all if listed.has(one)]

    @cached_property
    def differing(self) -> list[HeldDecision]:
        """Return all that differ."""
        return [one for one in self._all if one.verdict == "differ"]

    @cached_property
    def selected(self) -> HeldDecision | None:
        """Return the decision that the address names, else the first that differs, else the first that is shown."""
        number = optional_int(self._query, "d", low=0, high=INT32_MAX)
        if number is not None and number < len(self._all):
            return self._all[number]
        differing = [one for one in self.shown if one.verdict == "differ"]
        return next(iter(differing or self.shown or self._all), None)

    @cached_property
    def rows(self) -> list[DecisionRow | FoldedDecisions]:
        """Return rows and folds around the selected decision, at most MOST_ROWS."""
        number = self.selected.number if self.selected is not None else None
        rows = list(DecisionListing(number, self._opened, self.folds, self.url).rows(self.shown))
        at = next((n for n, row in enumerate(rows) if isinstance(row, DecisionRow) and row.is_selected), 0)
        begin = max(0, min(at - MOST_ROWS // 2, len(rows) - MOST_ROWS))
        self.n_left_out = len(rows) - min(len(rows), MOST_ROWS)
        return rows[begin : begin + MOST_ROWS]

    def of(self, one: HeldDecision | None) -> str:
        """Return the address that selects a decision, "" for none."""
        return "" if one is None else self.url(d=one.number)

    def _beside(self, among: Sequence[HeldDecision], step: int) -> HeldDecision | None:
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
        """Return where the real decision ranks in ours."""
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
            rows.append(CauseRow(CAUSE_TITLES[test.cause], meaning, glyph, test.subject, test.result, is_named))
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
