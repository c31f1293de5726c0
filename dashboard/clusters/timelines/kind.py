"""Timelines as a kind of document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dashboard.clusters.documents.kind import CheckedText, DocumentKind
from dashboard.clusters.models import Cluster, Timeline
from dashboard.clusters.timelines.actions import save_timeline, timeline_text
from dashboard.clusters.timelines.checking import check_timeline

if TYPE_CHECKING:
    from dashboard.accounts.access import Access
    from dashboard.accounts.models import Member
    from dashboard.clusters.documents.actions import NewText
    from dashboard.clusters.models import Revision, TimelineRevision

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
    model = Timeline
    url_argument = "timeline"

    def check(self, text: str, cluster_revision: Revision | None) -> CheckedText:
        """Return the text with its findings."""
        return CheckedText(text, check_timeline(text, cluster_revision).findings)

    def check_saved(self, text: str) -> CheckedText:
        """Return the text without findings: it had no errors in the cluster that it was saved for."""
        return CheckedText(text)

    def text_of(self, revision: TimelineRevision) -> str:
        """Return the entries as YAML."""
        return timeline_text(revision)

    def save(
        self, member: Member, document: Timeline | None, new: NewText, cluster_revision: Revision | None
    ) -> TimelineRevision:
        """Return the new revision."""
        return save_timeline(member, document, new, cluster_revision)

    def is_too_long(self, revision: TimelineRevision) -> bool:
        """Return whether the timeline is for download, not for a text field."""
        return revision.n_entries > MAX_EDITABLE_ENTRIES

    def page_context(self, access: Access) -> dict[str, Any]:
        """Return the clusters against which its objects can be checked."""
        clusters = Cluster.objects.filter(workspace=access.workspace, archived_at=None).order_by("name")
        return {"clusters": clusters[:CLUSTERS_OFFERED]}


TIMELINE = TimelineKind()
