"""Who may be in a room: every member of the workspace, but in that of a draft only those who see the draft."""

from __future__ import annotations

from django.db.models import Q

from dashboard.clusters.models import Draft
from dashboard.live.presence.places import draft_in


def may_enter(user_id: int, workspace_id: int, room: str) -> bool:
    """Return whether a member of the workspace may see who is there, and where; asks the database for drafts."""
    number = draft_in(room)
    if number is None:
        return True
    slug = room.split("/")[1]
    sees = Q(author=user_id) | Q(invited=user_id)
    return Draft.objects.filter(sees, pk=number, cluster__slug=slug, cluster__workspace=workspace_id).exists()
