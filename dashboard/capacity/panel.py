"""The page as templates read it: the four tiles, and the question that is shown with what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from dashboard.answers.answering.capacity import DrainedAnswer, GroupsAnswer, MoreAnswer, UnneededAnswer
from dashboard.answers.outcomes import Answer
from dashboard.answers.panel import OutcomePanel
from dashboard.capacity.choice import DRAIN, GROUPS, QUESTIONS, ROOM, SPARE
from dashboard.capacity.group_page import GroupPage
from dashboard.capacity.other_pages import DrainPage, RoomPage, SparePage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.answers.outcomes import Outcome
    from dashboard.capacity.choice import CapacityChoice, CapacityPlace
    from scheduler_core.capacity.table import GroupTable

AnswerPage = GroupPage | RoomPage | DrainPage | SparePage
_PAGES: dict[type, Callable[..., AnswerPage]] = {
    GroupsAnswer: GroupPage,
    MoreAnswer: RoomPage,
    DrainedAnswer: DrainPage,
    UnneededAnswer: SparePage,
}


class TileFrame(NamedTuple):
    """What a tile has whatever the answer is: its colour and glyph, and what the question is called."""

    meaning: str
    glyph: str
    name: str


FRAMES = {
    GROUPS: TileFrame("bound", "plus", "Which group"),
    ROOM: TileFrame("second", "box", "How many more fit"),
    DRAIN: TileFrame("unsched", "eject", "Drain"),
    SPARE: TileFrame("tie", "server", "Not needed"),
}


@dataclass(frozen=True)
class AskedQuestion:
    """A question with what came of it. `more` is what the next request for the same answer says."""

    choice: CapacityChoice
    place: CapacityPlace
    outcome: Outcome
    more: Mapping[str, str]

    def url(self, **changes: Any) -> str:
        """Return the address of the page with another choice, from the present turn on."""
        return self.place.url(self.choice.but(**changes))

    @property
    def state(self) -> OutcomePanel:
        """What is shown instead of an answer that is missing."""
        return OutcomePanel(self.outcome)

    @cached_property
    def page(self) -> AnswerPage | None:
        """The answer, None where there is none yet."""
        if not isinstance(self.outcome, Answer):
            return None
        return _PAGES[type(self.outcome.value)](self.outcome.value, self.choice, self.url)

    @property
    def _progress(self) -> GroupTable | UnneededAnswer | None:
        """The answer where it is one that takes several turns."""
        value = self.outcome.value if isinstance(self.outcome, Answer) else None
        if isinstance(value, GroupsAnswer):
            return value.table
        return value if isinstance(value, UnneededAnswer) else None

    @property
    def is_complete(self) -> bool:
        """Whether nothing more is to come."""
        progress = self._progress
        return self.page is not None if progress is None else progress.is_complete

    @property
    def share(self) -> float:
        """How much of a long answer is there, from 0 to 1."""
        return self._progress.done / max(self._progress.total, 1) if self._progress is not None else 0.0

    # --- the tile ---------------------------------------------------------------------------------------------------
    @property
    def frame(self) -> TileFrame:
        """What its tile has whatever the answer is."""
        return FRAMES[self.choice.show]

    @property
    def number(self) -> int:
        """The key that opens it."""
        return QUESTIONS.index(self.choice.show) + 1

    @property
    def tile(self) -> tuple[str, str, str]:
        """(figure, words, note) of the tile."""
        if self.page is not None:
            return self.page.tile
        return "…", self.frame.name.lower(), self.state.text

    @property
    def tile_url(self) -> str:
        """The address at which a tile without an answer asks for it."""
        return self.place.url(self.choice, "tile/", **self.more)

    # --- the question that is shown ---------------------------------------------------------------------------------
    @property
    def again(self) -> str:
        """The address that asks for the same answer again, or goes on with a partial one."""
        if self.page is None:
            return self.place.url(self.choice, **self.more)
        return self.place.url(self.choice.but(turn=self.choice.turn + 1), asker=self.more["asker"])

    @property
    def goes_on(self) -> bool:
        """Whether the page asks again by itself."""
        if self.page is None:
            return self.state.is_waiting
        return not self.is_complete and not self.choice.stop

    @property
    def stop_url(self) -> str:
        """The address that shows what there is, and asks no more."""
        return self.url(stop=True)

    @property
    def go_on_url(self) -> str:
        """The address that goes on with an answer that was stopped."""
        return self.url(stop=False, turn=self.choice.turn + 1)

    @property
    def again_url(self) -> str:
        """The address that asks from the first turn on."""
        return self.url(turn=0, stop=False)

    @property
    def all_pods_url(self) -> str:
        """The address that asks for all that waits."""
        return self.url(pod="", row="", turn=0, stop=False)

    @property
    def fields(self) -> dict[str, list[tuple[str, str]]]:
        """What the forms keep: of the groups, of the pod, of the nodes."""
        return {
            "groups": self.choice.without("like", "groups"),
            "pod": self.choice.without("of"),
            "nodes": self.choice.without("node", "q"),
        }

    @property
    def table_url(self) -> str:
        """The address of the same as text."""
        return self.place.url(self.choice, "table.txt")


@dataclass(frozen=True)
class CapacityPanel:
    """The page: the question that is `shown`, and all four in their order."""

    shown: AskedQuestion
    tiles: list[AskedQuestion]

    @property
    def template(self) -> str:
        """The template of the answer."""
        return f"capacity/_{self.shown.choice.show}.html"
