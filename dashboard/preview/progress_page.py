"""What the page of a computation shows beside its progress: which text it is about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.preview.queries import saved_as
from dashboard.preview.result_panel import subject_label
from dashboard.preview.subject import text_of

if TYPE_CHECKING:
    from dashboard.documents.models import ConfigRevision
    from dashboard.preview.models import Computation
    from dashboard.preview.panel import ProgressPanel


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
        return text_of(self.computation)
