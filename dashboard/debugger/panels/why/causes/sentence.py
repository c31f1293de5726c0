"""The cause of a pod's waiting as the page says it: the sentence with its letters, what it opens, second readings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.panels.why.causes.letters import Letter, Lettering

if TYPE_CHECKING:
    from scheduler_core.explain.diagnosis.model import Diagnosis, ObstacleSet
    from scheduler_core.explain.doubt import AnswerDoubt

# So long a heading may be; of a longer text its first clause, else what stands before the colon.
HEADING = 112
# At most this many second readings and equal sets are shown; the rest opens.
SHOWN = 2
# Of more than one beyond these, the others open.
SHOWN_DOUBTS = 2


@dataclass(frozen=True)
class CausePart:
    """An obstacle of the cause: what it is as a `heading`, the rest of its text in `detail`."""

    letters: tuple[Letter, ...]
    heading: str
    detail: str


@dataclass(frozen=True)
class ReadingRow:
    """Another reading: its letters, its sentence, what it opens; `is_equal` to the cause by all rules."""

    letters: tuple[Letter, ...]
    text: str
    opens: str
    codes: tuple[str, ...]
    actor: str
    is_equal: bool = False


@dataclass(frozen=True)
class CauseView:
    """The cause: its obstacles, what removing exactly them does in `rest` and `opens`, then the other readings."""

    parts: tuple[CausePart, ...]
    rest: str
    opens: str
    letters: tuple[Letter, ...]
    codes: tuple[str, ...]
    actor: str
    rows: tuple[ReadingRow, ...]
    more: tuple[ReadingRow, ...]
    doubts: tuple[AnswerDoubt, ...] = ()
    more_doubts: tuple[AnswerDoubt, ...] = ()

    @property
    def is_several(self) -> bool:
        """Return whether several obstacles have to go at once."""
        return len(self.parts) > 1


def cause_view(diagnosis: Diagnosis, n_nodes: int) -> CauseView:
    """Return the cause of a pod that `n_nodes` nodes were there for."""
    cause, letters = diagnosis.cause, Lettering(diagnosis)
    rows = [_row(one, letters, n_nodes, is_equal=True) for one in cause.either]
    rows += [_row(one, letters, n_nodes) for one in cause.also]
    doubts = diagnosis.doubts
    parts = tuple(
        CausePart(letters.of([one.key]), *heading_of(one.text)) for one in cause.obstacles if one.text or cause.text
    )
    return CauseView(
        parts=parts or (CausePart((), *heading_of(cause.text)),),
        rest=_rest(cause) if parts else "",
        opens=opens_words(cause, n_nodes),
        letters=letters.of(one.key for one in cause.obstacles),
        codes=cause.codes,
        actor=cause.actor,
        rows=tuple(rows[:SHOWN]),
        more=tuple(rows[SHOWN:]),
        doubts=doubts[:SHOWN_DOUBTS] if len(doubts) > SHOWN_DOUBTS + 1 else doubts,
        more_doubts=doubts[SHOWN_DOUBTS:] if len(doubts) > SHOWN_DOUBTS + 1 else (),
    )


def _row(one: ObstacleSet, letters: Lettering, n_nodes: int, *, is_equal: bool = False) -> ReadingRow:
    return ReadingRow(
        letters=letters.of(obstacle.key for obstacle in one.obstacles),
        text=one.text,
        opens=opens_words(one, n_nodes),
        codes=one.codes,
        actor=one.actor,
        is_equal=is_equal,
    )


def opens_words(one: ObstacleSet, n_nodes: int) -> str:
    """ "opens 3 of 4 nodes"; "" for a set that opens none, and where room is being cleared already"""
    count = one.opens.count
    if not count or one.stage == "postfilter":
        return ""
    opens = "then fits on" if one.stage == "queue" else "opens"
    return f"{opens} {grouped(count)} of {grouped(n_nodes)} node{'' if n_nodes == 1 else 's'}"


def heading_of(text: str) -> tuple[str, str]:
    """Return (what the first second is for, the rest) of an obstacle's text: its first clause as a sentence, or what
    stands before the colon."""
    text = text.rstrip(".")
    whole = f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('?', '!')) else '.'}"
    for end in (";", ":"):
        head, _, rest = whole.partition(f"{end} ")
        if len(whole) > HEADING and rest and len(head) < HEADING:
            return (f"{head}.", f"{rest[:1].upper()}{rest[1:]}") if end == ";" else (f"{head}:", rest)
    return whole, ""


def _rest(cause: ObstacleSet) -> str:
    """What the sentence says after its obstacles: what removing them does, and what a policy forbids besides."""
    if cause.either:
        return ""
    last = cause.obstacles[-1].text.rstrip(".")
    at = cause.text.lower().rfind(last.lower())
    return cause.text[at + len(last) :].lstrip(".? ") if at >= 0 else ""
