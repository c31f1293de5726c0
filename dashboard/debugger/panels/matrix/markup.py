"""The rows of the matrix: nodes that fit, and the verdicts and scores in their cells."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from dashboard.common.pages.pattern import EMPTY, Pattern, joined
from dashboard.common.templatetags.schedscope import icon

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.utils.safestring import SafeString

    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.debugger.panels.matrix.cells import Fold, Row, ScoreCell
    from dashboard.debugger.panels.matrix.frame_view import FilterCell
    from dashboard.debugger.panels.matrix.view_model import Matrix

_ROW = Pattern('<tr class="{look}" data-node="{node}">{head}{verdicts}{scores}{end}</tr>\n')
_HEAD = Pattern(
    '<th class="first{here}" scope="row"><span class="node"><span class="rank{tied}" title="{title}">{rank}</span>'
    '<a class="node-link" href="{url}" title="{node}">{name}</a></span></th>'
)
_TOTAL = Pattern('<td class="tot">{total}</td>')
_DRAWN = Pattern('<td class="tot" title="{title}">{total}</td>')
_PASSED_ALL = Pattern('<td class="reason reason-wide"><span class="muted">passed all filters</span></td>')()
_PASSED_SO_FAR = Pattern('<td class="reason reason-wide"><span class="muted">passed so far</span></td>')()
_MARK = Pattern('<span class="m-{mark} f">{glyph}</span>')
_OK = Pattern('<td class="fc ok{here}" title="{title}">{said}</td>')
_VERDICT = Pattern('<td class="fc {look}{here}" title="{title}">{said}</td>')
_SCORE = Pattern('<td class="{look}">{value}</td>')
_STRIP = Pattern('<span class="fstrip">{cells}</span>')
_STRIP_CELL = Pattern('<span class="{look}" title="{title}">{glyph}{said}</span>')
_FOLD = Pattern(
    '<tr class="mx-equals{look}" data-node="{node}"><th class="first" scope="row"><a class="node" href="{url}" '
    'aria-expanded="{opened}"><span class="rank">{glyph}</span><span>{count} more equal</span></a></th>'
    '<td class="reason reason-wide" colspan="{width}"><span class="muted">{words}</span></td></tr>\n'
)
_FOLDED = Pattern('<tr class="mx-open"><td colspan="{width}"><div class="name-list">{names}{more}</div></td></tr>\n')
_FOLDED_NAME = Pattern('<a class="chip-link" href="{url}" title="{node}">{node}</a>')
_MORE = Pattern('<span class="muted">and {count} more; filter by name to find one</span>')
_SAID = Pattern('{glyph}<span class="sr">{label}</span>')
_READ = Pattern('<span class="sr">{text}</span>')


def node_rows(matrix: Matrix, cursor: Cursor) -> SafeString:
    """Return the <tr> of each node that fits, and of those folded behind it; the cursor's node has its cell marked."""
    view = cursor.view
    to_node = cursor.urls("node", plugin="", page=view.page)
    # Nodes that fit passed every filter, so most rows share their verdicts.
    verdicts: dict[int, SafeString] = {}
    rows = []
    for row in matrix.rows:
        is_here = row.node == view.node
        plugin = view.plugin if is_here else ""
        same = -1 if is_here else id(row.filters)
        if same not in verdicts:
            verdicts[same] = filter_cells(row.filters, plugin)
        rows.append(
            _ROW(
                look=_look(row),
                node=row.node,
                head=_head(matrix, row, is_here, to_node(row.node)),
                verdicts=verdicts[same],
                scores=score_cells(row.scores, plugin),
                end=_end(matrix, row),
            )
        )
        if row.fold is not None:
            rows.append(_fold(matrix, row, row.fold, cursor))
    return joined(rows)


def _fold(matrix: Matrix, row: Row, fold: Fold, cursor: Cursor) -> SafeString:
    """The line of the nodes equal to the row's; below it their names where it is open."""
    page = cursor.view.page
    line = _FOLD(
        look=" is-tie" if row.is_equal else "",
        node=fold.first,
        url=cursor.url(open="" if fold.is_open else fold.key, node="", plugin="", page=page),
        opened="true" if fold.is_open else "false",
        glyph=glyph("down" if fold.is_open else "right"),
        count=grouped(fold.count),
        width=matrix.width,
        words="the same verdicts and scores" if matrix.has_totals else "the same verdicts",
    )
    if not fold.is_open:
        return line
    to_node = cursor.urls("node", plugin="", page=page, open=fold.key)
    names = joined(_FOLDED_NAME(url=to_node(name), node=name) for name in fold.names)
    more = _MORE(count=grouped(fold.more)) if fold.more else EMPTY
    return joined([line, _FOLDED(width=matrix.width + 1, names=names, more=more)])


def _look(row: Row) -> str:
    """The winner's row, the runner-up's, and the edge of those with the winner's total."""
    look = {"win": "is-win", "second": "is-second"}.get(row.mark, "")
    return f"{look} is-tie".strip() if row.is_equal else look


def _head(matrix: Matrix, row: Row, is_here: bool, url: str) -> SafeString:
    return _HEAD(
        here=" is-node" if is_here else "",
        tied=" m-tie f" if row.is_equal and row.mark != "win" else "",
        title=f"{grouped(row.tied)} nodes share rank {grouped(row.rank)}" if row.tied > 1 else "",
        rank=_rank(row),
        url=url,
        node=row.node,
        name=matrix.names.html(row.node),
    )


def _rank(row: Row) -> SafeString | str:
    if row.mark == "win":
        return _MARK(mark="win", glyph=glyph("star", label="winner"))
    if row.is_equal:
        return glyph("equal", label="same total as the winner")
    if row.mark == "second":
        return _MARK(mark="second", glyph=glyph("two", label="runner-up"))
    return ("=" if row.tied > 1 else "") + grouped(row.rank) if row.rank else ""


def _end(matrix: Matrix, row: Row) -> SafeString:
    if not matrix.columns:
        return _PASSED_SO_FAR if matrix.ahead else _PASSED_ALL
    if row.total is None:
        return _TOTAL(total="")
    if row.is_equal and row.mark == "win":
        return _DRAWN(title=f"drawn from {grouped(row.tied)} nodes with this total", total=grouped(row.total))
    return _TOTAL(total=grouped(row.total))


def filter_cells(cells: Iterable[FilterCell], plugin: str = "") -> SafeString:
    """Return the <td> of each verdict; its title says it to pointer and reader. The cursor is at `plugin`."""
    return joined(_filter_cell(cell, cell.plugin == plugin) for cell in cells)


def _filter_cell(cell: FilterCell, is_here: bool) -> SafeString:
    here = " at" if is_here else ""
    if cell.look == "ok":
        return _OK(here=here, title=cell.title, said=glyph(cell.glyph))
    said = _SAID(glyph=glyph(cell.glyph), label=cell.label)
    return _VERDICT(look=cell.look, here=here, title=cell.title, said=said)


def score_cells(cells: Iterable[ScoreCell], plugin: str = "") -> SafeString:
    """Return the <td> of each score; `plugin` is the cell under the cursor."""
    markups = []
    for i, cell in enumerate(cells):
        look = _SCORE_LOOKS.get(cell.look) or f"sc {cell.look}"
        if not i:
            look += " sc-first"
        if cell.plugin == plugin:
            look += " at"
        markups.append(_score(look, cell.value))
    return joined(markups) if markups else EMPTY


_SCORE_LOOKS = {"": "sc"}


@lru_cache(maxsize=4096)
def _score(look: str, value: int | None) -> SafeString:
    """A cell; columns repeat their values."""
    return _SCORE(look=look, value="" if value is None else value)


def strip(cells: Iterable[FilterCell]) -> SafeString:
    """Return the verdicts of a group as a row of glyphs."""
    return _STRIP(
        cells=joined(
            _STRIP_CELL(look=cell.look, title=cell.title, glyph=glyph(cell.glyph), said=_READ(text=cell.title))
            for cell in cells
        )
    )


@cache
def glyph(name: str, cls: str = "", label: str = "") -> SafeString:
    """Return an icon, nothing for no name."""
    return icon(name, label, cls) if name else EMPTY
