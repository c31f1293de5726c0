"""The steps of the tour: what each is called, and which page of the demo run it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.debugger.why.address import why_url
from dashboard.runs import demo
from dashboard.runs.models import Cycle

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.accounts.models import Workspace
    from dashboard.runs.models import Run

# The pod that the tour follows: it asks for more than any node that it selects has.
POD = "data/warehouse-0"


@dataclass(frozen=True)
class TourRun:
    """The demo run that the tour goes over, with the first attempt of its pod."""

    run: Run
    slug: str
    first: Cycle

    def url(self, page: str = "run", **query: object) -> str:
        """Return the address of a page of the run."""
        path = reverse(f"debugger:{page}", kwargs={"slug": self.slug, "number": self.run.number})
        return f"{path}?{urlencode(query)}" if query else path

    @property
    def comparison(self) -> str:
        """Return where the run as it was after the first attempt is set against its end."""
        sides = {"a": self.run.number, "b": self.run.number, "a_seq": self.first.last_seq + 1}
        return f"{reverse('compare:page', args=[self.slug])}?{urlencode(sides)}"


@dataclass(frozen=True)
class TourStep:
    """A step: its key, by which captions and rings are chosen, its title, and its address in a run."""

    key: str
    title: str
    address: Callable[[TourRun], str]


STEPS = (
    TourStep("refused", "A refused pod", lambda of: of.url("outcomes")),
    TourStep("why", "Why", lambda of: why_url(of.slug, of.run.number, POD)),
    TourStep("back", "Step back", lambda of: of.url(cycle=of.first.number)),
    TourStep("try", "Try a change", lambda of: why_url(of.slug, of.run.number, POD)),
    TourStep("compare", "Compare", lambda of: of.comparison),
    TourStep("comment", "Comment", lambda of: of.url(cycle=of.first.number, tab="threads")),
)


def tour_run(workspace: Workspace) -> TourRun | None:
    """Return what the tour goes over, None where the demo run is gone, goes on, or is about other pods."""
    run = demo.find_demo_run(workspace, demo.TEACHING)
    if run is None or not run.has_ended:
        return None
    first = Cycle.objects.filter(run_id=run.pk, pod=POD).order_by("number").first()
    return TourRun(run, workspace.slug, first) if first else None
