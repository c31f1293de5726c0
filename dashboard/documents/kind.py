"""The differences between the pages of configurations and of timelines: one object for each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from django.urls import reverse

from dashboard.common.problems import BadQuery, NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpRequest

    from dashboard.accounts.access import Access
    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Revision
    from dashboard.documents.actions import NewText
    from scheduler_core.api.config import SchedulerConfiguration


MAX_EDIT = 30_000
"""Longest text of one edit that a page offers beside the text."""


@dataclass
class CheckedText:
    """A text and its findings; for a configuration without errors also the parsed configuration, for a timeline its
    entries in the form to store.

    `not_installed` are plugins that runs of a configuration have to leave out.
    """

    text: str
    findings: list[Any] = field(default_factory=list)
    configuration: SchedulerConfiguration | None = None
    not_installed: list[Any] = field(default_factory=list)
    raw: dict[str, Any] | None = None

    @property
    def errors(self) -> list[Any]:
        """Return the findings that prevent saving."""
        return [finding for finding in self.findings if finding.severity == "error"]

    @property
    def suggestion(self) -> str:
        """Return the document rewritten in the newest version, which a finding offers for one in an older version.

        It is "" where no finding offers one.
        """
        return next((finding.suggestion for finding in self.findings if finding.suggestion), "")


@dataclass(frozen=True)
class UrlNames:
    """URL names of a kind of document; those of `one` and `export` take a document's slug."""

    list: str
    new: str
    validate: str
    save: str
    one: str
    export: str


class DocumentKind(ABC):
    """A kind of document: its model and wording, and how its text is checked, parsed and saved."""

    word: ClassVar[str]
    plural: ClassVar[str]
    icon: ClassVar[str]
    model: ClassVar[Any]
    # An example of a name.
    example: ClassVar[str]
    list_template: ClassVar[str]
    # Whether the list begins with a built-in document.
    has_builtin: ClassVar[bool] = False
    # Whether its documents can be deleted where nothing uses them.
    can_be_deleted: ClassVar[bool] = False
    # Whether changes can be reviewed.
    is_reviewed: ClassVar[bool] = False
    editor_template: ClassVar[str] = "clusters/documents/editor.html"
    # What the guide of fields calls its texts, "" where it does not know them.
    guide: ClassVar[str] = ""
    # The URL parameter with a document's slug, as in `urls.py`.
    url_argument: ClassVar[str]
    # Fields of a revision that lists of revisions do not load.
    deferred: ClassVar[tuple[str, ...]] = ()

    @property
    def sort(self) -> str:
        """Return its name in addresses: that of its list, and the one by which documents are archived."""
        return self.plural.lower()

    @property
    def url_names(self) -> UrlNames:
        """Return the names of the addresses of this kind."""
        actions = {action: f"clusters:{action}_{self.word}" for action in ("new", "validate", "save", "export")}
        return UrlNames(list=f"clusters:{self.sort}", one=f"clusters:{self.word}", **actions)

    def find(self, access: Access, slug: str) -> Any:
        """Return the workspace's document with this slug; raises NotFound."""
        document = self.model.objects.filter(workspace=access.workspace, slug=slug).first()
        if document is None:
            raise NotFound(f"This {self.word} does not exist in this workspace.")
        return document

    def url(self, access: Access, document: Any) -> str:
        """Return the address of a document's page."""
        arguments = {"slug": access.workspace.slug, self.url_argument: document.slug}
        return reverse(self.url_names.one, kwargs=arguments)

    @abstractmethod
    def check(self, text: str, cluster_revision: Revision | None) -> CheckedText:
        """Return the text with its findings; objects in it are checked against the cluster's revision."""

    @abstractmethod
    def check_saved(self, text: str) -> CheckedText:
        """Return a saved text with what its page shows of it."""

    @abstractmethod
    def read_text(self, revision: Any) -> str:
        """Return the text of a revision."""

    def text_parts(self, revision: Any) -> Iterator[str]:
        """Return the text of a revision in parts, for what is too long to be made at once."""
        return iter([self.read_text(revision)])

    @abstractmethod
    def store(self, member: Member, document: Any, new: NewText, checked: CheckedText) -> Any:
        """Save the text, which was checked without errors, as a revision, of a new document if `document` is None;
        return it. It is not read again. Raises Problem, Conflict.
        """

    def is_too_long(self, revision: Any) -> bool:
        """Return whether a revision is too long for an editor on a page."""
        return False

    def editor_context(
        self, request: HttpRequest, checked: CheckedText, document: Any, draft: Any = None
    ) -> dict[str, Any]:
        """Return the page context of this kind's editor only, with the choices in the address."""
        return {}

    def edited(self, text: str, edit: str) -> str:
        """Return the text after an edit made in the form beside it; raises Problem."""
        raise BadQuery(f"A {self.word} is edited as text.")

    def list_context(self) -> dict[str, Any]:
        """Return the page context of this kind's list only, when it shows documents in use."""
        return {}

    def page_context(self, access: Access) -> dict[str, Any]:
        """Return the page context of this kind's document page only."""
        return {}
