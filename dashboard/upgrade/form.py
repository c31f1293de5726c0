"""What the form of an upgrade report offers: versions, configurations, timelines, and what is chosen at first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dashboard.agreement.page import choices
from dashboard.common.http.params import text_param
from dashboard.documents.configurations import presets
from dashboard.documents.models import Timeline
from dashboard.runs import chosen
from scheduler_core.versions.trains import NAMES, NEWEST_MEASURED, TRAINS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.clusters.revisions.page_context import PageContext


class VersionOption(NamedTuple):
    """A train as a select offers it."""

    name: str
    label: str
    is_chosen: bool


@dataclass(frozen=True)
class UpgradeForm:
    """The fields for a cluster's revision, filled in from `query`."""

    here: PageContext
    query: Mapping[str, str]

    @cached_property
    def before(self) -> str:
        """The train that is chosen as A."""
        given = text_param(self.query, "before", 40)
        return given if given in NAMES else NEWEST_MEASURED

    @property
    def after(self) -> str:
        """The train that is chosen as B, the next newer one at first."""
        given = text_param(self.query, "after", 40)
        return given if given in NAMES else NAMES[min(NAMES.index(self.before) + 1, len(NAMES) - 1)]

    @property
    def sides(self) -> list[tuple[str, str, list[VersionOption]]]:
        """(field, label, versions) of both."""
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

    @property
    def timelines(self) -> list[Timeline]:
        """The timelines of the workspace, by name."""
        return list(Timeline.objects.filter(workspace=self.here.access.workspace, archived_at=None).order_by("name"))


def _options(chosen_name: str) -> list[VersionOption]:
    newest_first = (TRAINS[name] for name in reversed(NAMES))
    return [VersionOption(one.name, f"{one.label}, {one.evidence}", one.name == chosen_name) for one in newest_first]
