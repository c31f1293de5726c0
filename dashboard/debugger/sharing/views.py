"""A cursor in a few lines, as text and as Markdown, and the decision at it as an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.accounts.access import Access, workspace_view
from dashboard.common.http.origins import site_address
from dashboard.common.pages.notes import note_response
from dashboard.debugger.cursor.selection import opened
from dashboard.debugger.sharing.decision import decision_note, recorded_page, story_note
from dashboard.debugger.sharing.picture import IMAGE, picture_response
from dashboard.debugger.views import unreadable
from dashboard.runs.actions import find_run
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

    from dashboard.common.pages.notes import Note
    from dashboard.debugger.page import CursorPage


@workspace_view()
def decision(request: HttpRequest, access: Access, number: int, form: str) -> HttpResponse:
    """The decision at the cursor; an image of it as the form IMAGE."""
    if form == IMAGE:
        return _of_cursor(request, access, number, picture_response)
    return _noted(request, access, number, form, decision_note)


@workspace_view()
def story(request: HttpRequest, access: Access, number: int, form: str) -> HttpResponse:
    """The selected pod's story up to the cursor."""
    return _noted(request, access, number, form, story_note)


def _noted(
    request: HttpRequest, access: Access, number: int, form: str, write: Callable[[CursorPage, str], Note]
) -> HttpResponse:
    return _of_cursor(request, access, number, lambda page, site: note_response(write(page, site), form))


def _of_cursor(
    request: HttpRequest, access: Access, number: int, answer: Callable[[CursorPage, str], HttpResponse]
) -> HttpResponse:
    run = find_run(access.workspace, number)
    page = recorded_page(opened(run, access.workspace.slug, request.GET))
    try:
        return answer(page, site_address(request))
    except RecordingError as error:
        raise unreadable(run, error) from error
