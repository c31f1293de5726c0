"""What a worker does in between while it does something long that is no run: a computation, a background task."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from dashboard.runs import execution, preparing
from dashboard.runs.lifecycle import other_work, waiting
from dashboard.runs.models import Run, State
from dashboard.runs.storage import deletion

if TYPE_CHECKING:
    from collections.abc import Callable


class InBetween:
    """Called often, it does what waits for this worker: what pages have asked about runs, deletions, and a segment of
    a run once runs have waited for a turn's length. `others` does what else may come in between.
    """

    def __init__(self, others: Callable[[], object] = lambda: None) -> None:
        self._others = others
        self._since = time.monotonic()

    def __call__(self) -> None:
        """Do what waits."""
        preparing.work()
        if Run.everything.filter(state=State.DELETING).exists():
            deletion.delete_some()
        with other_work.held_back():
            self._others()
            if waiting.has_found_nobody(time.monotonic() - self._since):
                execution.work()
                self._since = time.monotonic()
