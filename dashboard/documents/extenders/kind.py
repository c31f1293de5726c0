"""Declared extenders as a kind of document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dashboard.documents.extenders.actions import n_runs_with, store_declared
from dashboard.documents.extenders.answering import check_declared
from dashboard.documents.kind import CheckedText, DocumentKind, UrlNames
from dashboard.documents.models import DeclaredExtenders

if TYPE_CHECKING:
    from django.http import HttpRequest

    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Revision
    from dashboard.documents.actions import NewText
    from dashboard.documents.models import DeclaredExtendersRevision


class DeclaredKind(DocumentKind):
    """Declared extenders: rules as a person wrote them, judged without a configuration."""

    word = "declared extender"
    plural = "Declared extenders"
    icon = "plug"
    example = "data is on node-a"
    list_template = "clusters/extenders/declared_list.html"
    can_be_deleted = True
    model = DeclaredExtenders
    url_argument = "declared"
    deferred = ("text",)

    @property
    def sort(self) -> str:
        """Return its name in addresses."""
        return "declared"

    @property
    def url_names(self) -> UrlNames:
        """Return the names of its addresses."""
        actions = {action: f"clusters:{action}_declared" for action in ("new", "validate", "save", "export")}
        return UrlNames(list="clusters:declared", one="clusters:declared_one", **actions)

    def check(self, text: str, cluster_revision: Revision | None) -> CheckedText:
        """Return the text with its findings; whether it fits a configuration shows where a run is started."""
        return CheckedText(text, check_declared(text))

    def check_saved(self, text: str) -> CheckedText:
        """Return the text checked again."""
        return self.check(text, None)

    def editor_context(
        self, request: HttpRequest, checked: CheckedText, document: DeclaredExtenders | None, draft: Any = None
    ) -> dict[str, Any]:
        """Return how many runs need it."""
        return {"n_runs": n_runs_with(document) if document is not None else 0}

    def read_text(self, revision: DeclaredExtendersRevision) -> str:
        """Return the text as it was written."""
        return revision.text

    def store(
        self, member: Member, document: DeclaredExtenders | None, new: NewText, checked: CheckedText
    ) -> DeclaredExtendersRevision:
        """Return the new revision."""
        return store_declared(member, document, new)


DECLARED = DeclaredKind()
