"""What the form of an upgrade report offers: versions, configurations, timelines, and what is chosen at first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.agreement.page import choices
from dashboard.clusters.revisions.contents import cluster_version
from dashboard.common.http.params import text_param
from dashboard.documents.configurations import presets
from dashboard.documents.models import Timeline
from dashboard.runs import chosen
from dashboard.runs.models.run import Run
from dashboard.runs.policies import VERSIONS, train_name
from scheduler_core.versions.trains import NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.clusters.revisions.page_context import PageContext
    from scheduler_core.versions.detecting import ClusterVersion


@dataclass(frozen=True)
class UpgradeForm:
    """The fields for a cluster's revision, filled in from `query`."""

    here: PageContext
    query: Mapping[str, str]

    @cached_property
    def before(self) -> str:
        """The train that is chosen as A, that of the cluster at first."""
        given = train_name(text_param(self.query, "before", 40))
        return given if given in NAMES else self.cluster.train

    @cached_property
    def cluster(self) -> ClusterVersion:
        """What the cluster runs."""
        return cluster_version(self.here.revision)

    @property
    def after(self) -> str:
        """The train that is chosen as B, the next newer one at first."""
        given = train_name(text_param(self.query, "after", 40))
        return given if given in NAMES else NAMES[min(NAMES.index(self.before) + 1, len(NAMES) - 1)]

    @property
    def sides(self) -> list[tuple[str, str, list[tuple[str, str, bool]]]]:
        """(field, label, versions as name, words and whether chosen) of both."""
        return [
            ("before", "A, what runs now", _options(self.before)),
            ("after", "B, what it would be", _options(self.after)),
        ]

    @property
    def configurations(self) -> list[tuple[str, str, bool]]:
        """(name, label, whether chosen), that of the newest run at first."""
        given = text_param(self.query, "config", 80)
        workspace = self.here.access.workspace
        configuration = chosen.named(workspace, given) if given else chosen.of_cluster(self.here.cluster)
        return choices(self.here, configuration, presets.available())

    @cached_property
    def timeline(self) -> str:
        """The address of the timeline that is chosen, that of the cluster's newest run at first; "" for the pods of the
        revision."""
        if "timeline" in self.query:
            return text_param(self.query, "timeline", 80)
        runs = Run.objects.filter(revision__cluster=self.here.cluster).exclude(policies__has_key="decide_anew")
        newest = runs.order_by("-number").values_list("timeline_revision__timeline__slug", flat=True).first()
        return newest or ""

    @property
    def timelines(self) -> list[Timeline]:
        """The timelines of the workspace, by name."""
        return list(Timeline.objects.filter(workspace=self.here.access.workspace, archived_at=None).order_by("name"))


def _options(chosen_name: str) -> list[tuple[str, str, bool]]:
    return [(name, label, name == chosen_name) for name, label in VERSIONS]
