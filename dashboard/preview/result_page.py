"""What the page of a stored result shows beside its panel: which text it was, and how that differs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.clusters.revisions.diff import diff_texts
from dashboard.common.problems import NotFound
from dashboard.preview.queries import saved_as
from dashboard.preview.subject import text_of
from dashboard.runs import chosen
from scheduler_core import ENGINE_VERSION

if TYPE_CHECKING:
    from dashboard.accounts.models import Workspace
    from dashboard.clusters.revisions.diff import TextDiff
    from dashboard.documents.models import ConfigRevision
    from dashboard.preview.result_panel import ResultPanel


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
        return text_of(self.panel.result)

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
