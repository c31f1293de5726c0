"""What is sent of a comparison: its short address, and where both runs part in a few lines.

A short address names both runs, and both cycles where the cursors stand: /w/team/compare/12/14/ or
/w/team/compare/12/14/c/28/31/. It follows from the full one alone. They are out in chats: never change their meaning.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from django.urls import reverse

from dashboard.answers.outcomes import Answer, Failed
from dashboard.common.pages.notes import Foreign, Line, Note
from dashboard.common.pages.numbers import grouped, plural
from dashboard.common.problems import Conflict
from dashboard.compare.page import ComparisonPage
from dashboard.compare.pod_rows import TITLES
from scheduler_core.recording.times import clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard.answers.panel import AnswerPanel
    from dashboard.compare.address import AskedComparison, ComparedRun
    from dashboard.compare.decisions.side import CursorSide

NOTE_SECONDS = 8.0


def short_path(asked: AskedComparison) -> str:
    """Return the short path, or the full one where it would lose a moment, the list's filter or its page."""
    is_plain = not (asked.every or asked.group or asked.q or asked.page > 1)
    if not is_plain or asked.a.until is not None or asked.b.until is not None:
        return asked.url()
    runs = asked.slug, asked.a.run.number, asked.b.run.number
    if not asked.a_cycle and not asked.b_cycle:
        return reverse("compare:short", args=runs)
    return reverse("compare:short_at", args=[*runs, asked.a_cycle, asked.b_cycle])


def comparison_note(asked: AskedComparison, site: str) -> Note:
    """Return where the runs part, how many pods differ, and both decisions where the cursors stand.

    Raises Conflict where that takes longer than a request waits, NotFound, RecordingError and InputError.
    """
    page = ComparisonPage(asked, {}, NOTE_SECONDS)
    title = ("A ", *_run(asked.a), " against B ", *_run(asked.b))
    at_cursors = page.sides if asked.a_cycle or asked.b_cycle else None
    lines = [*_parting(page), *_pods(asked), *(_decision(side) for side in at_cursors or ())]
    return Note(title, tuple(lines), f"{site}{short_path(asked)}")


def _run(side: ComparedRun) -> Line:
    name = (" ", Foreign(side.run.name)) if side.run.name else ()
    until = f" up to event {grouped(side.until)}" if side.until is not None else ""
    return (f"run {side.run.number}", *name, " of ", Foreign(str(side.run.revision)), until)


def _parting(page: ComparisonPage) -> Iterator[Line]:
    _ready(page.divergence)
    first = page.first
    assert first is not None
    if first.divergence is None:
        yield (first.same_text,)
    else:
        yield (f"First divergence: event {grouped(first.divergence.seq)}",)
    for side in first.sides:
        at = f" at {clock(side.at_us)}" if side.at_us is not None else ""
        yield (f"{side.letter}{at}: ", Foreign(side.text))
    if first.cause_text:
        yield ("Cause: ", Foreign(first.cause_text))


def _pods(asked: AskedComparison) -> Iterator[Line]:
    """How many pods differ, by how; a large run is read in several turns."""
    until, turn = time.monotonic() + NOTE_SECONDS, 0
    while (left := until - time.monotonic()) > 0:
        figures = ComparisonPage(asked, {"turn": str(turn)}, left).figures
        _ready(figures.panel)
        if figures.answer is None:
            turn += 1
            continue
        answer = figures.answer.value
        yield (f"{grouped(sum(answer.groups.values()))} of {plural(answer.n_pods, 'pod')} differ",)
        for group, n in answer.groups.items():
            yield (f"{TITLES[group]}: {grouped(n)}",)
        return
    raise _late()


def _decision(side: CursorSide) -> Line:
    return (f"{side.letter}, attempt {side.attempt} of ", Foreign(side.pod), ": ", Foreign(side.text))


def _ready(panel: AnswerPanel) -> None:
    if isinstance(panel.outcome, Failed):
        raise Conflict(panel.outcome.text)
    if not isinstance(panel.outcome, Answer):
        raise _late()


def _late() -> Conflict:
    return Conflict("Both recordings are still being read. Copy it when the page shows its figures.")
