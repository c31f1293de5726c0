"""Configurations as a kind of document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dashboard.clusters.configurations import presets
from dashboard.clusters.configurations.actions import save_config
from dashboard.clusters.configurations.checking import POINTS, profiles_of, reading_of
from dashboard.clusters.documents.kind import CheckedText, DocumentKind
from dashboard.clusters.models import Cluster, SchedulerConfig
from scheduler_core.manifests import UNKNOWN

if TYPE_CHECKING:
    from dashboard.accounts.access import Access
    from dashboard.accounts.models import Member
    from dashboard.clusters.documents.actions import NewText
    from dashboard.clusters.models import ConfigRevision, Revision


CLUSTERS_OFFERED = 200


class ConfigurationKind(DocumentKind):
    """Scheduler configurations: text as a person wrote it, judged without a cluster."""

    word = "configuration"
    plural = "Configurations"
    icon = "gear"
    example = "pack nodes"
    list_template = "clusters/configurations/list.html"
    has_builtin = True
    has_preview = True
    model = SchedulerConfig
    url_argument = "config"
    deferred = ("text",)

    def check(self, text: str, cluster_revision: Revision | None = None) -> CheckedText:
        """Return the text with its findings and, without errors, its profiles.

        What is not installed here is a doubt: the text is stored as it is written, and a run leaves it out on request.
        """
        reading = reading_of(text, UNKNOWN)
        profiles = profiles_of(reading.configuration) if reading.configuration else []
        return CheckedText(text, reading.findings, profiles, list(reading.left_out))

    def check_saved(self, text: str) -> CheckedText:
        """Return the text checked anew: another version of the engine may know other plugins."""
        return self.check(text)

    def text_of(self, revision: ConfigRevision) -> str:
        """Return the text as it was written."""
        return revision.text

    def save(
        self, member: Member, document: SchedulerConfig | None, new: NewText, cluster_revision: Revision | None
    ) -> ConfigRevision:
        """Return the new revision."""
        return save_config(member, document, new)

    def list_context(self) -> dict[str, Any]:
        """Return the presets."""
        return {"offers": presets.offers()}

    def page_context(self, access: Access) -> dict[str, Any]:
        """Return the extension points, in the order of the columns of a profile's table, and clusters to try it on."""
        clusters = Cluster.objects.filter(workspace=access.workspace, archived_at=None).order_by("name")
        return {"points": POINTS, "preview_clusters": clusters[:CLUSTERS_OFFERED]}


CONFIGURATION = ConfigurationKind()
