"""Pages beside that of a review: the list, the threads of a cycle (for the debugger's inspector), the inbox."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from dashboard.accounts.access import Access, workspace_view
from dashboard.common.http.htmx import Templates, render_page
from dashboard.common.http.origins import site_address
from dashboard.common.http.params import choice_param, optional_int, text_param
from dashboard.common.pages.extension_points import POINTS
from dashboard.common.pages.pagination import Page, paginate
from dashboard.common.problems import NotFound
from dashboard.review import actions, links, queries, threads
from dashboard.review.actions import Pin
from dashboard.review.models import Thread
from dashboard.review.writing.people import people_of
from dashboard.runs import queries as run_queries
from dashboard.runs.actions import find_run
from dashboard.runs.models import NODE_LENGTH, PLUGIN_LENGTH

if TYPE_CHECKING:
    from django.http import HttpRequest


LIST = Templates("review/list.html", "review/_list.html")
RUN = Templates("review/run.html", "review/_run_threads.html")
CYCLE = Templates("review/cycle.html", "review/_cycle_threads.html")
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
    lines = [
        {
            "review": review,
            "url": links.review_url(access.workspace.slug, review),
            "about": links.about_line(review),
            "cluster": queries.cluster_name(review),
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
    row = run_queries.cycle_of(run, cycle)
    if row is None:
        raise NotFound(f"Run {run.number} has no cycle {cycle:,}.", title="No such cycle")
    pin = Pin(
        cycle=cycle,
        seq=optional_int(request.GET, "seq") or row.last_seq + 1,
        point=choice_param(request.GET, "point", POINTS, ""),
        plugin=text_param(request.GET, "plugin", PLUGIN_LENGTH),
        node=text_param(request.GET, "node", NODE_LENGTH),
    )
    page = paginate(threads.threads_of(run, cycle), request.GET, size=THREADS_PER_PAGE, param="threads_page")
    context = {
        "run": run,
        "run_title": f"Run {run.number}",
        "row": row,
        "pin": pin,
        "pin_words": ", ".join(filter(None, (pin.point, pin.plugin, pin.node))),
        "page": page,
        "threads": _seen(access, page),
        "origin": site_address(request),
        "here": request.get_full_path(),
        "cycle_url": links.cycle_url(access.workspace.slug, run.number, cycle),
    }
    return render_page(request, CYCLE, context)


@workspace_view()
def marks(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return where in the run there are threads, as JSON: {"cycles": [{cycle, seq, open, threads}, ...]}."""
    run = find_run(access.workspace, number)
    answer = JsonResponse({"cycles": [asdict(mark) for mark in threads.marks_of(run)]})
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
    row = run_queries.cycle_of(comment.thread.run, comment.thread.cycle)
    context = {
        "comment": comment,
        "versions": list(comment.versions.order_by("-id")),
        "thread_url": links.permalink(access.workspace.slug, comment.thread, row),
        "run_url": links.run_url(access.workspace.slug, comment.thread.run.number),
    }
    return render(request, "review/versions.html", context)


@workspace_view()
def thread(request: HttpRequest, access: Access, thread_id: int) -> HttpResponse:
    """Lead to the thread's permalink: its cursor in the debugger."""
    opened = queries.find_thread(access.workspace, thread_id)
    row = run_queries.cycle_of(opened.run, opened.cycle)
    return redirect(links.permalink(access.workspace.slug, opened, row))


# ---------------------------------------------------------------- parts


def _seen(access: Access, page: Page[Thread]) -> list[threads.ThreadView]:
    """Return the page's threads as the reader has not seen them yet, and remember that they have now."""
    views = threads.thread_views(access.member, page.items)
    actions.mark_read(access.member, [view.thread for view in views])
    return views
