"""Addresses of what reviews talk about: the debugger's page is known by its name only."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.review.models import SubjectKind
from dashboard.runs.models import State

if TYPE_CHECKING:
    from dashboard.review.models import Review, Thread
    from dashboard.runs.models import Cycle


def cycle_url(slug: str, number: int, cycle: int) -> str:
    """Return the address that opens cycle `cycle` of run `number` in the debugger."""
    return f"{_debugger(slug, number)}?{urlencode({'cycle': cycle})}"


def run_url(slug: str, number: int) -> str:
    """Return the address of the run in the debugger."""
    return _debugger(slug, number)


def review_url(slug: str, review: Review) -> str:
    """Return the address of a review: that of its run's review, or its own by its number."""
    if review.kind == SubjectKind.RUN and review.run is not None and review.run.state != State.DELETING:
        return reverse("review:run", kwargs={"slug": slug, "number": review.run.number})
    return reverse("review:review", kwargs={"slug": slug, "review": review.number})


def about_line(review: Review) -> str:
    """Return what a review is about in a few words for lists: "run 4", or what was compared or changed."""
    if review.kind == SubjectKind.RUN and review.run is not None:
        return f"run {review.run.number}"
    return review.subject


def permalink(slug: str, thread: Thread, row: Cycle | None) -> str:
    """Return the address that opens exactly the thread's cursor and then the thread; `row` is its cycle's.

    A cursor at the cycle's end, or at one of its points, is named by the cycle; any other one by its seq.
    """
    ends_here = row is None or thread.seq == row.last_seq + 1
    moment = {"cycle": thread.cycle} if ends_here or thread.point else {"seq": thread.seq}
    named = {name: value for name in ("point", "plugin", "node") if (value := getattr(thread, name))}
    address = _debugger(slug, thread.run.number)
    return f"{address}?{urlencode({**moment, 'tab': 'threads', **named})}#thread-{thread.pk}"


def _debugger(slug: str, number: int) -> str:
    return reverse("debugger:run", kwargs={"slug": slug, "number": number})
