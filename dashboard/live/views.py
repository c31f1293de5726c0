"""What a socket left out, and where somebody is, as pages of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse

from dashboard.accounts.access import Access, workspace_view
from dashboard.accounts.models import Member
from dashboard.common.http.params import int_param
from dashboard.common.problems import NotFound
from dashboard.live import messages
from dashboard.live.consumers import PAGE_EVENTS
from dashboard.live.presence.places import room_of
from dashboard.runs.actions import find_run
from dashboard.runs.storage import recordings

if TYPE_CHECKING:
    from django.http import HttpRequest


@workspace_view()
def events(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return a batch as JSON: the public events from ?first= to ?last=, at most 2,000 seqs; `last` says how far."""
    run = find_run(access.workspace, number)
    first = int_param(request.GET, "first", default=0)
    last = int_param(request.GET, "last", default=first + PAGE_EVENTS - 1, low=first)
    end = max(first, min(last + 1, first + PAGE_EVENTS, run.head.seq))
    head = messages.HeadPosition(seq=run.head.seq, cycle=run.head.cycle, at=run.head.at_us)
    batch = messages.batch(run.pk, recordings.read_events(run.pk, first, end - 1), (first, end), (head, run.state))
    response = HttpResponse(messages.encode(batch), content_type="application/json")
    response["Cache-Control"] = "private, no-store"
    return response


@workspace_view()
def meeting(request: HttpRequest, access: Access, member_id: int, place: str) -> HttpResponse:
    """Lead to `place` (an address below the workspace's, with its query); the fragment says whom the page follows."""
    host = get_object_or_404(Member, workspace=access.workspace, pk=member_id)
    query = request.GET.urlencode()
    if not room_of(place, query):
        raise NotFound("This link leads to no run, comparison, review or draft. Ask for a new one.")
    address = f"{reverse('home:home', args=[access.workspace.slug])}{place}"
    return redirect(f"{address}{'?' if query else ''}{query}#follow={host.pk}")
