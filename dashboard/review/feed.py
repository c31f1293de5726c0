"""How open pages hear that a review changed: by topics, and in the answer to a form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse

from dashboard.review.models import SubjectKind

if TYPE_CHECKING:
    from dashboard.review.models import Review

# Any review of the workspace.
TOPIC = "reviews"


def review_topic(review: Review) -> str:
    """Return the topic of what belongs to a review; that of a run's is named by the run, whose pages come before it."""
    return f"run:{review.run_id}" if review.kind == SubjectKind.RUN else f"review:{review.pk}"


def threads_changed() -> HttpResponse:
    """Return the answer to htmx at which the page that sent a form fetches its threads again."""
    answer = HttpResponse(status=204)
    answer["HX-Trigger"] = "threads-changed"
    return answer
