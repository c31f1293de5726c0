"""One side: the attempt at its cursor, what came of it in a sentence, and where it is looked into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.debugger.cursor import queries
from dashboard.debugger.cursor.cursor import Cursor, cursor_of
from dashboard.debugger.inputs.facts import facts_kept
from dashboard.debugger.labels import OUTCOMES, split_key
from dashboard.debugger.page import CursorPage
from dashboard.debugger.sharing.decision import decision_words

if TYPE_CHECKING:
    from dashboard.compare.address import ComparedRun
    from dashboard.debugger.panels.preemption import CandidateNode
    from dashboard.runs.models import Cycle


@dataclass(frozen=True)
class CursorSide:
    """A side at its cursor. `page` and `row` are None where the run has no such attempt; then `text` says what became
    of the pod instead, and `url` leads there, "" to nothing."""

    letter: str
    compared: ComparedRun
    pod: str
    uid: str
    attempt: int
    text: str
    url: str
    pill: tuple[str, str]
    row: Cycle | None = None
    page: CursorPage | None = None
    before: str = ""
    after: str = ""

    @property
    def name(self) -> str:
        """Return the pod's name."""
        return split_key(self.pod)[1]

    @property
    def candidates(self) -> list[CandidateNode]:
        """Return the candidates of its preemption, the chosen one first."""
        panel = self.page.attempt.preemption if self.page else None
        return list(panel.candidates) if panel else []

    @property
    def nodes(self) -> list[str]:
        """Return the nodes that its decision is about: chosen, next, nominated."""
        cycle = self.page.attempt.cycle if self.page else None
        if cycle is None:
            return []
        nominated = cycle.preemption.nominated_node if cycle.preemption else ""
        return [node for node in (cycle.winner, cycle.second or cycle.equal, nominated) if node]


def side_at(slug: str, compared: ComparedRun, letter: str, number: int) -> CursorSide:
    """Return the side at a cycle that its run has; raises NotFound, RecordingError."""
    cursor = cursor_of(compared.run, slug, {"cycle": str(number)})
    # Inputs are left to answer workers.
    page = CursorPage(cursor, facts_kept)
    row = cursor.cycle
    assert row is not None
    return CursorSide(
        letter=letter,
        compared=compared,
        pod=row.pod,
        uid=row.pod_uid or "",
        attempt=row.attempt,
        text="".join(decision_words(page)),
        url=cursor.url(tab="why"),
        pill=_pill(page),
        row=row,
        page=page,
    )


def side_without(slug: str, compared: ComparedRun, letter: str, other: CursorSide) -> CursorSide:
    """Return the side that has no attempt such as the other's, with what became of the pod there."""
    last = queries.last_attempt(compared.run, other.pod, other.uid, compared.seq)
    if last is None:
        text, url = f"{letter} never tried this pod.", ""
    elif last.last_seq >= compared.seq:
        text, url = f"{letter} ends in the middle of its attempt {last.attempt}.", _way_to(compared, slug, last)
    else:
        node = f" on {last.node}" if last.node else ""
        text = (
            f"{letter} has no attempt {other.attempt} of it. Its last one, {last.attempt}, ended {last.outcome}{node}."
        )
        url = _way_to(compared, slug, last)
    return CursorSide(letter, compared, other.pod, other.uid, other.attempt, text, url, ("none", "no such attempt"))


def _way_to(compared: ComparedRun, slug: str, cycle: Cycle) -> str:
    return Cursor(compared.run, slug, cycle.last_seq + 1, cycle).url(cycle=cycle.number)


def _pill(page: CursorPage) -> tuple[str, str]:
    cycle = page.attempt.cycle
    assert cycle is not None
    if cycle.row.node:
        return "win", cycle.row.node
    if cycle.preemption is not None and cycle.preemption.nominated_node:
        return "nomin", cycle.preemption.nominated_node
    return OUTCOMES.get(cycle.row.outcome, ("none", cycle.row.outcome))
