"""Whom comments mention, kept so that those people hear of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.review.models import Mention
from dashboard.review.writing.markdown import people_in
from dashboard.review.writing.people import people_of

if TYPE_CHECKING:
    from dashboard.accounts.models import Workspace
    from dashboard.review.models import Comment


def note_mentions(workspace: Workspace, comment: Comment) -> None:
    """Keep whom the comment mentions now, and forget whom it does not mention any more."""
    handles = people_in(comment.text)
    people = people_of(workspace) if handles else {}
    mentioned = {people[handle].user.pk: handle for handle in handles if handle in people}
    comment.mentions.exclude(user__in=mentioned).delete()
    rows = [Mention(comment=comment, user_id=user, handle=handle) for user, handle in sorted(mentioned.items())]
    if rows:
        Mention.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["comment", "user"], update_fields=["handle"]
        )
