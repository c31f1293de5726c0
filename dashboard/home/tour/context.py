"""What the frame of every page shows of the tour: the caption of the step whose page it is, or the way back to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.functional import SimpleLazyObject

from dashboard.home.tour.steps import STEPS, TourStep, tour_run

if TYPE_CHECKING:
    from django.http import HttpRequest

    from dashboard.accounts.models import Member
    from dashboard.home.tour.steps import TourRun


@dataclass(frozen=True)
class TourCard:
    """The tour at a step, from 1: `over` is what it goes over, None without its run; `path` is that of the page."""

    number: int
    over: TourRun | None
    path: str

    @property
    def step(self) -> TourStep:
        """Return the step."""
        return STEPS[self.number - 1]

    @property
    def lights(self) -> list[str]:
        """Return the class of each step's light."""
        return ["is-done"] * self.previous + ["is-here"] + [""] * (len(STEPS) - self.number)

    @property
    def steps(self) -> tuple[TourStep, ...]:
        """Return all steps."""
        return STEPS

    @property
    def is_here(self) -> bool:
        """Return whether the page is that of the step."""
        return self.over is not None and self.step.address(self.over).partition("?")[0] == self.path

    @property
    def previous(self) -> int:
        """Return the number of the step before, 0 where there is none."""
        return self.number - 1

    @property
    def following(self) -> TourStep | None:
        """Return the next step, None after the last."""
        return STEPS[self.number] if self.number < len(STEPS) else None

    @property
    def next_number(self) -> int:
        """Return the number of the next step."""
        return self.number + 1


def tour_of(member: Member, path: str = "") -> TourCard | None:
    """Return the tour at the member's step, None for who takes none; two queries where they do."""
    number = min(member.tour_step, len(STEPS))
    return TourCard(number, tour_run(member.workspace), path) if number else None


def tour(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `tour` is the TourCard that the page shows; only templates with the frame ask for it."""
    member, view = getattr(request, "member", None), request.resolver_match
    # The first page has a way back of its own.
    if member is None or not member.tour_is_shown or (view and view.view_name == "home:home"):
        return {"tour": None}
    return {"tour": SimpleLazyObject(lambda: tour_of(member, request.path))}
