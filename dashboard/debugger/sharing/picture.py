"""The decision at a cursor as an image: its note, the nodes with their points or refusals, and its address.

It is an SVG made of text and boxes, in light colours, with the fonts of the machine that shows it. Every text has
passed through the note's `printable`, and the template escapes it.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.template.loader import render_to_string

from dashboard.common.pages.notes import Foreign, plain
from dashboard.common.pages.numbers import grouped, plural
from dashboard.debugger.sharing.decision import best_nodes, decision_note

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dashboard.debugger.page import CursorPage
    from dashboard.debugger.panels.matrix.frame_view import FrameView

# The form of the image, beside those of notes.
IMAGE = "svg"
MOST_NODES = 8
# An image shows no more lines of a note than these; its text has them all.
MOST_LINES = 24
WIDTH, MARGIN, LINE, ROW = 760, 24, 20, 26
# Where the bars of nodes begin and how long the longest is; characters that fit into a line and before the bars.
BAR_X, BAR_WIDTH, CHARS, TITLE_CHARS, NAME_CHARS, SAID_CHARS = 250, 320, 104, 76, 32, 68
# Nothing in it runs or is fetched, however it is opened.
POLICY = "default-src 'none'; sandbox"


@dataclass(frozen=True)
class PictureNode:
    """A node: what is said of it, and the length of its bar in pixels where it has points; `look` is win, fit or no."""

    name: str
    said: str
    look: str
    y: int
    bar: int = 0


@dataclass(frozen=True)
class PictureText:
    """A line of text and its height in the image."""

    text: str
    y: int


@dataclass(frozen=True)
class DecisionPicture:
    """The image's parts from above; `more` says how many nodes it leaves out."""

    titles: list[PictureText]
    lines: list[PictureText]
    nodes: list[PictureNode]
    more: PictureText | None
    urls: list[PictureText]
    height: int
    width: int = WIDTH
    margin: int = MARGIN
    bar_x: int = BAR_X


def picture_of(page: CursorPage, site: str) -> DecisionPicture:
    """Return the image of the decision at the page's cursor; `site` as in `decision_note`."""
    note = decision_note(page, site)
    y = MARGIN
    titles = list(_placed(_wrapped([plain(note.title)], TITLE_CHARS), y + 4, LINE + 4))
    y += len(titles) * (LINE + 4) + 8
    wrapped = _wrapped((plain(line) for line in note.lines), CHARS)
    shown = [*wrapped[:MOST_LINES], "…"] if len(wrapped) > MOST_LINES else wrapped
    lines = list(_placed(shown, y, LINE))
    y += len(lines) * LINE + 8
    nodes, n_more = _nodes(page, y)
    y += len(nodes) * ROW
    more = PictureText(f"and {plural(n_more, 'more node')}", y + 14) if n_more else None
    y += (LINE if more else 0) + (12 if nodes else 0)
    urls = list(_placed(_wrapped([note.url], CHARS), y, LINE))
    return DecisionPicture(titles, lines, nodes, more, urls, y + len(urls) * LINE + MARGIN // 2)


def picture_response(page: CursorPage, site: str) -> HttpResponse:
    """Return the image as a file to keep, which a browser that opens it neither runs nor lets fetch anything."""
    svg = render_to_string("debugger/sharing/decision.svg", {"picture": picture_of(page, site)})
    response = HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{_file_name(page)}.svg"'
    response["Content-Security-Policy"] = POLICY
    response["Cache-Control"] = "private, no-store"
    return response


def _file_name(page: CursorPage) -> str:
    cycle = page.attempt.cycle
    at = f"cycle-{cycle.row.number}" if cycle is not None else f"event-{page.cursor.seq}"
    return f"run-{page.run.number}-{at}"


# ---------------------------------------------------------------- nodes


def _nodes(page: CursorPage, y: int) -> tuple[list[PictureNode], int]:
    """Return the nodes from above, and how many are left out: those with points, else those that refused the pod."""
    frame, cycle = page.attempt.frame, page.attempt.cycle
    if frame is None or cycle is None:
        return [], 0
    is_scored = page.attempt.waterfall is not None
    rows = _scored(frame, cycle.winner) if is_scored else _refused(frame)
    nodes = [
        PictureNode(_cut(plain((Foreign(name),)), NAME_CHARS), _cut(said, SAID_CHARS), look, y + i * ROW, bar)
        for i, (name, said, look, bar) in enumerate(rows)
    ]
    return nodes, len(frame.feasible if is_scored else frame.refused) - len(nodes)


def _scored(frame: FrameView, winner: str) -> list[tuple[str, str, str, int]]:
    """The best nodes: name, points, look and length of the bar; ties by name, with the chosen node first."""
    totals = best_nodes(frame, winner)[:MOST_NODES]
    most = max(totals[0][0], 1)
    return [
        (name, grouped(total), "win" if name == winner else "fit", max(BAR_WIDTH * total // most, 1))
        for total, name in totals
    ]


def _refused(frame: FrameView) -> list[tuple[str, str, str, int]]:
    """The first nodes that refused the pod: name, who refused it and why, look, no bar."""
    rows = []
    for row in frame.refused[:MOST_NODES]:
        cell = next((one for one in frame.cells(row) if one.look in ("no", "nores")), None)
        said = plain((Foreign(f"{cell.plugin}: {cell.reason or cell.label}"),)) if cell is not None else ""
        rows.append((frame.names[row], said, "no", 0))
    return rows


# ---------------------------------------------------------------- text


def _wrapped(texts: Iterable[str], chars: int) -> list[str]:
    return [line for text in texts for line in textwrap.wrap(text, chars, break_on_hyphens=False) or [""]]


def _placed(texts: Iterable[str], y: int, step: int) -> Iterator[PictureText]:
    for i, text in enumerate(texts):
        yield PictureText(text, y + i * step + 14)


def _cut(text: str, chars: int) -> str:
    return text if len(text) <= chars else f"{text[: chars - 1]}…"
