"""The topics under which reviews are announced to open pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.review.models import SubjectKind

if TYPE_CHECKING:
    from dashboard.review.models import Review

# Any review of the workspace.
TOPIC = "reviews"


def topic_of(review: Review) -> str:
    """Return the topic of what belongs to a review; that of a run's is named by the run, whose pages come before it."""
    return f"run:{review.run_id}" if review.kind == SubjectKind.RUN else f"review:{review.pk}"
