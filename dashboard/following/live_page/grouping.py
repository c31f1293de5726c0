"""Pending pods by their owners, or by how long they wait, in place of by cause."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dashboard.following.live_page import collector
from dashboard.following.workers.overview import PendingPart

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from dashboard.following.workers.overview import PendingCause

BY = ("cause", "owner", "since")
AGES = ((600.0, "Less than 10 minutes"), (3_600.0, "10 minutes to an hour"), (86_400.0, "An hour to a day"))
OLDEST, UNKNOWN, OTHERS = "More than a day", "Nobody knows since when", "Further owners"
MOST_NAMED = 50
SHOWN_CAUSES, SHOWN_OWNERS = 2, 3


@dataclass
class PendingGroup:
    """Pods of one owner, or of one age: how many there are by cause, by owner and by who can act, the first of each
    part, and since when the oldest waits."""

    title: str
    count: int = 0
    causes: dict[str, int] = field(default_factory=dict)
    owners: dict[str, int] = field(default_factory=dict)
    actors: dict[str, int] = field(default_factory=dict)
    pods: list[str] = field(default_factory=list)
    made: float | None = None

    @property
    def key(self) -> str:
        """Return what names its row."""
        return collector.row_key(self.title)

    @property
    def since(self) -> datetime | None:
        """Return when the oldest of its pods was made."""
        return None if self.made is None else collector.moment(self.made)

    @property
    def shown_causes(self) -> list[tuple[str, int]]:
        """Return the causes of the most of its pods, with how many each keeps."""
        return sorted(self.causes.items(), key=lambda one: (-one[1], one[0]))[:SHOWN_CAUSES]

    @property
    def n_more_causes(self) -> int:
        """Return how many causes are not named."""
        return max(0, len(self.causes) - SHOWN_CAUSES)

    @property
    def owner_names(self) -> str:
        """Return the owners of the most of its pods."""
        return _first(self.owners)

    @property
    def actor_names(self) -> str:
        """Return who can act on the most of its pods."""
        return _first(self.actors)

    def add(self, cause: PendingCause, part: PendingPart) -> None:
        """Take in pods of one cause, owner and minute."""
        self.count += part.count
        for counts, name in ((self.causes, cause.text), (self.owners, part.owner), (self.actors, cause.actor)):
            if name:
                counts[name] = counts.get(name, 0) + part.count
        if part.pod and len(self.pods) < MOST_NAMED:
            self.pods.append(part.pod)
        if part.made is not None:
            self.made = part.made if self.made is None else min(self.made, part.made)


def _first(counts: dict[str, int]) -> str:
    names = sorted(counts, key=lambda name: (-counts[name], name))
    more = f" and {len(names) - SHOWN_OWNERS:,} more" if len(names) > SHOWN_OWNERS else ""
    return ", ".join(names[:SHOWN_OWNERS]) + more


def groups(causes: Sequence[PendingCause], by: str, now: float) -> list[PendingGroup]:
    """Return the groups: of owners those of the most pods first, of ages the longest first."""
    of: dict[str, PendingGroup] = {}
    for cause in causes:
        for title, part in _titled(cause, by, now):
            of.setdefault(title, PendingGroup(title)).add(cause, part)
    if by == "owner":
        return sorted(of.values(), key=lambda one: (-one.count, one.title))
    order = [OLDEST, *(words for _, words in reversed(AGES)), UNKNOWN, OTHERS]
    return sorted(of.values(), key=lambda one: order.index(one.title))


def _titled(cause: PendingCause, by: str, now: float) -> Iterator[tuple[str, PendingPart]]:
    # What an earlier version computed has no parts.
    for part in cause.parts or [PendingPart(count=cause.count, made=cause.since, is_rest=True)]:
        if part.is_rest:
            yield OTHERS if by == "owner" else UNKNOWN, part
        elif by == "owner":
            yield part.owner, part
        else:
            yield _age(part.made, now), part


def _age(made: float | None, now: float) -> str:
    if made is None:
        return UNKNOWN
    return next((words for most, words in AGES if now - made < most), OLDEST)
