"""The threads on a change of a cluster or timeline, as its pages fetch them, and the form for another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import redirect
from django.urls import reverse

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import before_once, once
from dashboard.common.http.htmx import is_htmx, render_page
from dashboard.common.http.origins import site_address
from dashboard.common.http.params import text_param
from dashboard.common.pages.pagination import paginate
from dashboard.common.problems import BadQuery
from dashboard.live.feed.topics import own_topic
from dashboard.review import actions, threads
from dashboard.review.deciding.subjects import change_in, subject_in
from dashboard.review.feed import TOPIC, threads_changed
from dashboard.review.findings.changes import change_url
from dashboard.review.links import review_url
from dashboard.review.models import FIELD_LENGTH, FINDING_LENGTH, OF_THINGS
from dashboard.review.on_changes.actions import (
    ChangeThread,
    as_shown,
    drafts_about,
    keep_on_change,
    prepare_comment,
    threads_about,
)
from dashboard.review.pins.fields import FieldPin, WhatDiffers
from dashboard.review.suggesting.effect import choices_beside, suggested_in
from dashboard.review.writing.text import TEXT_LIMIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse

THREADS = "review/on_changes/page.html"
THREADS_PER_PAGE = 20


@workspace_view()
def change_threads(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the threads on a change, ?cluster=&draft=, ?cluster=&revision=&base= or ?timeline=&draft=; ?finding= and
    &field= are chosen."""
    subject, pin = change_in(access.member, request.GET), _pin(request.GET)
    now = as_shown(access.member, subject)
    there = WhatDiffers(access.member, now)
    page = paginate(threads_about(access.member, subject), request.GET, size=THREADS_PER_PAGE, param="threads_page")
    views = threads.thread_views(access.member, page.items)
    actions.mark_read(access.member, [view.thread for view in views])
    drafts = drafts_about(access.member, subject)
    of_drafts = {line.draft.review for line in drafts if line.draft.review is not None}
    context = {
        "subject": subject,
        "change_url": change_url(now, access.workspace.slug),
        "pin": pin,
        "pinned": there.says(pin) if pin.finding else "",
        "page": page,
        "lines": [ChangeThread(view, there.says(_pin_of(view))) for view in views],
        "drafts": drafts,
        "submit_urls": {one.number: review_url(access.workspace.slug, one) for one in of_drafts},
        "branch_choices": choices_beside(now) if access.member.may(Role.REVIEWER) else [],
        "topic": f"{TOPIC} {own_topic(access.member.pk)}",
        "here": request.get_full_path(),
        "origin": site_address(request),
        "text_limit": TEXT_LIMIT,
    }
    return render_page(request, THREADS, context)


@workspace_view(Role.REVIEWER, WRITE, doing="comment")
def comment(request: HttpRequest, access: Access) -> HttpResponse:
    """Start a thread on an object or a field of a change."""
    subject, pin = subject_in(access.member, request.POST.dict()), _pin(request.POST)
    if subject.kind not in OF_THINGS:
        raise BadQuery("Name a draft, or two revisions of a cluster.", title="No change")
    if not pin.finding:
        raise BadQuery("Say which object or field the comment is about.", title="Nothing chosen")
    text, suggested = request.POST.get("text", ""), suggested_in(access.workspace, request.POST)
    if request.POST.get("keep") == "draft":
        draft = keep_on_change(access.member, subject, pin, text, suggested)
        assert draft.review is not None
        return threads_changed() if is_htmx(request) else redirect(review_url(access.workspace.slug, draft.review))
    with before_once(request):
        make = prepare_comment(access.member, subject, pin, text, suggested)
    with once(request) as claim:
        thread = make()
        to = claim.leads_to(reverse("review:thread", kwargs={"slug": access.workspace.slug, "thread_id": thread.pk}))
    return threads_changed() if is_htmx(request) else redirect(to)


def _pin(query: Mapping[str, str]) -> FieldPin:
    return FieldPin(text_param(query, "finding", FINDING_LENGTH), text_param(query, "field", FIELD_LENGTH))


def _pin_of(view: threads.ThreadView) -> FieldPin:
    return FieldPin(view.thread.finding, view.thread.field)
