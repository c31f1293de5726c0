"""What forms of reviews send. htmx hears "threads-changed" and fetches the threads again; a browser is led back."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import once
from dashboard.common.http.htmx import go, is_htmx
from dashboard.common.http.params import INT32_MAX, choice_param, int_param, optional_int
from dashboard.common.problems import BadQuery
from dashboard.review import actions, queries
from dashboard.review.actions import Pin
from dashboard.review.deciding import verdicts
from dashboard.review.deciding.asking import ReviewRequest, ask_for_review
from dashboard.review.deciding.rules import MOST_APPROVALS, ROLES, ReviewRule
from dashboard.review.findings.viewing import mark_viewed, walk_of
from dashboard.runs.actions import find_run

if TYPE_CHECKING:
    from django.http import HttpRequest, QueryDict

    from dashboard.review.models import Thread
    from dashboard.runs.models import Run


@workspace_view(Role.REVIEWER, WRITE, doing="ask for reviews")
def ask(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Ask for verdicts on a run."""
    run = find_run(access.workspace, number)
    with once(request) as claim:
        ask_for_review(access.member, run, _request_in(request.POST))
        to = claim.leads_to(_review_url(access, run))
    return go(request, to)


def _request_in(form: QueryDict) -> ReviewRequest:
    """Return what a form asks for; a form without a rule has the usual one."""
    rule = ReviewRule()
    if "needed" in form:
        needed = int_param(form, "needed", default=1, low=1, high=MOST_APPROVALS)
        role = choice_param(form, "role", tuple(ROLES), Role.REVIEWER)
        rule = ReviewRule(needed, Role(role), form.get("asker_counts") == "on")
    return ReviewRequest(form.get("title", ""), form.get("description", ""), form.get("reviewers", ""), rule)


@workspace_view(Role.REVIEWER, WRITE, doing="give verdicts")
def give_verdict(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Approve a run, ask for changes, or comment on the whole of it."""
    run = find_run(access.workspace, number)
    with once(request) as claim:
        verdicts.give_verdict(access.member, run, request.POST.get("kind", ""), request.POST.get("text", ""))
        to = claim.leads_to(_review_url(access, run))
    return go(request, to)


def _review_url(access: Access, run: Run) -> str:
    return reverse("review:run", kwargs={"slug": access.workspace.slug, "number": run.number})


@workspace_view(Role.REVIEWER, WRITE, doing="withdraw verdicts")
def withdraw(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Take one's verdict on a run back."""
    run = find_run(access.workspace, number)
    verdicts.withdraw_verdict(access.member, run)
    return go(request, "review:run", slug=access.workspace.slug, number=run.number)


@workspace_view(Role.REVIEWER, WRITE, doing="comment")
def open_thread(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Start a thread on a cycle."""
    run = find_run(access.workspace, number)
    form = request.POST
    if not form.get("cycle", "").strip():
        raise BadQuery("Say which cycle the comment is about.", title="No cycle given")
    pin = Pin(
        cycle=int_param(form, "cycle", default=0, low=1, high=INT32_MAX),
        seq=optional_int(form, "seq"),
        point=form.get("point", ""),
        plugin=form.get("plugin", ""),
        node=form.get("node", ""),
    )
    with once(request) as claim:
        thread = actions.open_thread(access.member, run, pin, form.get("text", ""))
        claim.leads_to(_thread_url(request, access, thread))
    return _done(request, access, thread)


@workspace_view(Role.REVIEWER, WRITE, doing="comment")
def reply(request: HttpRequest, access: Access, thread_id: int) -> HttpResponse:
    """Write the next comment of a thread."""
    thread = queries.find_thread(access.workspace, thread_id)
    with once(request) as claim:
        actions.reply(access.member, thread, request.POST.get("text", ""))
        claim.leads_to(_thread_url(request, access, thread))
    return _done(request, access, thread)


@workspace_view(Role.REVIEWER, WRITE, doing="resolve threads")
def resolve(request: HttpRequest, access: Access, thread_id: int) -> HttpResponse:
    """Settle a thread."""
    thread = queries.find_thread(access.workspace, thread_id)
    actions.resolve(access.member, thread)
    return _done(request, access, thread)


@workspace_view(Role.REVIEWER, WRITE, doing="reopen threads")
def reopen(request: HttpRequest, access: Access, thread_id: int) -> HttpResponse:
    """Open a settled thread again."""
    thread = queries.find_thread(access.workspace, thread_id)
    actions.reopen(access.member, thread)
    return _done(request, access, thread)


@workspace_view(Role.REVIEWER, WRITE, doing="edit comments")
def edit(request: HttpRequest, access: Access, comment_id: int) -> HttpResponse:
    """Change the words of one's own comment."""
    comment = queries.find_comment(access.workspace, comment_id)
    actions.edit_comment(access.member, comment, request.POST.get("text", ""))
    return _done(request, access, comment.thread)


@workspace_view(Role.REVIEWER, WRITE, doing="react to comments")
def react(request: HttpRequest, access: Access, comment_id: int) -> HttpResponse:
    """Give a reaction to a comment, or take it back."""
    comment = queries.find_comment(access.workspace, comment_id)
    actions.react(access.member, comment, request.POST.get("kind", ""))
    return _done(request, access, comment.thread)


@workspace_view(Role.VIEWER, WRITE, doing="mark findings as viewed")
def viewed(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Mark a finding as viewed or not; return the list of findings for htmx, else lead back to the review."""
    run = find_run(access.workspace, number)
    mark_viewed(access.member, run, request.POST.get("key", ""), is_viewed=request.POST.get("viewed") == "yes")
    if is_htmx(request):
        return render(request, "review/_findings.html", {"run": run, "walk": walk_of(access.member, run)})
    return redirect(_review_url(access, run))


def _done(request: HttpRequest, access: Access, thread: Thread) -> HttpResponse:
    """Return the way back to the thread, or for htmx nothing but the word that threads changed."""
    if is_htmx(request):
        answer = HttpResponse(status=204)
        answer["HX-Trigger"] = "threads-changed"
        return answer
    return redirect(_thread_url(request, access, thread))


def _thread_url(request: HttpRequest, access: Access, thread: Thread) -> str:
    """The thread where the form was: in the debugger, or on the page of the run's review."""
    if request.POST.get("from") == "cycle":
        return reverse("review:thread", kwargs={"slug": access.workspace.slug, "thread_id": thread.pk})
    return f"{_review_url(access, thread.run)}?{urlencode({'thread': thread.pk})}#thread-{thread.pk}"
