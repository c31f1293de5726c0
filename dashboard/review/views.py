"""Pages beside that of a review: the list, the threads of a cycle (for the debugger's inspector), the inbox."""

from __future__ import annotations

from dataclasses import asdict, astuple, replace
from typing import TYPE_CHECKING, Any

from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from dashboard.accounts.access import Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.common.http.htmx import render_page
from dashboard.common.http.origins import site_address
from dashboard.common.http.params import choice_param, optional_int, text_param
from dashboard.common.pages.pagination import Page, paginate
from dashboard.common.problems import NotFound
from dashboard.review import actions, links, queries, threads
from dashboard.review.drafts.queries import draft_lines
from dashboard.review.findings.groups import digest
from dashboard.review.models import Thread
from dashboard.review.pins.pin import pin_in
from dashboard.review.pins.resolving import resolved
from dashboard.review.suggesting.effect import branch_choices
from dashboard.review.writing.people import people_of
from dashboard.runs import queries as run_queries
from dashboard.runs.actions import find_run

if TYPE_CHECKING:
    from django.http import HttpRequest

    from dashboard.runs.models import Run


LIST = "review/list.html"
RUN = "review/run.html"
CYCLE = "review/cycle.html"
THREADS_PER_PAGE = 20
MARKDOWN = "text/markdown; charset=utf-8"
SHOW_LABELS = ("All", "For you", "Open threads", "No verdict", "Changes", "Approved", "Closed")
SHOWN = tuple(zip(queries.SHOWN, SHOW_LABELS, strict=True))
THREADS_SHOWN = ("open", "resolved", "all")


@workspace_view()
def reviews(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the workspace's reviews, last touched first, filtered by state and text."""
    show = choice_param(request.GET, "show", queries.SHOWN, "all")
    q = text_param(request.GET, "q")
    page = paginate(queries.reviews_of(access.member, show, q), request.GET, size=30)
    unread = queries.unread_threads(access.member)
    waiting = {one.review.pk: one for one in queries.waiting_for(access.member, limit=200)}
    muted = queries.muted_ids(access.member, [one.pk for one in page.items])
    lines = [
        {
            "review": review,
            "is_muted": review.pk in muted,
            "url": links.review_url(access.workspace.slug, review),
            "about": links.about_line(review),
            "cluster": links.cluster_name(review),
            "look": queries.STATE_LOOKS[review.state],
            "verdicts": [(one, *queries.VERDICT_LOOKS[one.kind]) for one in review.standing],
            "unread": unread.get(review.pk, 0),
            "mine": waiting.get(review.pk),
            "turn": queries.turn(review),
        }
        for review in page.items
    ]
    context = {"page": page, "lines": lines, "show": show, "shown": SHOWN, "q": q, "n_waiting": len(waiting)}
    return render_page(request, LIST, context)


@workspace_view()
def inbox(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the app bar's link to what waits for the reader."""
    return render(request, "review/_inbox_link.html")


@workspace_view()
def cycle_threads(request: HttpRequest, access: Access, number: int, cycle: int) -> HttpResponse:
    """Return a cycle's threads and the form for another one, pinned to ?seq=&point=&plugin=&node=."""
    run = find_run(access.workspace, number)
    row = run_queries.find_cycle(run, cycle)
    if row is None:
        raise NotFound(f"Run {run.number} has no cycle {cycle:,}.", title="No such cycle")
    pin = pin_in(request.GET, cycle)
    context = {
        "row": row,
        "pin": pin if pin.seq else replace(pin, seq=row.last_seq + 1),
        "title": f"Cycle {cycle:,}",
        "more": f"{row.pod}, attempt {row.attempt:,}",
        "about": ", ".join(filter(None, (f"cycle {cycle:,}", pin.place))),
        "thing_url": links.cycle_url(access.workspace.slug, run.number, cycle),
        "list_id": "cycle-threads",
        "field_id": f"new-thread-{run.number}-{cycle}",
    }
    return _threads_on(request, access, run, {"cycle": cycle}, context)


@workspace_view()
def thing_threads(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the threads on one thing of a run and the form for another one: ?kind=&cycle=&seq=&pod=&plugin=&node=."""
    run = find_run(access.workspace, number)
    thing = resolved(run, pin_in(request.GET))
    row = run_queries.find_cycle(run, thing.pin.cycle) if thing.pin.cycle else None
    there = Thread(run=run, **thing.columns)
    about = threads.about(there, row)
    context = {
        "row": row,
        "pin": thing.pin,
        "title": f"{about[0].upper()}{about[1:]}",
        "more": thing.says,
        "about": about,
        "thing_url": links.thing_url(access.workspace.slug, there, row),
        "list_id": "thing-threads",
        "field_id": f"new-{digest(run.number, *astuple(thing.pin))}",
    }
    return _threads_on(request, access, run, thing.pin.same_thing, context)


def _threads_on(
    request: HttpRequest, access: Access, run: Run, about: dict[str, Any], context: dict[str, Any]
) -> HttpResponse:
    """Return the threads whose columns are those of `about`, and the reader's drafts of such."""
    page = paginate(threads.threads_of(run).filter(**about), request.GET, size=THREADS_PER_PAGE, param="threads_page")
    drafts = [
        line
        for line in draft_lines(access.member, run)
        if line.draft.thread_id or about.items() <= line.draft.columns.items()
    ]
    context |= {
        "run": run,
        "run_title": f"Run {run.number}",
        "page": page,
        "threads": _seen(access, page),
        "drafts": drafts,
        "branch_choices": branch_choices([run]) if access.member.may(Role.REVIEWER) else [],
        "suggest": optional_int(request.GET, "suggest"),
        "origin": site_address(request),
        "here": _without(request, "suggest"),
    }
    return render_page(request, CYCLE, context)


def _without(request: HttpRequest, name: str) -> str:
    """The address of the page without a parameter that counts once."""
    query = request.GET.copy()
    query.pop(name, None)
    return f"{request.path}?{query.urlencode()}" if query else request.path


@workspace_view()
def marks(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return where in the run there are threads, as JSON: {"cycles": [{cycle, seq, open, threads}], "things": ...}.

    Things are named as pins are: {kind, cycle, seq, plugin, node, pod, uid, open, threads}.
    """
    run = find_run(access.workspace, number)
    cycles, things = threads.cycle_marks(run), threads.thing_marks(run)
    answer = JsonResponse({"cycles": [asdict(mark) for mark in cycles], "things": [asdict(mark) for mark in things]})
    answer["Cache-Control"] = "private, no-store"
    return answer


@workspace_view()
def people(request: HttpRequest, access: Access) -> HttpResponse:
    """Return whom a comment can mention, those who joined first at first: {"people": [{handle, name}, ...]}."""
    lines = [{"handle": one.handle, "name": one.user.label} for one in people_of(access.workspace).values()]
    answer = JsonResponse({"people": lines})
    answer["Cache-Control"] = "private, no-store"
    return answer


@workspace_view()
def versions(request: HttpRequest, access: Access, comment_id: int) -> HttpResponse:
    """Return what a comment says and what it said before it was changed, newest first."""
    comment = queries.find_comment(access.workspace, comment_id)
    context = {
        "comment": comment,
        "versions": list(comment.versions.order_by("-id")),
        "thread_url": _permalink(access, comment.thread),
        "about": threads.about(comment.thread, None),
        "review_name": str(comment.thread.review),
        "review_url": links.review_url(access.workspace.slug, comment.thread.review),
    }
    return render(request, "review/versions.html", context)


@workspace_view()
def thread(request: HttpRequest, access: Access, thread_id: int) -> HttpResponse:
    """Lead to the thread's permalink: its cursor in the debugger, or the page of its review."""
    return redirect(_permalink(access, queries.find_thread(access.workspace, thread_id)))


# ---------------------------------------------------------------- parts


def _permalink(access: Access, thread: Thread) -> str:
    row = run_queries.find_cycle(thread.run, thread.cycle) if thread.run else None
    return links.permalink(access.workspace.slug, thread, row)


def _seen(access: Access, page: Page[Thread]) -> list[threads.ThreadView]:
    """Return the page's threads as the reader has not seen them yet, and remember that they have now."""
    views = threads.thread_views(access.member, page.items)
    actions.mark_read(access.member, [view.thread for view in views])
    return views
