"""Tags of the debugger's templates: addresses of cursors, cells of the matrix, doors to rooms that may be absent."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from django import template
from django.urls import NoReverseMatch, reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from dashboard.common.templatetags.schedscope import icon
from dashboard.debugger.words import seconds, split_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.debugger.matrix import FilterCell, ScoreCell

register = template.Library()


@register.simple_tag(takes_context=True)
def at(context: template.Context, **changes: Any) -> str:
    """Return the address of the page's cursor with some of its fields changed: {% at tab="why" %}."""
    return context["cursor"].url(**changes)


@register.simple_tag
def url_or_none(name: str, *args: Any, **kwargs: Any) -> str:
    """Return the address of a view, "" where no such room exists yet."""
    try:
        return reverse(name, args=args or None, kwargs=kwargs or None)
    except NoReverseMatch:
        return ""


@register.simple_tag
def filter_cells(cells: Iterable[FilterCell], plugin: str = "") -> SafeString:
    """Return the <td> of each verdict, with a sentence for pointer and reader; the cursor is at `plugin`."""
    return mark_safe("".join(_filter_cell(cell, cell.plugin == plugin) for cell in cells))


@cache
def _glyph(name: str) -> str:
    return str(icon(name))


def _filter_cell(cell: FilterCell, is_here: bool) -> str:
    here = " at" if is_here else ""
    title, glyph = escape(cell.title), _glyph(cell.glyph)
    said = f'{glyph}<span class="sr">{escape(cell.words)}</span>'
    if cell.look == "ok":
        return f'<td class="fc{here}" title="{title}"><span class="ok">{said}</span></td>'
    return f'<td class="fc {cell.look}{here}" title="{title}">{said}</td>'


@register.simple_tag
def score_cells(cells: Iterable[ScoreCell], plugin: str = "") -> SafeString:
    """Return the <td> of each score; `plugin` is the cell under the cursor."""
    found = []
    for i, cell in enumerate(cells):
        look = " ".join(part for part in ("sc", "sc-first" if i == 0 else "", cell.look) if part)
        here = " at" if cell.plugin == plugin else ""
        found.append(f'<td class="{look}{here}">{cell.value}</td>')
    return mark_safe("".join(found))


@register.simple_tag
def strip(cells: Iterable[FilterCell]) -> SafeString:
    """Return the verdicts of a group as a row of glyphs."""
    spans = "".join(
        f'<span class="{cell.look}" title="{escape(cell.title)}">{_glyph(cell.glyph)}'
        f'<span class="sr">{escape(cell.title)}</span></span>'
        for cell in cells
    )
    return format_html('<span class="fstrip">{}</span>', mark_safe(spans))


@register.filter
def span(micros: int | None) -> str:
    """Microseconds of virtual time -> "1.4 s"."""
    return seconds(micros) if micros is not None else "unknown"


@register.filter
def bare(name: str) -> str:
    """A resource's name without its domain: "nvidia.com/gpu" -> "gpu"."""
    return name.rpartition("/")[2]


@register.filter
def pod_name(key: str) -> str:
    """namespace/name -> name."""
    return split_key(key)[1]


@register.filter
def pod_namespace(key: str) -> str:
    """namespace/name -> namespace."""
    return split_key(key)[0]


# Of longer names the end is kept where room is short: it tells the pods of one owner apart.
TAIL = 10


@register.filter
def tailed(name: str) -> SafeString:
    """Return a name for a narrow place: what does not fit is left out before its last letters, never of them.

    A name with dots ends in a domain that many share, so there the beginning is kept.
    """
    if len(name) <= 2 * TAIL or "." in name:
        return format_html('<span class="cut">{}</span>', name)
    return format_html(
        '<span class="tailed"><span class="cut">{}</span><span>{}</span></span>', name[:-TAIL], name[-TAIL:]
    )


@register.filter
def get(mapping: dict[Any, Any], key: Any) -> Any:
    """Return mapping[key], None where it is absent."""
    return mapping.get(key)
