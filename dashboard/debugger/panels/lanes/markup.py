"""The rows of a lane: links that select a pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.common.pages.names import ShortNames, short_names
from dashboard.common.pages.pattern import EMPTY, Pattern, joined
from dashboard.common.templatetags.schedscope import bar, icon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from django.utils.safestring import SafeString

    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.debugger.panels.lanes.board import BoardLane, BoardPod

_ROW = Pattern(
    '<a class="pod{look}" href="{url}" title="{title}"{current}>{place}'
    '<span class="pod-name{strong}">{name}</span>{meta}</a>\n'
)
_PLACE = Pattern('<span class="pos">{place}</span>')
_MARK = Pattern('<span class="pos m-{meaning} f">{glyph}</span>')
_META = Pattern('<span class="meta{look}">{left}{text}</span>')
_WAITS = Pattern('<span class="meta"><span class="pod-note cut only-wide">{note}</span>{waits}</span>')


def pod_rows(lane: BoardLane, cursor: Cursor, nodes: Iterable[str] = ()) -> SafeString:
    """Return a link for each pod of the lane that selects it; `nodes` are the names of all nodes, to shorten theirs."""
    names = short_names([pod.name for pod in lane.pods])
    of_nodes = short_names(list(nodes)) if any(pod.is_node for pod in lane.pods) else ShortNames()
    url = _selecting(cursor)
    return joined(_row(lane, pod, url(pod), names, of_nodes) for pod in lane.pods)


def _selecting(cursor: Cursor) -> Callable[[BoardPod], str]:
    """A function from a pod to the URL that selects it."""
    first = cursor.pod_urls()
    return lambda pod: cursor.pod_url(pod.key, pod.uid) if pod.uid else first(pod.key)


def _row(lane: BoardLane, pod: BoardPod, url: str, names: ShortNames, of_nodes: ShortNames) -> SafeString:
    look = " is-cursor" if pod.is_cursor else " is-moved" if pod.is_moved else ""
    return _ROW(
        look=look + (" is-selected" if pod.is_selected else ""),
        url=url,
        title=pod.title,
        current=_CURRENT if pod.is_selected else EMPTY,
        place=_place(lane, pod),
        strong=" strong" if pod.is_cursor or pod.is_selected else "",
        name=names.html(pod.name),
        meta=_meta(lane, pod, of_nodes),
    )


_CURRENT = Pattern(' aria-current="true"')()


def _place(lane: BoardLane, pod: BoardPod) -> SafeString:
    if pod.is_cursor:
        return _MARK(meaning="cursor", glyph=icon("play", "at the cursor", "i-12"))
    if pod.nominated:
        return _MARK(meaning="nomin", glyph=icon("diamond", "nominated", "i-12"))
    return _PLACE(place=icon(lane.head.glyph, cls="i-12") if lane.name == "flying" else pod.place)


def _meta(lane: BoardLane, pod: BoardPod, of_nodes: ShortNames) -> SafeString:
    """The text at the right: where the pod goes, how long it waits, or what it waits for."""
    if lane.name == "flying":
        text = joined(("\N{RIGHTWARDS ARROW} ", of_nodes.html(pod.note))) if pod.is_node else pod.note
        return _META(look=" meta-name", left="", text=text)
    if lane.name in ("active", "unschedulable"):
        return _WAITS(note=pod.note, waits=pod.waits)
    left = bar(pod.share, pod.note, "countdown") if pod.share is not None else ""
    return _META(look=" cut", left=left, text=pod.note)
