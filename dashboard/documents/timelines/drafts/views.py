"""The pages of a member's draft of a timeline: its arrivals, what it changes; undone, redone, saved, discarded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers

from dashboard.accounts.access import WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.common.http.htmx import wants_part
from dashboard.common.http.params import INT32_MAX, choice_param, int_param, optional_int, text_param
from dashboard.common.http.redirects import current_page, own_address
from dashboard.common.http.undo import tell_with_undo
from dashboard.documents.actions import DOING
from dashboard.documents.timelines.drafts import actions
from dashboard.documents.timelines.drafts.page import (
    WHATS,
    changed_lines,
    draft_address,
    draft_bar,
    draft_editor,
)
from dashboard.documents.timelines.drafts.state import OpenedTimeline
from dashboard.documents.timelines.kind import TIMELINE, arrivals_context
from dashboard.documents.timelines.running import launch_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest

    from dashboard.accounts.access import Access
    from dashboard.accounts.models import Member
    from dashboard.documents.models import TimelineDraft, TimelineOperation

CHANGES_SIZE = 50
PLACE_LENGTH = 2_000


@workspace_view(Role.EDITOR, doing=DOING)
def arrivals(request: HttpRequest, access: Access, timeline: str) -> HttpResponse:
    """Return the timeline as the reader's draft has it, to be edited; for htmx its arrivals alone."""
    document = TIMELINE.find(access, timeline)
    draft = actions.own_draft(access.member, document)
    if draft is None:
        return redirect(TIMELINE.url(access, document))
    opened = OpenedTimeline(draft)
    if wants_part(request):
        context = arrivals_context(request, document, opened=opened)
        response = render(request, "clusters/timelines/_arrivals.html", context)
        query = context["arrivals"].address
        response["HX-Push-Url"] = f"{request.path}?{query}" if query else request.path
    else:
        response = draft_editor(request, access, opened)
    patch_vary_headers(response, ["HX-Request", "HX-Boosted", "HX-History-Restore-Request"])
    return response


@workspace_view(Role.EDITOR, doing=DOING)
def changes(request: HttpRequest, access: Access, timeline: str) -> HttpResponse:
    """Return what the reader's draft changes, entry by entry, with its operations and the form that saves it."""
    document = TIMELINE.find(access, timeline)
    draft = actions.own_draft(access.member, document)
    if draft is None:
        return redirect(TIMELINE.url(access, document))
    opened = OpenedTimeline(draft)
    what = choice_param(request.GET, "what", ("", *WHATS), "")
    page = changed_lines(opened.entries, what, request.GET, CHANGES_SIZE)
    named = {"timeline": document.slug, "draft": draft.pk} if any(one.named for one in page.items) else {}
    newest = document.revisions.select_related("author").first()
    context = {
        **_frame(access, opened),
        "what": what,
        "page": page,
        "lines": page.items,
        "change_query": urlencode(named),
        "newest": newest,
        "is_behind": newest is not None and newest.pk != draft.base_id,
        "default": actions.default_message(opened) if opened.applied else "",
    }
    return render(request, "clusters/timelines/draft.html", context)


def _frame(access: Access, opened: OpenedTimeline) -> dict[str, Any]:
    return {
        "kind": TIMELINE,
        "document": opened.draft.timeline,
        "draft": opened.draft,
        "draft_bar": draft_bar(opened),
        "opened": opened,
        "can_edit": access.member.may(Role.EDITOR) and not opened.draft.timeline.archived_at,
    }


@workspace_view(Role.EDITOR, doing=DOING)
def bar(request: HttpRequest, access: Access, timeline: str) -> HttpResponse:
    """Return the bar of the reader's draft if it changed since version `seen`, else 204."""
    draft = actions.find_draft(access.member, TIMELINE.find(access, timeline))
    if optional_int(request.GET, "seen", low=0, high=INT32_MAX) == draft.version:
        return HttpResponse(status=204)
    back = current_page(request).path or draft_address(draft)
    return render(request, "clusters/drafts/_bar.html", {**_frame(access, OpenedTimeline(draft)), "back": back})


# ---------------------------------------------------------------- undo and redo


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def undo(request: HttpRequest, access: Access, timeline: str) -> HttpResponse:
    """Undo the last operation of the reader's draft."""
    return _step(request, access, timeline, actions.undo, "Undone")


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def redo(request: HttpRequest, access: Access, timeline: str) -> HttpResponse:
    """Redo the operation that was undone last."""
    return _step(request, access, timeline, actions.redo, "Done again")


def _step(
    request: HttpRequest,
    access: Access,
    timeline: str,
    step: Callable[[Member, TimelineDraft, int | None], TimelineOperation],
    done: str,
) -> HttpResponse:
    draft = actions.find_draft(access.member, TIMELINE.find(access, timeline))
    said = request.POST if "number" in request.POST else request.GET
    operation = step(access.member, draft, optional_int(said, "number", low=1, high=INT32_MAX))
    messages.success(request, f"{done}: {operation.name}")
    here = draft_address(draft)
    back = text_param(request.POST, "back", PLACE_LENGTH) or text_param(request.GET, "back", PLACE_LENGTH)
    return redirect(own_address(request, back, here, below=here))


# ---------------------------------------------------------------- saving, discarding


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def save(request: HttpRequest, access: Access, timeline: str) -> HttpResponse:
    """Save the reader's draft as a revision, and lead to it, or with `then` "run" to the form that runs it."""
    document = TIMELINE.find(access, timeline)
    opened = OpenedTimeline(actions.find_draft(access.member, document))
    version = optional_int(request.POST, "version", low=0, high=INT32_MAX)
    over = int_param(request.POST, "over", 0, high=INT32_MAX)
    message = text_param(request.POST, "message", actions.MESSAGE_LENGTH)
    revision = actions.save(access.member, opened, message, version, over)
    undo_to = reverse("clusters:undo_timeline", args=(access.workspace.slug, document.slug, revision.number))
    tell_with_undo(request, f"Saved as revision {revision.number}", undo_to)
    if choice_param(request.POST, "then", ("", "run"), "") == "run":
        return redirect(launch_address(access.workspace, revision))
    return redirect(TIMELINE.url(access, document))


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def discard(request: HttpRequest, access: Access, timeline: str) -> HttpResponse:
    """Delete the reader's draft."""
    document = TIMELINE.find(access, timeline)
    actions.discard(access.member, actions.find_draft(access.member, document))
    messages.success(request, f"The draft of {document.name} is discarded")
    return redirect(TIMELINE.url(access, document))
