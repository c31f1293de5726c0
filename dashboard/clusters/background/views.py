"""The page of a task that a worker does: how far it is, a button that cancels it, and where it leads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.utils import timezone

from dashboard.accounts.access import WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.background import asking
from dashboard.clusters.background.jobs import JobDone
from dashboard.clusters.models import BackgroundTask
from dashboard.common.http.htmx import go, render_page

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access

PAGE = "clusters/background/task.html"
PAUSE_MS, LONG_PAUSE_MS = 300, 1000
LONG_SECONDS = 5.0
DOING = "leave work to background workers"
# Shares below this say too little of the time that is left.
TELLING_SHARE = 0.05


@workspace_view(Role.EDITOR, doing=DOING)
def task(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return how far the task is, or lead to what it made; one that was cancelled leads back."""
    one = asking.find_task(access.member, number)
    if one.location:
        if one.said:
            # Once: the address may be opened again.
            asking.say(request, JobDone(one.location, one.said, (one.link[0], one.link[1]) if one.link else None))
            BackgroundTask.objects.filter(pk=one.pk).update(said="")
        return go(request, one.location)
    if one.ended_at is not None and not one.error:
        return go(request, one.back)
    return render_page(request, PAGE, _context(one))


def _context(one: BackgroundTask) -> dict[str, Any]:
    spent = (timezone.now() - (one.began_at or one.created_at)).total_seconds()
    left = spent * (1 - one.share) / one.share if one.share >= TELLING_SHARE else None
    return {
        "task": one,
        "here": asking.task_url(one),
        "percent": int(100 * one.share),
        "seconds": max(0, int(spent)),
        "left": None if left is None else max(1, round(left)),
        "pause_ms": PAUSE_MS if spent < LONG_SECONDS else LONG_PAUSE_MS,
    }


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def cancel(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Cancel a task and return to the page that asked for it; one that had ended leads to what it made."""
    one = asking.find_task(access.member, number)
    if not asking.cancel(one):
        return go(request, asking.task_url(one))
    messages.success(request, f"{one.title}: cancelled. Nothing was saved.")
    return go(request, one.back)
