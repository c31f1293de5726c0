"""What was and is computed of a configuration, as its page lists it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.preview.panel import ProgressPanel
from dashboard.preview.queries import computations_for, results_for

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.documents.models import SchedulerConfig
    from dashboard.preview.models import PreviewOf, PreviewResult


@dataclass(frozen=True)
class PreviewList:
    """Results, and the computations that have not ended or failed lately; each newest first."""

    progress: list[ProgressPanel]
    results: list[PreviewResult]

    @property
    def is_going(self) -> bool:
        """Whether anything is waiting or computed, so that the list is to ask again."""
        return any(one.state == "waiting" for one in self.progress)

    @property
    def last_on(self) -> str:
        """What was asked about last, as the choice beside the editor names it: "cluster:SLUG", "run:NUMBER" or ""."""
        asked: list[PreviewOf] = [one.computation for one in self.progress if one.state == "waiting"]
        newest = next(iter([*asked, *self.results]), None)
        if newest is None:
            return ""
        return f"run:{newest.run.number}" if newest.run is not None else f"cluster:{newest.revision.cluster.slug}"

    @property
    def last_run(self) -> int:
        """The number of the run that was asked about last, 0 where that was a cluster or nothing."""
        return int(self.last_on.removeprefix("run:")) if self.last_on.startswith("run:") else 0


def preview_list_for(member: Member, document: SchedulerConfig | None) -> PreviewList:
    """Return what the member may see of a configuration, or of new ones without a document."""
    return PreviewList(
        [ProgressPanel(one) for one in computations_for(member, document)], results_for(member, document)
    )
