"""The markup of rows that come by the dozen: pods of a lane, nodes of the matrix, their cells.

As templates these took half of the time of a page. Whatever comes from a recording is escaped here.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from django.utils.html import escape

from dashboard.common.pages.numbers import grouped
from dashboard.common.templatetags.schedscope import bar, icon

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.debugger.panels.matrix.frame_view import FilterCell
    from dashboard.debugger.panels.matrix.view_model import Matrix, Row, ScoreCell
    from dashboard.debugger.panels.queue_board import BoardLane, BoardPod

# Of longer names the end is kept where room is short: it tells the pods of one owner apart.
TAIL = 10


@cache
def glyph(name: str, cls: str = "", label: str = "") -> str:
    """Return an icon."""
    return str(icon(name, label, cls))


def tailed(name: str) -> str:
    """Return a name for a narrow place: what does not fit is left out before its last letters, never of them.

    A name with dots ends in a domain that many share, so there the beginning is kept.
    """
    if len(name) <= 2 * TAIL or "." in name:
        return f'<span class="cut">{escape(name)}</span>'
    head, tail = escape(name[:-TAIL]), escape(name[-TAIL:])
    return f'<span class="tailed"><span class="cut">{head}</span><span>{tail}</span></span>'


# ---------------------------------------------------------------- pods of a lane


def pod_rows(lane: BoardLane, cursor: Cursor) -> str:
    """Return the link of each pod of the lane: to its story, of the one under the cursor to its matrix."""
    story, here = cursor.urls("pod", tab="story"), cursor.url(pod="", tab="matrix")

    def url(pod: BoardPod) -> str:
        if pod.is_cursor:
            return here
        return cursor.url(pod=pod.key, uid=pod.uid, tab="story") if pod.uid else story(pod.key)

    return "".join(_pod_row(lane, pod, url(pod)) for pod in lane.pods)


def _pod_row(lane: BoardLane, pod: BoardPod, url: str) -> str:
    is_flying, strong = lane.name == "flying", " strong" if pod.is_cursor else ""
    look = (" pod-2" if pod.why else "") + (" is-cursor" if pod.is_cursor else " is-moved" if pod.is_moved else "")
    nominated = f", nominated to {escape(pod.nominated)}" if pod.nominated else ""
    more = f": {escape(pod.title)}" if pod.title else ""
    left = bar(pod.share, pod.meta, "countdown") if pod.share is not None else ""
    meta = tailed(pod.meta) if is_flying else escape(pod.meta)
    return (
        f'<a class="pod{look}" href="{escape(url)}" title="{escape(pod.key)}{nominated}{more}">{_place(lane, pod)}'
        f'<span class="pod-name{strong}">{tailed(pod.name)}</span>'
        f'<span class="meta cut{" meta-name" if is_flying else ""}">{left}{meta}</span>{_why(pod)}</a>\n'
    )


def _place(lane: BoardLane, pod: BoardPod) -> str:
    if pod.is_cursor:
        return f'<span class="pos m-cursor f">{glyph("play", "i-12")}</span>'
    if pod.nominated:
        return f'<span class="pos m-nomin f">{glyph("diamond", "i-12", "nominated")}</span>'
    return f'<span class="pos">{escape(pod.place) or glyph(lane.glyph, "i-12")}</span>'


def _why(pod: BoardPod) -> str:
    if not pod.why:
        return ""
    wakes = escape(pod.wakes)
    title = f"{escape(pod.refused_by)} wakes on {wakes}"
    return f'<span class="why cut" title="{title}"><b>{escape(pod.why)}</b> <span>wakes on {wakes}</span></span>'


# ---------------------------------------------------------------- nodes of the matrix


def node_rows(matrix: Matrix, cursor: Cursor) -> str:
    """Return the <tr> of each node that fits; the row of the cursor's node has its cell marked."""
    view = cursor.view
    to_node = cursor.urls("node", plugin="", page=view.page)
    # Nodes that fit passed every filter, so most rows share their verdicts.
    verdicts: dict[int, str] = {}
    rows = []
    for row in matrix.rows:
        is_here = row.node == view.node
        plugin = view.plugin if is_here else ""
        if is_here or id(row.filters) not in verdicts:
            verdicts[-1 if is_here else id(row.filters)] = filter_cells(row.filters, plugin)
        total = f'<td class="tot">{grouped(row.total)}</td>' if matrix.columns else ""
        cells = verdicts[-1 if is_here else id(row.filters)] + score_cells(row.scores, plugin) + total
        rows.append(f"{_node_head(row, is_here, to_node(row.node))}{cells}</tr>\n")
    return "".join(rows)


def _node_head(row: Row, is_here: bool, url: str) -> str:
    name, tied = escape(row.node), row.tied > 1
    look = {"win": "is-win", "second": "is-second"}.get(row.mark, "")
    title = f' title="{grouped(row.tied)} nodes share rank {row.rank}"' if tied else ""
    return (
        f'<tr class="{look}" data-node="{name}"><th class="first{" is-node" if is_here else ""}" scope="row">'
        f'<span class="node"><span class="rank{" m-tie f" if tied and row.mark != "win" else ""}"{title}>{_rank(row)}'
        f'</span><a class="node-link" href="{escape(url)}" title="{name}">{tailed(row.node)}</a></span></th>'
    )


def _rank(row: Row) -> str:
    if row.mark == "win":
        return f'<span class="m-win f">{glyph("star", label="winner")}</span>'
    if row.mark == "second" and row.tied < 2:
        return f'<span class="m-second f">{glyph("two", label="runner-up")}</span>'
    return ("=" if row.tied > 1 else "") + grouped(row.rank) if row.rank else ""


def filter_cells(cells: Iterable[FilterCell], plugin: str = "") -> str:
    """Return the <td> of each verdict, with a sentence for pointer and reader; the cursor is at `plugin`."""
    return "".join(_filter_cell(cell, cell.plugin == plugin) for cell in cells)


def _filter_cell(cell: FilterCell, is_here: bool) -> str:
    here, title = " at" if is_here else "", escape(cell.title)
    said = f'{glyph(cell.glyph)}<span class="sr">{escape(cell.label)}</span>'
    if cell.look == "ok":
        return f'<td class="fc{here}" title="{title}"><span class="ok">{said}</span></td>'
    return f'<td class="fc {cell.look}{here}" title="{title}">{said}</td>'


def score_cells(cells: Iterable[ScoreCell], plugin: str = "") -> str:
    """Return the <td> of each score; `plugin` is the cell under the cursor."""
    found = []
    for i, cell in enumerate(cells):
        first, look = " sc-first" if i == 0 else "", f" {cell.look}" if cell.look else ""
        here = " at" if cell.plugin == plugin else ""
        found.append(f'<td class="sc{first}{look}{here}">{cell.value}</td>')
    return "".join(found)


def strip(cells: Iterable[FilterCell]) -> str:
    """Return the verdicts of a group as a row of glyphs."""
    spans = []
    for cell in cells:
        title = escape(cell.title)
        spans.append(
            f'<span class="{cell.look}" title="{title}">{glyph(cell.glyph)}<span class="sr">{title}</span></span>'
        )
    return f'<span class="fstrip">{"".join(spans)}</span>'
