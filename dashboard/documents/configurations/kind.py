"""Configurations as a kind of document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from django.db.models import OuterRef, Subquery

from dashboard.clusters.models import Cluster, Revision
from dashboard.clusters.recent import recent_first
from dashboard.common.http.params import choice_param, int_param, text_param
from dashboard.documents.configurations import presets
from dashboard.documents.configurations.actions import store_config
from dashboard.documents.configurations.checking import extenders_in, read_configuration, registry
from dashboard.documents.configurations.table.edits import decoded
from dashboard.documents.configurations.table.effective import effective
from dashboard.documents.configurations.table.page import ConfigTable, TableSelection, defaults
from dashboard.documents.configurations.table.writing import MAX_TABLE_TEXT, edited
from dashboard.documents.extenders.tape_page import VERBS, public_address
from dashboard.documents.kind import CheckedText, DocumentKind
from dashboard.documents.models import SchedulerConfig
from scheduler_core.manifests import UNKNOWN, configuration_text
from scheduler_core.manifests.field_guide import documents

if TYPE_CHECKING:
    from django.http import HttpRequest

    from dashboard.accounts.access import Access
    from dashboard.accounts.models import Member
    from dashboard.documents.actions import NewText
    from dashboard.documents.models import ConfigRevision


class ConfiguredExtender(NamedTuple):
    """An extender: its address without user and password, its verbs, and what is said of it beyond its defaults."""

    address: str
    verbs: list[str]
    weight: int | None
    traits: list[str]


def extender_lines(text: str) -> list[ConfiguredExtender]:
    """Return the extenders of a valid configuration, in their order."""
    lines = []
    for one in extenders_in(text):
        traits = ["ignorable"] if one.ignorable else []
        traits += ["nodes by name" if one.node_cache_capable else "whole nodes"]
        traits += [f"pods with {managed.name} only" for managed in one.managed_resources]
        verbs = [verb for verb in VERBS if getattr(one, f"{verb}_verb")]
        weight = one.weight if one.prioritize_verb else None
        lines.append(ConfiguredExtender(public_address(one.url_prefix), verbs, weight, traits))
    return lines


CLUSTERS_OFFERED = 200
VIEWS = (("table", "Table"), ("both", "Both"), ("yaml", "YAML"))
SAVED = "saved"
UNASKED = "nobody calls it from here. A run needs a tape or declared extenders, which answer for it, or leaves it out: "
LAST_PROFILE = 1000


class ConfigurationKind(DocumentKind):
    """Scheduler configurations: text as a person wrote it, judged without a cluster, and a table of what it means."""

    word = "configuration"
    plural = "Configurations"
    icon = "gear"
    example = "pack nodes"
    list_template = "clusters/configurations/list.html"
    editor_template = "clusters/configurations/editor.html"
    has_builtin = True
    is_reviewed = True
    model = SchedulerConfig
    guide = documents.CONFIGURATION
    url_argument = "config"
    deferred = ("text",)

    def check(self, text: str, cluster_revision: Revision | None = None) -> CheckedText:
        """Return the text with its findings and, without errors, the configuration.

        What is not installed here is a doubt: the text is stored as it is written, and a run leaves it out on request.
        So is an extender, for which a run needs answers. Of a ConfigMap that holds the configuration, that is the text.
        """
        text = configuration_text(text)
        reading = read_configuration(text, UNKNOWN)
        lost = {one.text: one.lost for one in reading.left_out if one.kind == "extender"}
        findings = [
            msgspec.structs.replace(one, message=UNASKED + lost[one.message]) if one.message in lost else one
            for one in reading.findings
        ]
        plugins = [one for one in reading.left_out if one.kind == "plugin"]
        return CheckedText(text, findings, reading.configuration, plugins)

    def check_saved(self, text: str) -> CheckedText:
        """Return the text checked again: another version of the engine may know other plugins."""
        return self.check(text)

    def read_text(self, revision: ConfigRevision) -> str:
        """Return the text as it was written."""
        return revision.text

    def store(
        self, member: Member, document: SchedulerConfig | None, new: NewText, checked: CheckedText
    ) -> ConfigRevision:
        """Return the new revision."""
        return store_config(member, document, new)

    def edited(self, text: str, edit: str) -> str:
        """Return the text with an edit of the table, given as JSON; raises Problem."""
        return edited(text, decoded(edit))

    def list_context(self) -> dict[str, Any]:
        """Return the presets, and plugins of installed packages that cannot be used."""
        return {"offers": presets.offers(), "unusable_plugins": registry().unusable}

    def page_context(self, access: Access) -> dict[str, Any]:
        """Return the parts that the page can show, and clusters to try a configuration on."""
        newest = Revision.objects.filter(cluster=OuterRef("pk")).order_by("-number")
        clusters = recent_first(Cluster.objects.filter(workspace=access.workspace, archived_at=None))
        return {
            "views": VIEWS,
            "preview_clusters": clusters.annotate(counts=Subquery(newest.values("counts")[:1]))[:CLUSTERS_OFFERED],
        }

    def editor_context(
        self, request: HttpRequest, checked: CheckedText, document: SchedulerConfig | None, draft: Any = None
    ) -> dict[str, Any]:
        """Return the table of the text, and which part of the page is shown."""
        return {
            "table": table_page(request, checked, document),
            "view": choice_param(request.GET, "view", [name for name, _ in VIEWS], "both"),
            "max_table": MAX_TABLE_TEXT,
            "extenders": extender_lines(checked.text) if checked.configuration is not None else [],
        }


def table_page(request: HttpRequest, checked: CheckedText, document: SchedulerConfig | None) -> ConfigTable | None:
    """Return the table with what the address selects, None for a text with an error or too long for one."""
    if checked.configuration is None or len(checked.text) > MAX_TABLE_TEXT:
        return None
    selection = TableSelection(
        int_param(request.GET, "profile", 0, low=-1, high=LAST_PROFILE),
        text_param(request.GET, "plugin", 253),
        text_param(request.GET, "point", 40),
    )
    base, against = defaults(), "the defaults"
    newest = document.revisions.first() if document is not None else None
    if newest is not None and text_param(request.GET, "against", 10) == SAVED:
        saved = read_configuration(newest.text, UNKNOWN).configuration
        if saved is not None:
            base, against = effective(saved), f"r{newest.number}"
    return ConfigTable(effective(checked.configuration), base, against, selection)


CONFIGURATION = ConfigurationKind()
