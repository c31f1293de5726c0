"""What a cycle decided, and a pod's history, in a few lines, from the same recorded data as the panels of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.common.pages.notes import Foreign, Line, Note, run_parts
from dashboard.common.pages.numbers import grouped, plural
from dashboard.common.problems import NotFound
from dashboard.debugger.labels import OUTCOMES
from dashboard.debugger.page import CursorPage
from dashboard.debugger.sharing.short_views import short_path
from scheduler_core.recording.times import clock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.debugger.panels.cycle.view_model import CycleView
    from dashboard.debugger.panels.matrix.frame_view import FrameView
    from dashboard.debugger.panels.pod_history import HistoryLine
    from dashboard.runs.models import Run

BEST_NODES = 3
REASONS = 5


def recorded_page(cursor: Cursor) -> CursorPage:
    """Return the page of a cursor from recorded data alone: without sizes, its texts are the same for every reader."""
    return CursorPage(cursor, lambda _: None)


def decision_words(page: CursorPage) -> Line:
    """Return the outcome of an attempt as one sentence, from what its cycle has recorded up to the cursor."""
    cycle, fall = page.attempt.cycle, page.attempt.waterfall
    assert cycle is not None
    winner, state = Foreign(cycle.winner), page.attempt.why_state
    if state == "decided" and fall is not None:
        lead = (f", {plural(fall.lead or 0, 'point')} ahead of ", Foreign(cycle.second)) if cycle.second else ()
        decided = [line.plugin for line in fall.falls if line.decided]
        by = (" Without ", *_names(decided), " another node would have won.") if decided else ()
        return (winner, f" with {grouped(fall.nodes[0].total)} points", *lead, ".", *by)
    if state == "drawn" and fall is not None:
        return (winner, f", drawn among {grouped(fall.n_ties)} nodes with {grouped(fall.nodes[0].total)} points.")
    if state == "nominated":
        return (winner, ", where room was made for it.")
    if state == "only":
        return (winner, ", the only node that fitted.")
    if state == "rejected" and page.attempt.rejected is not None:
        refused = Foreign(page.attempt.rejected.plugin), Foreign(page.attempt.rejected.text)
        return (refused[0], " refused it before any node was looked at: ", refused[1], ".")
    if state == "refused" and page.attempt.refusals is not None:
        nodes = f"Nothing fits: 0 of {plural(page.attempt.refusals.n_nodes, 'node')}."
        return (nodes, *_preemption(page))
    if state == "open":
        return ("Nothing is decided yet.",)
    return (Foreign(page.attempt.ended_title), ".")


def _names(names: Sequence[str]) -> Iterator[str]:
    """Names as a sentence lists them, as `labels.listed` does."""
    for i, name in enumerate(names):
        if i:
            yield " and " if i == len(names) - 1 else ", "
        yield Foreign(name)


def _preemption(page: CursorPage) -> Line:
    panel = page.attempt.preemption
    if panel is None:
        return ()
    if panel.chosen is not None:
        leave = f" {plural(panel.chosen.count, 'victim')} leave{'s' if panel.chosen.count == 1 else ''} "
        return (leave, Foreign(panel.chosen.node), f". {panel.how}")
    return (" No eviction makes room for it." if panel.event.eligible else " It may not preempt.",)


# ---------------------------------------------------------------- a few lines


def decision_note(page: CursorPage, site: str) -> Note:
    """Return the decision at the cursor in a few lines; before the pod's first attempt, its place in the queue.

    `site` is the address of this installation, before every path.
    """
    lines = [*_lines(page), where_line(page.run, page.moment.state.at)]
    return Note(tuple(_title(page)), tuple(lines), f"{site}{short_path(page.cursor)}")


def where_line(run: Run, at_us: int | None = None) -> Line:
    """Return the run, and the virtual time `at_us` in microseconds where there is one."""
    time = f", at {clock(at_us)}" if at_us is not None else ""
    return (*run_parts(run.number, run.name, str(run.revision)), time)


def _title(page: CursorPage) -> Iterator[str]:
    selected, cycle = page.moment.selection, page.attempt.cycle
    if not selected.pod:
        yield f"Run {page.run.number}: {page.moment.no_cycle[0][0].lower()}{page.moment.no_cycle[0][1:]}"
        return
    yield Foreign(selected.pod)
    if cycle is None:
        yield f", not tried before event {grouped(page.cursor.seq)}"
        return
    last = ", its last attempt so far" if selected.is_last_decision else ""
    yield f", cycle {grouped(cycle.row.number)}, attempt {cycle.row.attempt}{last}: "
    yield from _outcome(cycle)


def _outcome(cycle: CycleView) -> Iterator[str]:
    if cycle.is_done and cycle.row.node:
        yield Foreign(cycle.row.node)
    elif cycle.is_done:
        yield OUTCOMES.get(cycle.row.outcome, ("none", cycle.row.outcome))[1]
    else:
        yield "in progress"


def _lines(page: CursorPage) -> Iterator[Line]:
    if page.attempt.cycle is None:
        yield (Foreign(page.why.untried.place),) if page.why.untried else (Foreign(page.moment.no_cycle[1]),)
        return
    yield decision_words(page)
    yield from _cell(page)
    yield from _best(page)
    yield from _reasons(page)


def _cell(page: CursorPage) -> Iterator[Line]:
    """What was said of the node that the address names, by the plugin that it names."""
    cell = page.attempt.chosen_cell
    if cell is None or cell.kind == "missing":
        return
    node, plugin = Foreign(cell.node), Foreign(cell.plugin)
    if cell.score is not None:
        sum_text = f": {plural(cell.score.points, 'point')}, {cell.score.norm} by weight {cell.score.weight}"
        yield (plugin, " on ", node, sum_text)
    elif cell.verdict is not None:
        yield (plugin, " on ", node, ": ", Foreign(cell.verdict_text))
    elif cell.fits:
        points = f" with {plural(cell.total, 'point')}" if page.attempt.cycle and page.attempt.cycle.scored else ""
        yield (node, f" passed all filters{points}")
    else:
        refusing = [one for one in cell.cells if one.look in ("no", "nores")]
        yield from ((node, ": ", Foreign(one.title)) for one in refusing)


def best_nodes(frame: FrameView, winner: str) -> list[tuple[int, str]]:
    """Return the points and names of the nodes that fit, the best first; ties by name, with the chosen node first."""
    totals = [(int(frame.totals[row]), frame.names[row]) for row in frame.feasible]
    return sorted(totals, key=lambda one: (-one[0], one[1] != winner, one[1]))


def _best(page: CursorPage) -> Iterator[Line]:
    """The nodes with the highest scores."""
    frame, fall, cycle = page.attempt.frame, page.attempt.waterfall, page.attempt.cycle
    if frame is None or fall is None or cycle is None:
        return
    totals = best_nodes(frame, cycle.winner)
    yield ("Points: ", *_counted((name, total) for total, name in totals[:BEST_NODES]), _of_all(len(totals)))


def _counted(pairs: Iterable[tuple[str, int]]) -> Iterator[str]:
    for i, (name, total) in enumerate(pairs):
        yield from (", ",) if i else ()
        yield from (Foreign(name), f" {grouped(total)}")


def _of_all(n: int) -> str:
    return f" (best of {grouped(n)})" if n > BEST_NODES else ""


def _reasons(page: CursorPage) -> Iterator[Line]:
    """How many nodes were refused for each reason and by which plugin, the most frequent reason first."""
    is_placed = page.attempt.cycle is not None and bool(page.attempt.cycle.winner)
    refusals = page.attempt.recorded.refusals if page.attempt.recorded is not None and not is_placed else ()
    for one in refusals[:REASONS]:
        yield (f"{plural(one.count, 'node')}: ", Foreign(", ".join(one.reasons)), " (", Foreign(one.plugin), ")")
    if len(refusals) > REASONS:
        rest = sum(one.count for one in refusals[REASONS:])
        yield (f"{plural(rest, 'node')} for {plural(len(refusals) - REASONS, 'other reason')}",)


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
    lines = [*_history_lines(past), where_line(page.run)]
    return Note(title, tuple(lines), f"{site}{short_path(page.cursor)}")


def _history_lines(past: list[HistoryLine]) -> Iterator[Line]:
    if not past:
        yield ("Nothing of this pod is recorded up to here.",)
    if len(past) > MOST_LINES:
        yield (f"{plural(len(past) - MOST_LINES, 'line')} before these",)
    for line in past[-MOST_LINES:]:
        at = f"{clock(line.at)} " if line.at is not None else ""
        detail = (", ", Foreign(line.detail)) if line.detail else ()
        cycle = f" (cycle {grouped(line.cycle)})" if line.cycle else ""
        yield (at, Foreign(line.title), *detail, cycle)
