"""A pod's history in a few lines: attempts, queue moves and evictions up to the cursor, as the tab Story lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.common.pages.notes import Foreign, Line, Note
from dashboard.common.pages.numbers import grouped, plural, virtual_time
from dashboard.common.problems import NotFound
from dashboard.debugger.sharing.decision import where_line
from dashboard.debugger.sharing.short_views import short_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard.debugger.page import CursorPage
    from dashboard.debugger.panels.pod_history import HistoryLine

# The last of them; what came before is counted.
MOST_LINES = 20


def story_note(page: CursorPage, site: str) -> Note:
    """Return the selected pod's history up to the cursor; raises NotFound where no pod is selected."""
    history = page.pod.history
    if history is None:
        raise NotFound("No pod is selected at this moment.")
    past = [line for line in page.pod.history_lines if not line.is_ahead]
    attempts = sum(1 for cycle in history.cycles if cycle.first_seq < page.cursor.seq)
    so_far = "at least " if history.is_cut else ""
    title = (Foreign(history.pod), f": {so_far}{plural(attempts, 'attempt')} up to event {grouped(page.cursor.seq)}")
    lines = [*_lines(past), where_line(page.run)]
    return Note(title, tuple(lines), f"{site}{short_path(page.cursor)}")


def _lines(past: list[HistoryLine]) -> Iterator[Line]:
    if not past:
        yield ("Nothing of this pod is recorded up to here.",)
    if len(past) > MOST_LINES:
        yield (f"{plural(len(past) - MOST_LINES, 'line')} before these",)
    for line in past[-MOST_LINES:]:
        at = f"{virtual_time(line.at, 1_000_000)} " if line.at is not None else ""
        detail = (", ", Foreign(line.detail)) if line.detail else ()
        cycle = f" (cycle {grouped(line.cycle)})" if line.cycle else ""
        yield (at, Foreign(line.title), *detail, cycle)
