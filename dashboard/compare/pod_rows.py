"""The pods that differ, in groups by how: where each ended in A and in B, and the attempts to look at."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from dashboard.debugger.labels import split_key
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
    SAME,
    WAITED,
)
from scheduler_core.explain.outcomes import ERROR, GATED, LOST, PENDING, PREEMPTED, WAITING
from scheduler_core.recording.times import span

if TYPE_CHECKING:
    from dashboard.answers.answering.comparing.sides import FiguresAnswer, PodsAnswer
    from dashboard.compare.address import AskedComparison
    from scheduler_core.compare import PodDifference, PodEnd

SIZE = 100
TITLES = {
    PLACED_A: "Newly without a node in B",
    PLACED_B: "Newly placed in B",
    EVICTED_A: "Preempted or lost in A only",
    EVICTED_B: "Preempted or lost in B only",
    MOVED: "Other node",
    ONLY_A: "Only in A",
    ONLY_B: "Only in B",
    OTHERWISE: "Ended otherwise",
    EVICTED_OTHERWISE: "Preempted or lost otherwise",
    WAITED: "Waited for another time",
    SAME: "The same",
}
# Looks of what a pod ended as, where that is not simply its node.
_LOOKS = {
    PENDING: ("unsched", "x"),
    ERROR: ("error", "alert"),
    GATED: ("gated", "lock"),
    WAITING: ("wait", "hour"),
    PREEMPTED: ("victim", "eject"),
    LOST: ("victim", "eject"),
}


@dataclass(frozen=True)
class EndCell:
    """How a pod ended on one side: a node, or an outcome with its look; `title` says all of it."""

    text: str
    meaning: str = ""
    glyph: str = ""
    title: str = ""


@dataclass(frozen=True)
class DifferenceRow:
    """A pod: `namespace` is there where the page has another pod of the name. `cycle` is that of its first attempt
    that differs, of its last one where none does, 0 without any. `decided_by` says which plugin made the difference of
    one on another node, "" where the frames do not."""

    name: str
    namespace: str
    title: str
    a: EndCell
    b: EndCell
    cycle: int
    url: str
    is_selected: bool
    is_moved: bool = False
    decided_by: str = ""


@dataclass(frozen=True)
class DifferenceGroup:
    """The rows of a group on this page; `n` is how many it has in all, None where that is not present yet."""

    title: str
    n: int | None
    rows: list[DifferenceRow]
    url: str


class PodList:
    """One page of the list."""

    def __init__(
        self, asked: AskedComparison, answer: PodsAnswer, figures: FiguresAnswer | None, selected: tuple[str, str]
    ) -> None:
        self.asked = asked
        self.answer = answer
        self.figures = figures
        self.selected = selected
        decided = answer.decided or ("",) * len(answer.pods)
        self._decided = dict(zip(answer.pods, decided, strict=True))
        self.firsts = {(one.pod, one.uid): pair for one, pair in zip(answer.pods, answer.firsts, strict=True) if pair}

    @property
    def n_text(self) -> str:
        """Return how many pods differ, of how many."""
        if self.figures is None:
            return ""
        return f"{sum(self.figures.groups.values()):,} of {self.figures.n_pods:,}"

    @property
    def is_narrowed(self) -> bool:
        """Return whether a search or a group leaves pods out."""
        return bool(self.asked.q or self.asked.group)

    @property
    def pages(self) -> int:
        """Return how many pages there are."""
        return max(1, -(-self.answer.n_matching // SIZE))

    @property
    def previous_url(self) -> str:
        """Return the page before, "" on the first."""
        return self.asked.url(page=min(self.asked.page - 1, self.pages)) if self.asked.page > 1 else ""

    @property
    def next_url(self) -> str:
        """Return the next page, "" on the last."""
        return self.asked.url(page=self.asked.page + 1) if self.asked.page < self.pages else ""

    @property
    def groups(self) -> list[DifferenceGroup]:
        """Return the page's rows by group."""
        pods = self.answer.pods
        names = Counter(split_key(one.pod)[1] for one in pods)
        counts = self.figures.groups if self.figures and not self.asked.q else {}
        return [
            DifferenceGroup(
                TITLES[name],
                counts.get(name),
                [self._row(one, names) for one in members],
                self.asked.url(group="" if self.asked.group == name else name, every=self.asked.every or name == SAME),
            )
            for name, members in groupby(pods, key=lambda one: one.group)
        ]

    def _row(self, one: PodDifference, names: Counter[str]) -> DifferenceRow:
        namespace, name = split_key(one.pod)
        pair = self.firsts.get((one.pod, one.uid))
        a_cycle, b_cycle = (pair.a, pair.b) if pair else (end.cycle if end else 0 for end in (one.a, one.b))
        number = f", no. {one.number + 1} of this name and uid" if one.number else ""
        return DifferenceRow(
            name=name,
            namespace=namespace if names[name] > 1 else "",
            title=f"{one.pod}{f' ({one.uid})' if one.uid else ''}{number}",
            a=_cell(one.a),
            b=_cell(one.b),
            cycle=a_cycle or b_cycle,
            url=self.asked.at(a_cycle, b_cycle) if a_cycle or b_cycle else "",
            is_selected=(one.pod, one.uid) == self.selected,
            is_moved=one.group == MOVED,
            decided_by=self._decided[one],
        )


def _cell(end: PodEnd | None) -> EndCell:
    if end is None:
        return EndCell("not there", "none", "dash", "This run never had the pod")
    wait = f", after {span(end.wait)}" if end.wait >= 0 else ""
    wait = f", for {span(end.so_far)} so far" if end.so_far >= 0 else wait
    node = f" on {end.node}" if end.node else ""
    title = f"{end.outcome}{node}{wait}{f', {end.evicted}' if end.evicted else ''}"
    if end.outcome in _LOOKS:
        meaning, glyph = _LOOKS[end.outcome]
        return EndCell(end.outcome, meaning, glyph, title)
    return EndCell(end.node or end.outcome, title=title)
