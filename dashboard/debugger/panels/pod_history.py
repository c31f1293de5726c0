"""A pod's history in lines: every move with its cause, every attempt with its end, who preempted whom."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import plural
from dashboard.debugger.inputs.facts import made_pod
from dashboard.debugger.labels import CRITERION_LABELS, LANES, OUTCOMES, event_words
from dashboard.debugger.panels.standing import LANE_LOOKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.debugger.events.line import CauseWords
    from dashboard.runs.models import Cycle, Preemption, QueueMove, Victim
    from dashboard.runs.queries import PodHistory
    from scheduler_core.recording.events import Missing
    from scheduler_core.recording.state import RunState

# Moves that the line of an attempt tells already.
QUIET = ("Popped",)


@dataclass(frozen=True)
class Effect:
    """A line that another one caused: its words and the cursor after it."""

    title: str
    seq: int


@dataclass(frozen=True)
class Evicted:
    """A victim of this pod; `uid` is "" for the first pod of its name."""

    pod: str
    uid: str


@dataclass(frozen=True)
class HistoryLine:
    """One thing that happened; `seq` is the cursor after it, `cycle` the attempt (0: none), `cause` of a move.

    `other` is another pod that it concerns, the preemptor of a victim; `victims` are those that it evicted. `effects`
    are the lines that it caused, `begins` the cursor from which on causes lie in it (an attempt has several).
    """

    seq: int
    at: int | None
    meaning: str
    glyph: str
    title: str
    detail: str
    cycle: int = 0
    tab: str = "matrix"
    is_here: bool = False
    is_ahead: bool = False
    cause: CauseWords | None = None
    other: str = ""
    victims: tuple[Evicted, ...] = ()
    effects: tuple[Effect, ...] = ()
    begins: int = 0

    @property
    def thing(self) -> str:
        """Return what a comment on the line is about: the move, the eviction, or the cycle."""
        if not self.cycle:
            return f"the queue move {self.title}"
        return f"the eviction in cycle {self.cycle:,}" if self.other else f"cycle {self.cycle:,}"

    @property
    def classes(self) -> str:
        """Return the classes of its line."""
        return f"m-{self.meaning}{' is-cursor' if self.is_here else ''}{' is-ahead' if self.is_ahead else ''}"


@dataclass(frozen=True)
class Ending:
    """How a run ended: the reason, and the first of `n_short` workloads that lack pods."""

    reason: str
    missing: tuple[Missing, ...]
    n_short: int

    @property
    def left_out(self) -> int:
        """Return how many workloads are not named."""
        return self.n_short - len(self.missing)


def pod_status(history: PodHistory, state: RunState, uid_of_inputs: str = "") -> str:
    """Return whether the pod was made in the run, is terminating, or is gone and why; "" where none of these holds.

    `uid_of_inputs` is the uid that the inputs give to a pod of the name. A pod of theirs whose status was written
    (names of claims) is among the objects that the run made, too.
    """
    key, there = history.pod, state.uids.get(history.pod, "")
    if history.uid != there:
        order = {uid: i for i, uid in enumerate(history.namesakes)}
        is_past = order.get(history.uid, 0) < order.get(there, 0)
        return "It is gone; another pod has its name now." if is_past else "It has not come yet at this moment."
    if key in state.gone:
        return f"It is gone: {state.gone[key] or 'deleted'}."
    sentences = []
    made = made_pod(key, state.made)
    if made is not None and made.object.uid != uid_of_inputs and made.object.uid.partition("@")[0] != key:
        sentences.append(f"Made during this run{f' by {made.owner}' if made.owner else ''}.")
    if key in state.terminating:
        cause = state.terminating[key]
        sentences.append("It terminates." if cause == "terminating" else f"It terminates: {cause}.")
    return " ".join(sentences)


def moves_with_a_line(history: PodHistory) -> list[QueueMove]:
    """Return the moves that have a line of their own."""
    return [move for move in history.moves if move.event not in QUIET]


def history_lines(
    history: PodHistory,
    cursor: Cursor,
    times: dict[int, int],
    causes: Mapping[int, CauseWords],
    victims: Iterable[Victim] = (),
    reasons: Mapping[int, str] = MappingProxyType({}),
) -> list[HistoryLine]:
    """Return the lines by seq: the last one at or before the cursor has `is_here`, later ones have `is_ahead`.

    `times` are the virtual moments of other pods' cycles, by number; `causes` the causes of moves, by their seqs;
    `victims` those of the pod's own preemptions, `reasons` who refused in which of its cycles.
    """
    lines = [_attempt(cycle, reasons.get(cycle.number, "")) for cycle in history.cycles]
    lines += [replace(_move(move), cause=causes.get(move.seq)) for move in moves_with_a_line(history)]
    evicted: dict[int, list[Evicted]] = {}
    for victim in victims:
        if not victim.reprieved:
            evicted.setdefault(victim.cycle, []).append(Evicted(victim.pod, victim.pod_uid or ""))
    lines += [_preemption(one, tuple(evicted.get(one.cycle, ()))) for one in history.preemptions if one.node]
    lines += [_eviction(victim, times) for victim in history.evictions]
    return _marked(_with_effects(sorted(lines, key=lambda line: line.seq)), cursor)


def _with_effects(lines: list[HistoryLine]) -> list[HistoryLine]:
    """Give each line those whose cause lies in it."""
    effects_by_line: dict[int, list[Effect]] = {}
    for line in lines:
        seq = line.cause.number if line.cause else None
        # The narrowest: an attempt has its preemption in it.
        among = (i for i, one in enumerate(lines) if seq is not None and (one.begins or one.seq) <= seq <= one.seq)
        at = max(among, key=lambda i: lines[i].begins or lines[i].seq, default=None)
        if at is not None and lines[at] is not line:
            effects_by_line.setdefault(at, []).append(Effect(line.title, line.seq))
    return [replace(line, effects=tuple(effects_by_line.get(i, ()))) for i, line in enumerate(lines)]


def _preemption(row: Preemption, victims: tuple[Evicted, ...]) -> HistoryLine:
    why = CRITERION_LABELS.get(row.criterion, row.criterion).lower()
    leave = "leaves" if row.victims == 1 else "leave"
    detail = f"{plural(row.victims, 'victim')} {leave}, decided by: {why}"
    title = f"nominated to {row.node}"
    return HistoryLine(
        row.seq + 1, row.at_us, "nomin", "diamond", title, detail, row.cycle, "preemption", victims=victims
    )


def _eviction(row: Victim, times: dict[int, int]) -> HistoryLine:
    meaning, glyph, title = ("bound", "check", "reprieved") if row.reprieved else ("victim", "eject", "preempted")
    at = times.get(row.cycle)
    what, by = f"{title} on {row.node}", f"by {row.preemptor}"
    return HistoryLine(row.seq + 1, at, meaning, glyph, what, by, row.cycle, "preemption", other=row.preemptor)


def _attempt(cycle: Cycle, refused: str) -> HistoryLine:
    meaning, word = OUTCOMES.get(cycle.outcome, ("none", cycle.outcome))
    detail = f"on {cycle.node}" if cycle.node else refused or cycle.message
    glyph = {"bound": "check", "unsched": "x", "error": "alert"}.get(meaning, "dash")
    tab = "matrix" if cycle.outcome == "scheduled" else "why"
    title = f"attempt {cycle.attempt}: {word}"
    begins = cycle.first_seq + 1
    return HistoryLine(cycle.last_seq + 1, cycle.at_us, meaning, glyph, title, detail, cycle.number, tab, begins=begins)


def _move(move: QueueMove) -> HistoryLine:
    meaning, glyph = LANE_LOOKS.get(move.target, ("queue", "dot"))
    if not move.target and move.event != "Done":
        meaning, glyph = "none", "dash"
    title = f"to {LANES.get(move.target, move.target)}" if move.target else "leaves the queue"
    hint = f", by the QueueingHint of {move.plugin}" if move.plugin else ""
    return HistoryLine(move.seq + 1, move.at_us, meaning, glyph, title, f"{event_words(move.event)}{hint}")


def _marked(lines: list[HistoryLine], cursor: Cursor) -> list[HistoryLine]:
    here = max((i for i, line in enumerate(lines) if line.seq <= cursor.seq), default=-1)
    return [replace(line, is_here=i == here, is_ahead=i > here) for i, line in enumerate(lines)]
