"""Whose question is next, and how many one person may have open: the rules of both transports.

Short questions are before long ones, but for those that let many turns of others go by. Among these it is the turn of
the person whose turn was longest ago, and of one person's questions that of the oldest. A person is a user in a
workspace.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# At most this many questions of one person wait or are computed at a time.
MOST_OPEN = 4
# A long question goes after short ones for at most this many turns, counted since it came or since its person's latest
# turn: somebody may ask short ones without end.
PATIENT_TURNS = 20


@dataclass(frozen=True)
class QueuedQuestion:
    """A question that waits: the people who wait for it, a number that is larger for those that came later, and that of
    the latest turn when it came.
    """

    key: str
    is_short: bool
    people: Sequence[str]
    arrived: int
    turn: int = 0


@dataclass(frozen=True)
class OwnQuestion:
    """An open question of a person: the page that asks it, and whether it is being computed."""

    key: str
    page: str
    is_computing: bool = False


@dataclass(frozen=True)
class Admission:
    """Whether a person may ask one more question now, and the key of the older one that is dropped for it, if any."""

    is_open: bool
    drops: str = ""


def in_turn(waiting: Iterable[QueuedQuestion], served: Mapping[str, int], now: int) -> list[tuple[str, str]]:
    """Return the questions in the order of their turns: (key, the person whose turn it is).

    `served` has the number of each person's latest turn, `now` is that of the latest turn of all. A question for which
    several people wait comes with the first of their turns.
    """
    rounds: Counter[tuple[bool, str]] = Counter()
    places: list[tuple[bool, int, int, int, str, str]] = []
    for one in sorted(waiting, key=lambda one: one.arrived):
        for person in one.people:
            latest = served.get(person, 0)
            is_behind = not one.is_short and now - max(one.turn, latest) < PATIENT_TURNS
            places.append((is_behind, rounds[is_behind, person], latest, one.arrived, one.key, person))
            rounds[is_behind, person] += 1
    turns: dict[str, str] = {}
    for *_, key, person in sorted(places):
        turns.setdefault(key, person)
    return list(turns.items())


def queue_position(key: str, turns: Sequence[tuple[str, str]]) -> int:
    """Return the question's place in this order, 1 the next; the one after all where it is not among them."""
    return next((place for place, (one, _) in enumerate(turns, 1) if one == key), len(turns) + 1)


def admission(mine: Sequence[OwnQuestion], page: str) -> Admission:
    """Return whether a person with these open questions, the oldest first, may ask one more from this page.

    For it the oldest question of another page is dropped. The parts of one page never drop each other: where there is
    nothing else to drop, the new question has to wait until one of them is answered.
    """
    if len(mine) < MOST_OPEN:
        return Admission(is_open=True)
    others = (one.key for one in mine if not one.is_computing and not (page and one.page == page))
    drops = next(others, "")
    return Admission(bool(drops), drops)
