"""Short addresses of cursors: /w/team/runs/12/c/28/at/Filter/by/NodeName/on/node-3/show/why.

`c` stands before the number of a cycle, `s` before a seq; then come pairs of a part's name and its value, in any order.
An object at a moment is …/c/28/o/Pod/default/web-1/.

A short address is computed from the full one; nothing is stored for it. `static/debugger/short.js` computes it for the
address of the page, `short_path` for texts that the server writes; opening one redirects to the full address. People
keep such links in chats and tickets, so parts may be added but never renamed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.shortcuts import redirect
from django.urls import reverse

from dashboard.accounts.access import Access, workspace_view
from dashboard.common.http.params import shown
from dashboard.common.problems import BadQuery
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.runs.actions import find_run

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.debugger.cursor.cursor import Cursor

# {part of a short address: parameter of the full one}
PARAMETERS = {"at": "point", "call": "call", "by": "plugin", "on": "node", "of": "pod", "show": "tab"}
# How the sender's map stands and by what they step: nothing of what a link points at.
LEFT_OUT = {"map", "cluster", "table_sort", "table_page", "step"}
# What a segment holds as it is; other values (none of a valid object) stay in a query.
_SEGMENT = re.compile(r"[A-Za-z0-9][\w.-]*", re.ASCII)
_OBJECT = re.compile(r"[A-Za-z0-9][\w.:-]*", re.ASCII)
_POD = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)


@workspace_view()
def cycle(request: HttpRequest, access: Access, number: int, cycle: int, rest: str = "") -> HttpResponse:
    """Redirect to the end of a cycle, or to the part of it that `rest` names; raises NotFound, BadQuery."""
    return _led_to(access, number, {"cycle": str(cycle), **short_parameters(rest)})


@workspace_view()
def seq(request: HttpRequest, access: Access, number: int, seq: int, rest: str = "") -> HttpResponse:
    """Redirect to the state after the first `seq` events; raises NotFound, BadQuery."""
    return _led_to(access, number, {"seq": str(seq), **short_parameters(rest)})


@workspace_view()
def cycle_object(request: HttpRequest, access: Access, number: int, cycle: int, kind: str, key: str) -> HttpResponse:
    """Redirect to an object as it was at the end of a cycle; raises NotFound."""
    return _led_to_object(access, number, {"cycle": str(cycle)}, kind, key)


@workspace_view()
def seq_object(request: HttpRequest, access: Access, number: int, seq: int, kind: str, key: str) -> HttpResponse:
    """Redirect to an object as it was after the first `seq` events; raises NotFound."""
    return _led_to_object(access, number, {"seq": str(seq)}, kind, key)


def short_parameters(rest: str) -> dict[str, str]:
    """Return the parameters of the full address for the parts after the moment; raises BadQuery.

    A pod is written namespace:name, because slashes separate the parts.
    """
    segments = rest.strip("/").split("/") if rest else []
    if len(segments) % 2:
        raise BadQuery(f"The short address ends after {shown(segments[-1])}; a value must follow.")
    parameters: dict[str, str] = {}
    for part, value in zip(segments[::2], segments[1::2], strict=True):
        name = PARAMETERS.get(part)
        if name is None:
            raise BadQuery(f"A short address has no part {shown(part)}; parts are {', '.join(PARAMETERS)}.")
        if name in parameters:
            raise BadQuery(f"The short address has the part {part} twice.")
        parameters[name] = value.replace(":", "/", 1) if name == "pod" else value
    return parameters


def short_path(cursor: Cursor) -> str:
    """Return the short path of a cursor, or the full one where a short one cannot hold all of it, such as a filter."""
    rest, parts = "", {parameter: part for part, parameter in PARAMETERS.items()}
    for name, value in cursor.view.query().items():
        if name in LEFT_OUT:
            continue
        if name not in parts or not (_POD if name == "pod" else _SEGMENT).fullmatch(value):
            return cursor.url()
        rest += f"{parts[name]}/{value.replace('/', ':')}/"
    return f"{_moment_path(cursor)}{rest}"


def short_object_path(cursor: Cursor, kind: str, key: str) -> str:
    """Return the short path of an object at a cursor: …/c/28/o/Pod/default/web-1/; `key` is namespace/name, or a name.

    Returns the full path where the kind or the key cannot be that of a valid object.
    """
    if not all(_OBJECT.fullmatch(part) for part in (kind, *key.split("/"))):
        return _object_url(cursor, kind, key)
    return f"{_moment_path(cursor)}o/{kind}/{key}/"


def _moment_path(cursor: Cursor) -> str:
    moment = f"s/{cursor.seq}/" if cursor.named is None else f"c/{cursor.named}/"
    return f"{reverse('debugger:run', args=[cursor.slug, cursor.run.number])}{moment}"


def _object_url(cursor: Cursor, kind: str, key: str) -> str:
    moment = {"seq": cursor.seq} if cursor.named is None else {"cycle": cursor.named}
    path = reverse("debugger:object", args=[cursor.slug, cursor.run.number, kind])
    return f"{path}?{urlencode({**moment, 'key': key})}"


def _led_to_object(access: Access, number: int, query: dict[str, str], kind: str, key: str) -> HttpResponse:
    cursor = cursor_of(find_run(access.workspace, number), access.workspace.slug, query)
    return redirect(_object_url(cursor, kind, key.removesuffix("/")))


def _led_to(access: Access, number: int, query: dict[str, str]) -> HttpResponse:
    run = find_run(access.workspace, number)
    return redirect(cursor_of(run, access.workspace.slug, query).url())
