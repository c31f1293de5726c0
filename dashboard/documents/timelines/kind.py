"""Timelines as a kind of document."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from django.db.models import Count

from dashboard.clusters.models import Cluster
from dashboard.clusters.recent import recent_first
from dashboard.clusters.yaml_templates import OBJECT_TEMPLATES
from dashboard.common.http.params import INT32_MAX, optional_int
from dashboard.documents.actions import revision_numbered
from dashboard.documents.kind import CheckedText, DocumentKind
from dashboard.documents.models import Timeline, TimelineDraft
from dashboard.documents.timelines.actions import entries_text, store_timeline, text_parts, timeline_text
from dashboard.documents.timelines.arrivals.choice import read_choice
from dashboard.documents.timelines.arrivals.page import ArrivalsPage
from dashboard.documents.timelines.checking import check_timeline
from dashboard.documents.timelines.running import launch_address
from scheduler_core.manifests.field_guide import documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpRequest

    from dashboard.accounts.access import Access
    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Revision
    from dashboard.documents.actions import NewText
    from dashboard.documents.models import TimelineRevision

CLUSTERS_OFFERED = 500
# A timeline with more entries is for download, not for a text field.
MAX_EDITABLE_ENTRIES = 2_000


class TimelineKind(DocumentKind):
    """Timelines: entries that are stored as objects, shown as text, and checked against a chosen cluster."""

    word = "timeline"
    plural = "Timelines"
    icon = "clock"
    example = "morning rush"
    list_template = "clusters/timelines/list.html"
    editor_template = "clusters/timelines/editor.html"
    model = Timeline
    guide = documents.TIMELINE
    url_argument = "timeline"

    def check(self, text: str, cluster_revision: Revision | None) -> CheckedText:
        """Return the text with its findings."""
        checked = check_timeline(text, cluster_revision)
        return CheckedText(text, checked.findings, raw=checked.raw)

    def check_saved(self, text: str) -> CheckedText:
        """Return the text without findings: it had no errors in the cluster that it was saved for."""
        return CheckedText(text)

    def read_text(self, revision: TimelineRevision) -> str:
        """Return the text as it was typed; where entries were edited since, these as YAML."""
        return timeline_text(revision)

    def text_parts(self, revision: TimelineRevision) -> Iterator[str]:
        """Return the same text in parts of some entries."""
        return text_parts(revision)

    def store(self, member: Member, document: Timeline | None, new: NewText, checked: CheckedText) -> TimelineRevision:
        """Return the new revision."""
        assert checked.raw is not None
        return store_timeline(member, document, new, checked.raw, new.text)

    def is_too_long(self, revision: TimelineRevision) -> bool:
        """Return whether the timeline is for download, not for a text field."""
        return revision.n_entries > MAX_EDITABLE_ENTRIES

    def page_context(self, access: Access) -> dict[str, Any]:
        """Return the clusters against which its objects can be checked."""
        clusters = recent_first(Cluster.objects.filter(workspace=access.workspace, archived_at=None))
        return {"clusters": clusters[:CLUSTERS_OFFERED]}

    def editor_context(
        self,
        request: HttpRequest,
        checked: CheckedText,
        document: Timeline | None,
        draft: Any = None,
    ) -> dict[str, Any]:
        """Return the arrivals of the revision or draft on the page, and how its text is known again if unchanged."""
        if document is None:
            return {}
        context = arrivals_context(request, document, checked.text, draft)
        if draft is not None:
            return context | {"is_own_form": bool(draft.typed_text)}
        revision = context["arrivals"].revision
        run_address = launch_address(document.workspace, revision)
        return context | {"is_own_form": has_own_form(revision, checked.text), "run_address": run_address}


def has_own_form(revision: TimelineRevision, text: str) -> bool:
    """Return whether a person typed this text of the revision in another form than that of edited entries."""
    return bool(text and revision.text_sha256) and text.strip() != entries_text(revision).strip()


def arrivals_context(request: HttpRequest, document: Timeline, text: str = "", opened: Any = None) -> dict[str, Any]:
    """Return the page context of the arrivals of a timeline, or of a draft of it (an OpenedTimeline); `text` is that of
    the editor on the same page.
    """
    is_form = request.method == "POST"
    query = request.POST if is_form else request.GET
    choice = read_choice(query)
    if opened is not None:
        shown = ArrivalsPage(opened.draft.base, choice, query, opened.entries.now.rows)
    else:
        number = None if is_form else optional_int(query, "r", low=1, high=INT32_MAX)
        shown = ArrivalsPage(revision_numbered(document, number), choice, query)
    return {
        "document": document,
        "draft": opened.draft if opened else None,
        "own_draft": None if opened else _own_draft(request, document),
        "arrivals": shown,
        "seen": request.POST.get("seen", "") if is_form else hashlib.sha256(text.encode()).hexdigest(),
        "values": query if is_form else {},
        "new_object": (query.get("object") if is_form else "") or OBJECT_TEMPLATES["Pod"].text,
    }


def _own_draft(request: HttpRequest, document: Timeline) -> TimelineDraft | None:
    """Return the reader's draft with `n_edits`, how many edits it has; None without any."""
    drafts = TimelineDraft.objects.filter(timeline=document, author=request.user.pk, operations__is_undone=False)
    return drafts.annotate(n_edits=Count("operations")).first()


TIMELINE = TimelineKind()
