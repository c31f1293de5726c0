"""What pages show of previews: a computation with its text, a stored result with its difference, and lists of both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.clusters.revisions.diff import diff_texts
from dashboard.common.problems import NotFound
from dashboard.preview.panel import ProgressPanel
from dashboard.preview.queries import computations_for, results_for, saved_as
from dashboard.preview.result_panel import subject_label
from dashboard.preview.subject import tried_text
from dashboard.runs import chosen
from scheduler_core import ENGINE_VERSION

if TYPE_CHECKING:
    from dashboard.accounts.models import Member, Workspace
    from dashboard.clusters.revisions.diff import TextDiff
    from dashboard.documents.models import ConfigRevision, SchedulerConfig
    from dashboard.preview.models import Computation, PreviewOf, PreviewResult
    from dashboard.preview.result_panel import ResultPanel


@dataclass(frozen=True)
class ProgressPage:
    """A computation with its text."""

    panel: ProgressPanel
    can_cancel: bool

    @property
    def computation(self) -> Computation:
        """The computation."""
        return self.panel.computation

    @property
    def subject(self) -> str:
        """What the text is tried on."""
        return subject_label(self.computation)

    @cached_property
    def saved(self) -> ConfigRevision | None:
        """The saved revision with this text, None where it was not saved."""
        return saved_as(self.computation)

    @cached_property
    def text(self) -> str:
        """The text that is tried."""
        return tried_text(self.computation)


@dataclass(frozen=True)
class ResultPage:
    """A stored result with its text."""

    workspace: Workspace
    panel: ResultPanel

    @cached_property
    def saved(self) -> ConfigRevision | None:
        """The saved revision with this text, None where it was not saved."""
        return saved_as(self.panel.result)

    @property
    def is_of_this_engine(self) -> bool:
        """Whether the engine that computed it is the installed one."""
        return self.panel.result.engine_version == ENGINE_VERSION

    @cached_property
    def text(self) -> str:
        """The text that was tried."""
        return tried_text(self.panel.result)

    @cached_property
    def diff(self) -> TextDiff | None:
        """How the text differs from the one that it was compared with; None where that cannot be had any more, or is
        the defaults, which have no text."""
        result = self.panel.result
        try:
            before = chosen.named(self.workspace, result.before)
        except NotFound:
            return None
        if not before.text or before.sha256 != result.before_sha256:
            return None
        return diff_texts(before.text, self.text)


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


def preview_list_for(member: Member, document: SchedulerConfig | None) -> PreviewList:
    """Return what the member may see of a configuration, or of new ones without a document."""
    return PreviewList(
        [ProgressPanel(one) for one in computations_for(member, document)], results_for(member, document)
    )
