"""The editor of a timeline in a member's draft: its page, with a text that somebody sent or what the draft holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.documents.kind import CheckedText
from dashboard.documents.timelines import kind
from dashboard.documents.timelines.drafts.page import draft_bar
from dashboard.documents.views import Editor

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access
    from dashboard.documents.timelines.drafts.state import OpenedTimeline


@dataclass(frozen=True)
class DraftedEditor:
    """The editor of a draft."""

    editor: Editor
    opened: OpenedTimeline

    def page(self, checked: CheckedText | None = None, /, status: int = 200, **more: Any) -> HttpResponse:
        """Return the page; without a text, that of the draft."""
        draft, opened = self.opened.draft, self.opened
        is_long = len(opened.entries.now.entries) > kind.MAX_EDITABLE_ENTRIES
        if is_long:
            checked = CheckedText("", checked.findings if checked else [])
        elif checked is None or not checked.text:
            checked = CheckedText(opened.text, checked.findings if checked else [])
        context = {"revision": draft.base, "draft": draft, "draft_bar": draft_bar(opened), "too_long": is_long}
        return self.editor.page(checked, status=status, **context, **more)


def drafted_editor(request: HttpRequest, access: Access, opened: OpenedTimeline) -> DraftedEditor:
    """Return the editor of a draft."""
    return DraftedEditor(Editor(request, access, kind.TIMELINE, opened.draft.timeline, opened), opened)
