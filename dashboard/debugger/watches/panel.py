"""The list of the values that a member watches in a run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.runs.watches import MAX_WATCHES, EarlierWatches, earlier_watches, list_watches

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.runs.models import Run, RunWatch


@dataclass(frozen=True)
class WatchLine:
    """One watch. A watch that is `counted` is asked for apart from the others, since it may take longer."""

    watch: RunWatch
    is_counted: bool


@dataclass(frozen=True)
class WatchPanel:
    """The member's watches of the run, in order."""

    member: Member
    run: Run
    lines: list[WatchLine]

    @property
    def is_full(self) -> bool:
        """Whether no more can be added."""
        return len(self.lines) >= MAX_WATCHES

    @property
    def most(self) -> int:
        """How many values can be watched."""
        return MAX_WATCHES

    @cached_property
    def earlier(self) -> EarlierWatches | None:
        """What the member watched in another run of the cluster, offered where nothing is watched yet."""
        return None if self.lines else earlier_watches(self.member, self.run)


def watch_panel(member: Member, run: Run) -> WatchPanel:
    """Return the list of the member's watches."""
    lines = [WatchLine(watch, watch.text.startswith("count ")) for watch in list_watches(member, run)]
    return WatchPanel(member, run, lines)
