"""Findings in groups, each with a key, and the panels that show one.

Every finding has a key that it has again after the run went on or was looked at by somebody else, so that each member's
marks of what they have viewed hold. A group shows its first GROUP_LIMIT findings and says how many there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

GROUP_LIMIT = 8
INSPECTOR = "#inspector"


@dataclass(frozen=True)
class EvidencePanel:
    """A part of another page as evidence: what its tab is called, the page's address, and the part's selector."""

    label: str
    url: str
    part: str = INSPECTOR

    @property
    def is_inspector(self) -> bool:
        """Return whether it is the debugger's inspector, which takes the place of its element and moves by itself."""
        return self.part == INSPECTOR


@dataclass(frozen=True)
class ReviewFinding:
    """What happened, more about it, and the page that shows it; `meaning` and `glyph` say how it looks.

    `panels` are the parts of pages that are its evidence. Without any the review's page has a panel of its own for it.
    `cycles` are those that it is about, by the run's key. `short` is what lists say instead of a long `more`.
    """

    key: str
    meaning: str
    glyph: str
    what: str
    more: str
    url: str
    panels: tuple[EvidencePanel, ...] = ()
    cycles: tuple[tuple[int, int], ...] = ()
    is_viewed: bool = False
    short: str = ""

    @property
    def places(self) -> list[str]:
        """Return where threads about it are, as `threads.counts_by_place` names places."""
        return [self.key, *(f"{run}:{cycle}" for run, cycle in self.cycles)]


@dataclass(frozen=True)
class FindingGroup:
    """Findings of one kind; `total` may be more than are listed."""

    title: str
    findings: list[ReviewFinding] = field(default_factory=list)
    total: int = 0

    @property
    def n_viewed(self) -> int:
        """Return how many of the listed findings the reader has viewed."""
        return sum(one.is_viewed for one in self.findings)

    @property
    def n_more(self) -> int:
        """Return how many findings are not listed."""
        return max(0, self.total - len(self.findings))


@dataclass(frozen=True)
class Gathered:
    """The groups that have findings; `note` says what is still being computed, from `turn` on, or why it cannot be.

    `is_waiting`: it is worth asking again.
    """

    groups: list[FindingGroup]
    note: str = ""
    turn: int = 0
    is_waiting: bool = False

    @property
    def findings(self) -> list[ReviewFinding]:
        """Return all findings that are listed, in order."""
        return [one for group in self.groups for one in group.findings]


def keys_of(groups: Iterable[FindingGroup]) -> set[str]:
    """Return the keys of all findings that are listed."""
    return {one.key for group in groups for one in group.findings}


def digest(*parts: object) -> str:
    """Return a short name of what a finding is about, for its key."""
    return sha256("\0".join(map(str, parts)).encode()).hexdigest()[:16]


def and_more(n: int) -> str:
    """Return " and 3 more" for four things of which one was named."""
    return f" and {n - 1:,} more" if n > 1 else ""


def bare(pod: str) -> str:
    """Return the name of namespace/name."""
    return pod.rpartition("/")[2]
