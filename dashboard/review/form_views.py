"""What forms of reviews send. htmx hears "threads-changed" and fetches the threads again; a browser is led back."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.shortcuts import redirect, render
from django.urls import reverse

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import before_once, once
from dashboard.common.http.htmx import go, is_htmx
from dashboard.common.http.params import INT32_MAX, optional_int, text_param
from dashboard.common.problems import BadQuery
from dashboard.review import actions, links, queries
from dashboard.review.deciding import verdicts
from dashboard.review.deciding.asking import ask_for_review
from dashboard.review.drafts import actions as drafting
from dashboard.review.feed import threads_changed
from dashboard.review.findings.viewing import finding_walk, mark_viewed
from dashboard.review.models import FIELD_LENGTH, FINDING_LENGTH
from dashboard.review.pins.fields import FieldPin
from dashboard.review.pins.pin import WITHOUT_CYCLE, pin_in
from dashboard.review.place import place_of
from dashboard.review.request_form import request_in
from dashboard.review.suggesting.effect import suggested_in
from dashboard.runs.actions import find_run

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.review.models import Thread
    from dashboard.review.place import ReviewPlace


@workspace_view(Role.REVIEWER, WRITE, doing="ask for reviews")
def ask(request: HttpRequest, access: Access, number: int | None = None, review: int | None = None) -> HttpResponse:
    """Ask for verdicts on a run, or change what a review asks for."""
    place = place_of(access, number, review)
    with once(request) as claim:
        ask_for_review(access.member, place.of, request_in(request.POST))
        to = claim.leads_to(place.page)
    return go(request, to)


@workspace_view(Role.REVIEWER, WRITE, doing="give verdicts")
def give_verdict(
    request: HttpRequest, access: Access, number: int | None = None, review: int | None = None
) -> HttpResponse:
    """Approve what is reviewed, ask for changes, or comment on the whole of it; one's drafts go along."""
    place = place_of(access, number, review)
    kind, text = request.POST.get("kind", ""), request.POST.get("text", "")
    there = verdicts.findings_for_record(access.member, place.of)
    with once(request) as claim:
        drafting.submit(access.member, place.of, kind, text, there)
        to = claim.leads_to(place.page)
    return go(request, to)


@workspace_view(Role.REVIEWER, WRITE, doing="withdraw verdicts")
def withdraw(
    request: HttpRequest, access: Access, number: int | None = None, review: int | None = None
) -> HttpResponse:
    """Take one's verdict back."""
    place = place_of(access, number, review)
    verdicts.withdraw_verdict(access.member, place.of)
    return go(request, place.page)


@workspace_view(Role.REVIEWER, WRITE, doing="close reviews")
def close(request: HttpRequest, access: Access, number: int | None = None, review: int | None = None) -> HttpResponse:
    """Close a review without regard to its rule."""
    place = place_of(access, number, review)
    verdicts.close(access.member, place.of, request.POST.get("text", ""))
    return go(request, place.page)


@workspace_view(Role.REVIEWER, WRITE, doing="reopen reviews")
def reopen_review(
    request: HttpRequest, access: Access, number: int | None = None, review: int | None = None
) -> HttpResponse:
    """Open a closed review again."""
    place = place_of(access, number, review)
    verdicts.reopen_review(access.member, place.of)
    return go(request, place.page)


@workspace_view(Role.REVIEWER, WRITE, doing="comment")
def open_thread(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Start a thread on a cycle."""
    run = find_run(access.workspace, number)
    form = request.POST
    pin = pin_in(form)
    if not pin.cycle and not (pin.kind in WITHOUT_CYCLE and pin.seq):
        raise BadQuery("Say which cycle the comment is about.", title="No cycle given")
    within = optional_int(form, "review", 1, INT32_MAX)
    about = queries.find_review(access.workspace, within) if within is not None else None
    suggested = suggested_in(access.workspace, form)
    if _is_draft(request):
        drafting.keep_thread(access.member, run, pin, form.get("text", ""), about, suggested)
        return _kept(request, place_of(access, None if about else number, about.number if about else None))
    with before_once(request):
        make = actions.prepare_thread(access.member, run, pin, form.get("text", ""), about, suggested)
    with once(request) as claim:
        thread = make()
        claim.leads_to(_thread_url(request, access, thread))
    return _done(request, access, thread)


@workspace_view(Role.REVIEWER, WRITE, doing="comment")
def open_field_thread(
    request: HttpRequest, access: Access, number: int | None = None, review: int | None = None
) -> HttpResponse:
    """Start a thread on a finding, or on a field of its diff."""
    place = place_of(access, number, review)
    pin = FieldPin(text_param(request.POST, "finding", FINDING_LENGTH), text_param(request.POST, "field", FIELD_LENGTH))
    text, suggested = request.POST.get("text", ""), suggested_in(access.workspace, request.POST)
    if _is_draft(request):
        drafting.keep_field_thread(access.member, place.of, pin, text, suggested)
        return _kept(request, place)
    with before_once(request):
        make = actions.prepare_field_thread(access.member, place.of, pin, text, suggested)
    with once(request) as claim:
        thread = make()
        claim.leads_to(_thread_url(request, access, thread))
    return _done(request, access, thread)


@workspace_view(Role.REVIEWER, WRITE, doing="comment")
def reply(request: HttpRequest, access: Access, thread_id: int) -> HttpResponse:
    """Write the next comment of a thread."""
    thread = queries.find_thread(access.workspace, thread_id)
    text, suggested = request.POST.get("text", ""), suggested_in(access.workspace, request.POST)
    if _is_draft(request):
        drafting.keep_reply(access.member, thread, text, suggested)
        return _done(request, access, thread)
    with once(request) as claim:
        actions.reply(access.member, thread, text, suggested)
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
def viewed(request: HttpRequest, access: Access, number: int | None = None, review: int | None = None) -> HttpResponse:
    """Mark a finding as viewed or not; return the list of findings for htmx, else lead back to the review."""
    place = place_of(access, number, review)
    mark_viewed(access.member, place.of, request.POST.get("key", ""), is_viewed=request.POST.get("viewed") == "yes")
    if is_htmx(request):
        context = {
            "urls": place.urls,
            "walk": finding_walk(access.member, place.of),
            "chosen": request.POST.get("chosen"),
        }
        return render(request, "review/_findings.html", context)
    return redirect(place.page)


def _is_draft(request: HttpRequest) -> bool:
    """Return whether the comment is kept until its author submits the review."""
    return request.POST.get("keep") == "draft"


def _kept(request: HttpRequest, place: ReviewPlace) -> HttpResponse:
    """Return the way back to the review, or for htmx nothing but the word that threads changed."""
    return threads_changed() if is_htmx(request) else redirect(place.page)


def _done(request: HttpRequest, access: Access, thread: Thread) -> HttpResponse:
    """Return the way back to the thread, or for htmx nothing but the word that threads changed."""
    if is_htmx(request):
        return threads_changed()
    return redirect(_thread_url(request, access, thread))


def _thread_url(request: HttpRequest, access: Access, thread: Thread) -> str:
    """The thread where the form was: in the debugger, or on the page of the run's review."""
    if request.POST.get("from") == "cycle":
        return reverse("review:thread", kwargs={"slug": access.workspace.slug, "thread_id": thread.pk})
    page = links.review_url(access.workspace.slug, thread.review)
    return f"{page}?{urlencode({'thread': thread.pk})}#thread-{thread.pk}"
