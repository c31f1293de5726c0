"""An answer as the panel beside the editor shows it: how far both runs are, then pods in groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from dashboard.answers.outcomes import Answer
from dashboard.answers.panel import OutcomePanel
from scheduler_core.compare.pods import (
    EVICTED_A,
    EVICTED_B,
    EVICTED_OTHERWISE,
    MOVED,
    ONLY_A,
    ONLY_B,
    OTHERWISE,
    PLACED_A,
    PLACED_B,
    WAITED,
)

if TYPE_CHECKING:
    from dashboard.answers.answering.comparing.what_changes import WhatChanges
    from scheduler_core.compare import PodDifference

ROWS = 20
# A turn takes about a second.
MOST_TURNS = 600
GROUP_LABELS = {
    MOVED: "on another node",
    PLACED_A: "newly pending",
    PLACED_B: "newly placed",
    EVICTED_A: "no longer evicted",
    EVICTED_B: "newly evicted",
    EVICTED_OTHERWISE: "evicted otherwise",
    ONLY_A: "not made any more",
    ONLY_B: "newly made",
    OTHERWISE: "ended otherwise",
    WAITED: "waited otherwise",
}


class GroupChip(NamedTuple):
    """A group with its number of pods; pressed where only it is listed."""

    group: str
    label: str
    n_pods: int
    is_pressed: bool


class FigureChange(NamedTuple):
    """A figure of both runs, or of the comparison alone where there is no `before`."""

    label: str
    before: int | None
    after: int

    @property
    def differs(self) -> bool:
        """Whether both runs differ in it."""
        return self.before not in (None, self.after)


class ChangedPod(NamedTuple):
    """A pod that differs: what became of it before and after, and what the scheduler said last where it waits."""

    pod: str
    label: str
    before: str
    after: str
    message: str


@dataclass(frozen=True)
class PreviewPanel(OutcomePanel):
    """What came of a turn about `subject`, compared with the configuration `before`."""

    subject: str
    before: str
    group: str
    start: int
    turn: int

    @cached_property
    def changes(self) -> WhatChanges | None:
        """The answer, None where there is none yet."""
        return self.outcome.value if isinstance(self.outcome, Answer) else None

    @property
    def is_complete(self) -> bool:
        """Whether both runs are over."""
        return self.changes is not None and self.changes.is_complete

    @property
    def is_given_up(self) -> bool:
        """Whether both runs take too long to be tried here."""
        return self.changes is not None and not self.is_complete and self.turn >= MOST_TURNS

    @property
    def state(self) -> str:
        """What the script has to know: "answer", "waiting" or "failed"."""
        is_on = self.is_waiting or (self.changes is not None and not self.is_given_up)
        return "answer" if self.is_complete else "waiting" if is_on else "failed"

    @property
    def again(self) -> str:
        """The fields of the form that asks for the next turn, or for this one once more where nobody answered."""
        turn = self.turn + (self.changes is not None)
        return urlencode({"group": self.group, "start": self.start, "turn": turn})

    @property
    def progress_text(self) -> str:
        """How far both runs are."""
        if self.changes is None:
            return self.text
        before, after = self.changes.cycles
        so_far = f"Run with {self.before}: {before:,} cycles"
        if after:
            so_far += f". With this text: {after:,} cycles"
        if self.is_given_up:
            return f"{so_far}. Given up after {MOST_TURNS} turns: save the text, start two runs and compare these"
        return f"{so_far} so far"

    @property
    def n_different(self) -> int:
        """How many pods differ."""
        return sum(self.changes.groups.values()) if self.changes is not None else 0

    @property
    def figures(self) -> list[FigureChange]:
        """The figures of both runs."""
        if self.changes is None or self.changes.figures is None:
            return []
        a, b = self.changes.figures
        return [
            FigureChange("pods without a node", a.n_pending, b.n_pending),
            FigureChange("pods evicted", a.n_evicted, b.n_evicted),
            FigureChange("nodes in use", a.n_used, b.n_used),
            FigureChange("empty nodes", a.n_empty, b.n_empty),
            FigureChange("pods on another node", None, self.changes.groups.get(MOVED, 0)),
        ]

    @property
    def chips(self) -> list[GroupChip]:
        """The groups that occur."""
        counts = self.changes.groups if self.changes is not None else {}
        return [GroupChip(group, GROUP_LABELS[group], n, group == self.group) for group, n in counts.items()]

    @property
    def rows(self) -> list[ChangedPod]:
        """The pods of this page."""
        if self.changes is None:
            return []
        return [_row(one, said) for one, said in zip(self.changes.pods, self.changes.messages, strict=True)]

    @property
    def previous(self) -> int | None:
        """Where the page before begins, None for none."""
        return max(self.start - ROWS, 0) if self.start else None

    @property
    def next(self) -> int | None:
        """Where the next page begins, None for none."""
        behind = self.start + ROWS
        return behind if self.changes is not None and behind < self.changes.n_matching else None

    @property
    def span(self) -> str:
        """Which rows are shown, of how many."""
        n = self.changes.n_matching if self.changes is not None else 0
        return f"{min(self.start + 1, n):,} to {min(self.start + ROWS, n):,} of {n:,}"

    @property
    def limits(self) -> list[str]:
        """Why each run ended, where one ended at a limit."""
        if self.changes is None or not self.changes.is_partial:
            return []
        names = (f"with {self.before}", "with this text")
        return [f"{name}: {why}" for name, why in zip(names, self.changes.ended, strict=True)]

    @property
    def _computed(self) -> str:
        return "Being computed: the engine reads the cluster"


def _row(one: PodDifference, message: str) -> ChangedPod:
    ends = [end.text if end is not None else "not there" for end in (one.a, one.b)]
    return ChangedPod(one.pod, GROUP_LABELS[one.group], ends[0], ends[1], message)
