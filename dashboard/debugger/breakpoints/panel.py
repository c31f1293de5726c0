"""The list of breakpoints at a cursor: which stop this run, their numbers of hits, and which hit is at the cursor.

The page lists them without numbers, which are requested separately: a query that rows cannot answer is counted by an
answer worker, for a second per request.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.db.models import OuterRef, Subquery

from dashboard.answers.asking import answer_deadline, ask
from dashboard.answers.outcomes import Answer, Failed
from dashboard.answers.questions import HitNumberOf
from dashboard.common.pages.numbers import grouped, plural
from dashboard.debugger.breakpoints.places import moment_of
from dashboard.query.rows import is_of_rows, number_of_rows
from dashboard.runs.breakpoints.attachments import attached_to
from dashboard.runs.breakpoints.definitions import list_breakpoints, parsed
from dashboard.runs.models import AttachedBreakpoint, RunStop, State
from scheduler_core.query import Query

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.accounts.models import Workspace
    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.runs.models import Breakpoint, Run
    from scheduler_core.query.search import HitNumber

PATIENCE_SECONDS = 1.5


@dataclass(frozen=True)
class BreakpointLine:
    """One breakpoint of the workspace. `is_on`: it stops the run and takes part in navigation.

    `number` is the number of the hit at the cursor, None if unknown; `problem` says why.
    """

    breakpoint: Breakpoint
    is_attached: bool
    is_on: bool
    problem: str = ""
    number: HitNumber | None = None
    has_stopped_here: bool = False

    @property
    def query_title(self) -> str:
        """The whole query, and the hit count if it is not 1."""
        query, count = self.breakpoint.query, self.breakpoint.hit_count
        return query if count == 1 else f"{query} (a live run stops once in {grouped(count)} hits)"

    @property
    def is_here(self) -> bool:
        """Whether one of its hits is at the cursor, or it stopped the run there."""
        return self.has_stopped_here or (self.number is not None and self.number.here > 0)

    @property
    def is_counting(self) -> bool:
        """Whether part of the run is not counted yet."""
        return self.is_on and not self.problem and (self.number is None or not self.number.is_complete)

    @property
    def hits_text(self) -> str:
        """The number of its hits in the whole run."""
        if not self.is_on:
            return "off"
        if self.problem:
            return "not counted"
        if self.number is None:
            return "…"
        count = plural(self.number.total, "hit")
        return count if self.number.is_complete else f"{count} so far"

    @property
    def text(self) -> str:
        """The number of the hit at the cursor, else the number of hits."""
        number = self.number
        if not self.is_on or number is None or not number.here:
            return self.hits_text
        first, last = grouped(number.before + 1), grouped(number.before + number.here)
        which = f"hit {first}" if number.here == 1 else f"hits {first} to {last}"
        return f"{which} of {grouped(number.total)}" if number.is_complete else which


@dataclass(frozen=True)
class BreakpointPanel:
    """The list, those that are on first. `turn` is the next one of counting, None where nothing is left to count."""

    lines: list[BreakpointLine]
    turn: int | None = None

    @property
    def n_on(self) -> int:
        """How many stop this run."""
        return sum(line.is_on for line in self.lines)


def breakpoint_panel(workspace: Workspace, run: Run) -> BreakpointPanel:
    """Return the breakpoints of the workspace for the run, without counts."""
    attached = AttachedBreakpoint.objects.filter(run=run, breakpoint=OuterRef("pk")).values("is_enabled")
    breakpoints = list_breakpoints(workspace).annotate(is_enabled_here=Subquery(attached))
    lines = [_line(one, one.is_enabled_here) for one in breakpoints]
    return BreakpointPanel(sorted(lines, key=lambda line: not line.is_attached))


def queries_on(run: Run) -> dict[int, Query]:
    """Return the queries that are on for the run, by the key of their breakpoint; unreadable ones are left out."""
    lines = [_line(one.breakpoint, one.is_enabled) for one in attached_to(run)]
    queries = {line.breakpoint.pk: parsed(line.breakpoint.query) for line in lines if line.is_on}
    return {key: query for key, query in queries.items() if isinstance(query, Query)}


def _line(breakpoint_: Breakpoint, is_enabled_here: bool | None) -> BreakpointLine:
    """The line of a breakpoint; `is_enabled_here` says whether it is for the run, None if it is not attached."""
    is_on = bool(is_enabled_here) and breakpoint_.is_enabled
    query = parsed(breakpoint_.query)
    problem = "" if isinstance(query, Query) else query.text()
    return BreakpointLine(breakpoint_, is_enabled_here is not None, is_on, problem)


# ---------------------------------------------------------------- counting


def counted_panel(workspace: Workspace, cursor: Cursor, turn: int, asker: str) -> BreakpointPanel:
    """Return the list with the numbers of hits counted by this turn.

    Answer workers count one query at a time.
    """
    lines: list[BreakpointLine] = []
    stop = RunStop.objects.filter(run_id=cursor.run.pk).first() if cursor.run.state == State.STOPPED else None
    may_ask = True
    for line in breakpoint_panel(workspace, cursor.run).lines:
        if stop is not None and cursor.seq >= cursor.run.head.seq:
            is_stop = stop.breakpoint_id == line.breakpoint.pk or line.breakpoint.name in stop.others
            line = replace(line, has_stopped_here=line.is_attached and is_stop)
        counted = _counted(line, cursor, turn, asker, may_ask)
        may_ask = may_ask and (not counted.is_counting)
        lines.append(counted)
    return BreakpointPanel(lines, turn + 1 if _is_open(lines) else None)


def _counted(line: BreakpointLine, cursor: Cursor, turn: int, asker: str, may_ask: bool) -> BreakpointLine:
    query = parsed(line.breakpoint.query)
    if not line.is_on or not isinstance(query, Query):
        return line
    moment = moment_of(cursor, query.subject)
    if is_of_rows(cursor.run, query):
        return replace(line, number=number_of_rows(cursor.run, query, moment))
    if not may_ask:
        return line
    question = HitNumberOf(query.text, moment, turn)
    asked_by = f"{asker} {line.breakpoint.pk}"
    outcome = ask(cursor.run, question, answer_deadline(question), asker=asked_by, patience=PATIENCE_SECONDS)
    if isinstance(outcome, Answer):
        return replace(line, number=outcome.value)
    return replace(line, problem=outcome.text) if isinstance(outcome, Failed) else line


def _is_open(lines: Iterable[BreakpointLine]) -> bool:
    return any(line.is_counting for line in lines)
