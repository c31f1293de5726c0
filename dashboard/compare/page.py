"""Everything that the page of a comparison shows, gathered once per request; each part only when it is asked for."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from django.urls import reverse

from dashboard.answers.panel import AnswerPanel, Asking
from dashboard.answers.questions import AttemptsAligned, DivergenceOf, FiguresCompared, PodsCompared
from dashboard.compare.decisions.nodes import NodeTiles
from dashboard.compare.decisions.points import PointsTable, RefusalTable
from dashboard.compare.decisions.side import CursorSide, side_at, side_without
from dashboard.compare.figures import FigureLines, figure_lines
from dashboard.compare.first import FirstDivergence
from dashboard.compare.pod_rows import PodList
from dashboard.compare.strip import Strip
from dashboard.compare.turns import TurnPanel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.compare.address import AskedComparison

PAGE = 100
# How long the page waits for where the cursors stand, and how long from its beginning for the rest; parts ask again.
FIRST_PATIENCE, WHOLE_PATIENCE = 1.5, 0.6
# A worker goes on to other questions, such as a step of the cursors, after this many seconds.
TURN_SECONDS = 0.5


class ComparisonPage:
    """The panels of the page, each computed on first use. `query` is that of the request, `patience` how many seconds
    it waits for an answer at most."""

    def __init__(self, asked: AskedComparison, query: Mapping[str, str], patience: float | None = None) -> None:
        self.asked = asked
        self.query = query
        self._until = time.monotonic() + (WHOLE_PATIENCE if patience is None else patience)

    # ---------------------------------------------------------------- questions

    @cached_property
    def alignment(self) -> AnswerPanel:
        """The attempts of both beside each other, around the cursors."""
        question = AttemptsAligned(*self._sides, a_cycle=self.asked.a_cycle, b_cycle=self.asked.b_cycle)
        here = replace(self._asking(), patience=FIRST_PATIENCE)
        return AnswerPanel.of(here, question)

    @cached_property
    def divergence(self) -> AnswerPanel:
        """The first event that differs, and the inputs that do."""
        return AnswerPanel.of(self._asking(), DivergenceOf(*self._sides))

    @cached_property
    def figures(self) -> TurnPanel:
        """Both sides in figures."""
        return TurnPanel.of(self._asking(), lambda turn: FiguresCompared(*self._sides, turn=turn, seconds=TURN_SECONDS))

    @cached_property
    def pods(self) -> TurnPanel:
        """One page of the list of pods."""
        asked, start = self.asked, PAGE * (self.asked.page - 1)
        return TurnPanel.of(
            self._asking(),
            lambda turn: PodsCompared(
                *self._sides,
                turn=turn,
                seconds=TURN_SECONDS,
                every=asked.every,
                decides=True,
                group=asked.group,
                text=asked.q,
                start=start,
                size=PAGE,
            ),
        )

    @property
    def _sides(self) -> tuple[int, str, int, int]:
        """What each question names: the other run, when it was made, and both moments."""
        other = self.asked.b.run
        return other.pk, other.created_at.isoformat(), self.asked.a.seq, self.asked.b.seq

    def _asking(self) -> Asking:
        patience = max(0.0, self._until - time.monotonic())
        return Asking(self.asked.a.run, self._address, self.query, patience)

    def _address(self, name: str) -> str:
        return f"{reverse('compare:answer', args=[self.asked.slug, name])}?{self.asked.parts_query}"

    # ---------------------------------------------------------------- what is shown of them

    @cached_property
    def strip(self) -> Strip | None:
        """The attempts of both in two rows; None until the answer is there."""
        answer = self.alignment.answer
        return Strip(self.asked, answer.value) if answer else None

    @cached_property
    def first(self) -> FirstDivergence | None:
        """The first event that differs, None until the answer is there."""
        answer = self.divergence.answer
        return FirstDivergence(self.asked, answer.value) if answer else None

    @cached_property
    def figure_groups(self) -> list[FigureLines]:
        """The figures in groups, [] until the answer is there."""
        answer = self.figures.answer
        return figure_lines(answer.value) if answer else []

    @cached_property
    def pod_list(self) -> PodList | None:
        """The pods that differ; None until the answer is there."""
        answer = self.pods.answer
        if answer is None:
            return None
        counts = self.figures.answer
        at = (self.sides[0].pod, self.sides[0].uid) if self.sides else ("", "")
        return PodList(self.asked, answer.value, counts.value if counts else None, at)

    # ---------------------------------------------------------------- both cursors

    @cached_property
    def sides(self) -> tuple[CursorSide, CursorSide] | None:
        """Both decisions; None until it is present where the cursors stand, and where they stand at none."""
        pair = self.strip.at if self.strip else None
        if pair is None:
            return None
        asked = self.asked
        a = side_at(asked.slug, asked.a, "A", pair.a) if pair.a else None
        b = side_at(asked.slug, asked.b, "B", pair.b) if pair.b else None
        if a is None:
            assert b is not None
            a = side_without(asked.slug, asked.a, "A", b)
        return a, b if b is not None else side_without(asked.slug, asked.b, "B", a)

    @cached_property
    def tiles(self) -> NodeTiles | None:
        """The nodes that the two decisions are about."""
        return NodeTiles.of(*self.sides) if self.sides else None

    @cached_property
    def points(self) -> PointsTable | None:
        """The points of both choices in both runs; None where one of them scored nothing."""
        return PointsTable.of(*self.sides) if self.sides else None

    @cached_property
    def refusals(self) -> RefusalTable | None:
        """Which plugins refused how many nodes; None where none did."""
        return RefusalTable.of(*self.sides) if self.sides else None
