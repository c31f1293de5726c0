"""A result as the panel beside the editor and its own page show it: figures, then pods in groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.common.pages.numbers import signed
from dashboard.preview.queries import changes_in
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
    from dashboard.preview.models import PreviewOf, PreviewResult
    from scheduler_core.compare import PodDifference

ROWS = 20
GROUP_LABELS = {
    MOVED: "on another node",
    PLACED_A: "newly without a node",
    PLACED_B: "newly placed",
    EVICTED_A: "no longer preempted or lost",
    EVICTED_B: "newly preempted or lost",
    EVICTED_OTHERWISE: "preempted or lost otherwise",
    ONLY_A: "not made any more",
    ONLY_B: "newly made",
    OTHERWISE: "ended otherwise",
    WAITED: "waited otherwise",
}


class GroupChip(NamedTuple):
    """A group with its number of pods; pressed where only it is listed."""

    label: str
    n_pods: int
    is_pressed: bool
    query: str


class FigureChange(NamedTuple):
    """A figure of both runs, or of the comparison alone where there is no `before`; `why` says by which groups of pods
    it changed."""

    label: str
    before: int | None
    after: int
    why: str = ""

    @property
    def differs(self) -> bool:
        """Whether both runs differ in it."""
        return self.before not in (None, self.after)


class ChangedPod(NamedTuple):
    """A pod that differs: what became of it before and after, what the scheduler said last where it waits, and which
    plugin made the difference, where that is recorded."""

    pod: str
    label: str
    before: str
    after: str
    message: str
    decided_by: str


@dataclass(frozen=True)
class ResultPanel:
    """A stored result, its pods from number `start`, of a `group` ("" for each)."""

    result: PreviewResult
    group: str = ""
    start: int = 0

    @cached_property
    def changes(self) -> WhatChanges:
        """What was computed."""
        return changes_in(self.result)

    @property
    def subject(self) -> str:
        """What the text was tried on."""
        return subject_label(self.result)

    @property
    def before(self) -> str:
        """What the text was compared with."""
        return self.result.before_label

    @property
    def url(self) -> str:
        """The address of the result's own page."""
        return reverse("preview:result", args=[self.result.workspace.slug, self.result.pk])

    @property
    def n_different(self) -> int:
        """How many pods differ."""
        return sum(self.changes.groups.values())

    @property
    def figures(self) -> list[FigureChange]:
        """The figures of both runs."""
        if self.changes.figures is None:
            return []
        a, b = self.changes.figures
        return [
            FigureChange("pods without a node", a.n_pending, b.n_pending, self._changed_by),
            FigureChange("pods preempted", a.n_evicted, b.n_evicted),
            *([] if a.n_lost is None else [FigureChange("pods lost with their node", a.n_lost, b.n_lost or 0)]),
            FigureChange("nodes in use", a.n_used, b.n_used),
            FigureChange("empty nodes", a.n_empty, b.n_empty),
            FigureChange("pods on another node", None, self.changes.groups.get(MOVED, 0)),
        ]

    @property
    def _changed_by(self) -> str:
        """By which groups the pods without a node changed: "+1 newly without a node, +1 newly made"."""
        return ", ".join(f"{signed(n)} {GROUP_LABELS[group]}" for group, n in self.changes.unplaced.items())

    @property
    def chips(self) -> list[GroupChip]:
        """The groups that occur; the pressed one leads back to all."""
        return [
            GroupChip(
                GROUP_LABELS[group], n, group == self.group, urlencode({"group": "" if group == self.group else group})
            )
            for group, n in self.changes.groups.items()
        ]

    @cached_property
    def _listed(self) -> list[tuple[PodDifference, str, str]]:
        changes = self.changes
        # Results of before have no such column.
        decided = changes.decided or ("",) * len(changes.pods)
        rows = zip(changes.pods, changes.messages, decided, strict=True)
        return [row for row in rows if self.group in ("", row[0].group)]

    @property
    def rows(self) -> list[ChangedPod]:
        """The pods of this page."""
        return [_row(*row) for row in self._listed[self.start : self.start + ROWS]]

    @property
    def has_deciders(self) -> bool:
        """Whether of a pod of this page it is known which plugin made the difference."""
        return any(row.decided_by for row in self.rows)

    @property
    def previous(self) -> str:
        """The query of the page before, "" for none."""
        return self._query(max(self.start - ROWS, 0)) if self.start else ""

    @property
    def next(self) -> str:
        """The query of the next page, "" for none."""
        return self._query(self.start + ROWS) if self.start + ROWS < len(self._listed) else ""

    def _query(self, start: int) -> str:
        return urlencode({"group": self.group, "start": start})

    @property
    def span(self) -> str:
        """Which rows are shown, of how many."""
        n = len(self._listed)
        return f"{min(self.start + 1, n):,} to {min(self.start + ROWS, n):,} of {n:,}"

    @property
    def n_unlisted(self) -> int:
        """How many more pods differ than can be listed."""
        groups = self.changes.groups
        return (groups.get(self.group, 0) if self.group else sum(groups.values())) - len(self._listed)

    @property
    def limits(self) -> list[str]:
        """Why each run ended, where one ended at a limit."""
        if not self.changes.is_partial:
            return []
        names = (f"with {self.before}", "with this text")
        return [f"{name}: {why}" for name, why in zip(names, self.changes.ended, strict=True)]


def subject_label(result: PreviewOf) -> str:
    """Return what the text was tried on: "Prod r3", or "run 7 on Prod r3"."""
    return f"run {result.run.number} on {result.revision}" if result.run is not None else str(result.revision)


def _row(one: PodDifference, message: str, decided: str) -> ChangedPod:
    ends = [end.text if end is not None else "not there" for end in (one.a, one.b)]
    return ChangedPod(one.pod, GROUP_LABELS[one.group], ends[0], ends[1], message, decided)
