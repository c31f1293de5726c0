"""The link to a meeting: it opens a run, comparison, review or draft, and follows the member who sent it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse

from dashboard.accounts.access import Access, workspace_view
from dashboard.accounts.models import Member
from dashboard.common.problems import NotFound
from dashboard.live.presence.places import room_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@workspace_view()
def meeting(request: HttpRequest, access: Access, member_id: int, place: str) -> HttpResponse:
    """Lead to `place` (an address below the workspace's, with its query); the fragment says whom the page follows."""
    host = get_object_or_404(Member, workspace=access.workspace, pk=member_id)
    query = request.GET.urlencode()
    if not room_of(place, query):
        raise NotFound("This link leads to no run, comparison, review or draft. Ask for a new one.")
    address = f"{reverse('home:home', args=[access.workspace.slug])}{place}"
    return redirect(f"{address}{'?' if query else ''}{query}#follow={host.pk}")
