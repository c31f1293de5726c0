"""Where a review is: of a run at the run's address, or by its number; the addresses of its page's parts and forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import reverse

from dashboard.review import links, queries
from dashboard.runs.actions import find_run
from dashboard.runs.models import Run

if TYPE_CHECKING:
    from dashboard.accounts.access import Access
    from dashboard.review.models import Review


@dataclass(frozen=True)
class ReviewPlace:
    """What is reviewed: a run, whether it has a review yet or not, or a review with a number."""

    slug: str
    of: Run | Review

    def url(self, name: str) -> str:
        """Return the address of a form or part by its name, such as "ask"."""
        if isinstance(self.of, Run):
            return reverse(f"review:{name}", kwargs={"slug": self.slug, "number": self.of.number})
        return reverse(f"review:review_{name}", kwargs={"slug": self.slug, "review": self.of.number})

    @property
    def page(self) -> str:
        """Return the address of the page."""
        if isinstance(self.of, Run):
            return reverse("review:run", kwargs={"slug": self.slug, "number": self.of.number})
        return links.review_url(self.slug, self.of)

    @property
    def urls(self) -> dict[str, str]:
        """Return the addresses that its templates use, by name."""
        names = (
            *("findings", "record", "ask", "give_verdict", "withdraw", "viewed", "close", "reopen_review"),
            *("open_field_thread", "mute", "mark", "parts"),
        )
        return {"page": self.page, **{name: self.url(name) for name in names}}

    @property
    def review(self) -> Review | None:
        """Return the review, None for a run before anybody commented, judged or asked."""
        return queries.review_of(self.of) if isinstance(self.of, Run) else self.of

    @property
    def runs(self) -> list[Run]:
        """Return the runs that it is about."""
        return [self.of] if isinstance(self.of, Run) else queries.runs_of(self.of)


def place_of(access: Access, number: int | None = None, review: int | None = None) -> ReviewPlace:
    """Return the place of a run by its number, or of a review by its own; raises NotFound."""
    if review is not None:
        return ReviewPlace(access.workspace.slug, queries.find_review(access.workspace, review))
    assert number is not None
    return ReviewPlace(access.workspace.slug, find_run(access.workspace, number))
