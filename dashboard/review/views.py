"""Pages of reviews: the list, the review of a run, the threads of a cycle (for the debugger's inspector), the inbox."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from dashboard.accounts.access import Access, workspace_view
from dashboard.common.http.htmx import Templates, render_page, wants_part
from dashboard.common.http.origins import site_address
from dashboard.common.http.params import choice_param, optional_int, text_param
from dashboard.common.pages.extension_points import POINTS
from dashboard.common.pages.pagination import Page, paginate
from dashboard.common.problems import NotFound
from dashboard.review import actions, links, queries, threads
from dashboard.review.actions import Pin
from dashboard.review.deciding.record import as_markdown
from dashboard.review.deciding.rules import MOST_APPROVALS, ROLES, approval_of
from dashboard.review.deciding.verdicts import verdicts_of
from dashboard.review.findings.viewing import walk_of
from dashboard.review.models import TITLE_LENGTH, Thread, VerdictKind
from dashboard.review.writing.markdown import to_html
from dashboard.review.writing.people import people_of
from dashboard.review.writing.references import references_in
from dashboard.review.writing.text import TEXT_LIMIT
from dashboard.runs import queries as run_queries
from dashboard.runs.actions import find_run
from dashboard.runs.list import lines as listing
from dashboard.runs.models import NODE_LENGTH, PLUGIN_LENGTH, Run

if TYPE_CHECKING:
    from django.http import HttpRequest

    from dashboard.review.models import Review
    from dashboard.review.writing.people import Person

LIST = Templates("review/list.html", "review/_list.html")
RUN = Templates("review/run.html", "review/_run_threads.html")
CYCLE = Templates("review/cycle.html", "review/_cycle_threads.html")
THREADS_PER_PAGE = 20
MARKDOWN = "text/markdown; charset=utf-8"
SHOW_LABELS = ("All", "For you", "Open threads", "No verdict", "Changes", "Approved")
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
def review(request: HttpRequest, access: Access, review: int) -> HttpResponse:
    """Lead to the review with this number."""
    return redirect(links.review_url(access.workspace.slug, queries.find_review(access.workspace, review)))


@workspace_view()
def run_review(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the review of a run; ?thread= opens the page of the list on which that thread stands."""
    run = find_run(access.workspace, number)
    first = "all" if queries.has_unread_resolved(access.member, run) else "open"
    show = choice_param(request.GET, "show", THREADS_SHOWN, first)
    query = request.GET.copy()
    if thread := optional_int(request.GET, "thread"):
        show = "all"
        query["page"] = str(threads.page_of(queries.find_thread(access.workspace, thread), THREADS_PER_PAGE, show))
    page = paginate(threads.threads_of(run, show=show), query, size=THREADS_PER_PAGE)
    views = _seen(access, page)
    context = {
        "run": run,
        "run_title": f"Run {run.number}",
        "page": page,
        "groups": threads.by_cycle(access.member, views),
        "show": show,
        "counts": _counts(run),
        "origin": site_address(request),
        "here": f"{request.path}?show={show}&page={page.number}",
        "cycles": threads.cycles_with_threads(run),
        "is_part": wants_part(request),
    }
    if not wants_part(request):
        context |= _about(access, run)
    return render_page(request, RUN, context)


@workspace_view()
def record_file(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the record of a review as a Markdown file."""
    run = find_run(access.workspace, number)
    response = HttpResponse(as_markdown(access.member, run, site_address(request)), content_type=MARKDOWN)
    response["Content-Disposition"] = f'attachment; filename="review-of-run-{run.number}.md"'
    return response


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


def _handles_of(access: Access, review: Review) -> list[Person]:
    """Return whom the review asks by name, as far as they are still here."""
    asked = {user.pk for user in review.reviewers.all()}
    return [one for one in people_of(access.workspace).values() if one.user.pk in asked] if asked else []


def _counts(run: Run) -> dict[str, int]:
    n_all, n_open = threads.threads_of(run).count(), threads.threads_of(run, show="open").count()
    return {"open": n_open, "resolved": n_all - n_open, "all": n_all}


def _about(access: Access, run: Run) -> dict[str, Any]:
    """Return what stands around the threads: state, verdicts, outcome, findings."""
    review = queries.review_of(run)
    verdicts = verdicts_of(access.member, review) if review else []
    described = references_in([review.description], access.member, run) if review and review.description else None
    standing = [line for line in verdicts if line.one.stands and line.one.kind != VerdictKind.COMMENT]
    return {
        "review": review,
        "look": queries.STATE_LOOKS[review.state] if review else None,
        "description": to_html(review.description, described) if review and described else "",
        "verdicts": verdicts,
        "standing": standing,
        "my_verdict": next((line for line in standing if line.one.author_id == access.user.pk), None),
        "line": listing.line_of(run),
        "walk": walk_of(access.member, run),
        "turn": queries.turn(review) if review else "",
        "approval": approval_of(review) if review else None,
        "rule_roles": ROLES,
        "most_approvals": MOST_APPROVALS,
        "reviewers": _handles_of(access, review) if review else [],
        "kinds": VerdictKind,
        "title_length": TITLE_LENGTH,
        "text_limit": TEXT_LIMIT,
        "run_name": run.name or f"Run {run.number}",
        "last_cycle": run.head.cycle,
        "run_url": links.run_url(access.workspace.slug, run.number),
    }
