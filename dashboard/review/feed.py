"""How open pages hear that a review changed: by topics, and in the answer to a form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpResponse

from dashboard.live.feed.topics import announce
from dashboard.review.models import SubjectKind

if TYPE_CHECKING:
    from dashboard.review.models import Review
    from dashboard.runs.models import Run

# Any review of the workspace.
TOPIC = "reviews"


def review_topic(review: Review) -> str:
    """Return the topic of what belongs to a review; that of a run's is named by the run, whose pages come before it."""
    return f"run:{review.run_id}" if review.kind == SubjectKind.RUN else f"review:{review.pk}"


def topics_shown(run: Run | None, review: Review | None) -> tuple[str, ...]:
    """Return the topics of a page that shows the review of a run, which has none before somebody writes, or another."""
    if run is not None:
        return (f"run:{run.pk}",)
    return (review_topic(review),) if review is not None else ()


def announce_name(run: Run, **_signal: Any) -> None:
    """Have open pages of a run's review show its new name."""
    announce(run.workspace_id, f"run:{run.pk}", TOPIC)


def threads_changed() -> HttpResponse:
    """Return the answer to htmx at which the page that sent a form fetches its threads again."""
    answer = HttpResponse(status=204)
    answer["HX-Trigger"] = "threads-changed"
    return answer
