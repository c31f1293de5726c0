"""A cursor in a few lines, as text and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.accounts.access import Access, workspace_view
from dashboard.common.http.origins import site_address
from dashboard.common.pages.notes import note_response
from dashboard.debugger.cursor.selection import opened
from dashboard.debugger.sharing.decision import decision_note, recorded_page, story_note
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
    """The decision at the cursor."""
    return _noted(request, access, number, form, decision_note)


@workspace_view()
def story(request: HttpRequest, access: Access, number: int, form: str) -> HttpResponse:
    """The selected pod's story up to the cursor."""
    return _noted(request, access, number, form, story_note)


def _noted(
    request: HttpRequest, access: Access, number: int, form: str, write: Callable[[CursorPage, str], Note]
) -> HttpResponse:
    run = find_run(access.workspace, number)
    page = recorded_page(opened(run, access.workspace.slug, request.GET))
    try:
        return note_response(write(page, site_address(request)), form)
    except RecordingError as error:
        raise unreadable(run, error) from error
