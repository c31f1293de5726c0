"""Addresses of what reviews talk about: the debugger's page is known by its name only."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.review.models import SubjectKind, ThreadKind
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
    """Return what a review is about in a few words for lists: "run 4", or what was compared or changed.

    Where its list has this already, in place of a title, it is the kind of subject; of a run also its cluster.
    """
    if review.kind == SubjectKind.RUN and review.run is not None and (review.title or review.run.name):
        return f"run {review.run.number}"
    if review.title:
        return review.subject
    if review.kind == SubjectKind.RUN and review.run is not None:
        return f"run of {review.run.revision}"
    return review.get_kind_display()


# These threads stand in the debugger beside their cursor; all others on the page of their review.
IN_THE_DEBUGGER = (ThreadKind.CYCLE, ThreadKind.VERDICT, ThreadKind.SCORE)


def permalink(slug: str, thread: Thread, row: Cycle | None) -> str:
    """Return the address that opens what the thread speaks of and the thread; `row` is its cycle's."""
    if thread.kind in IN_THE_DEBUGGER and thread.run is not None:
        return f"{_debugger(slug, thread.run.number)}?{_at_cell(thread, row, 'threads')}#thread-{thread.pk}"
    return f"{review_url(slug, thread.review)}?{urlencode({'thread': thread.pk})}#thread-{thread.pk}"


def thing_url(slug: str, thread: Thread, row: Cycle | None) -> str:
    """Return the address that shows what the thread speaks of: a cursor, an event, or a finding."""
    run, pod = thread.run, {"pod": thread.pod, **({"uid": thread.pod_uid} if thread.pod_uid else {})}
    if run is None or thread.kind == ThreadKind.FIELD:
        return f"{review_url(slug, thread.review)}?{urlencode({'finding': thread.finding})}"
    match thread.kind:
        case ThreadKind.MOVE | ThreadKind.STORY:
            query = urlencode({"seq": thread.seq, **pod, "tab": "story"})
        case ThreadKind.VICTIM:
            query = urlencode({"cycle": thread.cycle, "tab": "preemption", "node": thread.node})
        case ThreadKind.EVENT:
            events = reverse("debugger:events", kwargs={"slug": slug, "number": run.number})
            return f"{events}?{urlencode({'seq': thread.seq})}"
        case _:
            query = _at_cell(thread, row, "matrix" if thread.node or thread.plugin else "why")
    return f"{_debugger(slug, run.number)}?{query}"


def cluster_name(review: Review) -> str:
    """Return the name of the cluster that the review is about, or whose run it is about; "" where there is none."""
    revision = review.run.revision if review.run else review.revision or review.base
    return revision.cluster.name if revision else ""


def _at_cell(thread: Thread, row: Cycle | None, tab: str) -> str:
    """Return the query of a cursor: at its end, or at one of its points, it is named by the cycle, else by its seq."""
    ends_here = row is None or thread.seq == row.last_seq + 1
    moment = {"cycle": thread.cycle} if ends_here or thread.point else {"seq": thread.seq}
    named = {name: value for name in ("point", "plugin", "node") if (value := getattr(thread, name))}
    return urlencode({**moment, "tab": tab, **named})


def _debugger(slug: str, number: int) -> str:
    return reverse("debugger:run", kwargs={"slug": slug, "number": number})
