"""The query for the selection at a cursor: the initial query of "Break here"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dashboard.debugger.labels import split_key

if TYPE_CHECKING:
    from dashboard.debugger.page import CursorPage
    from dashboard.debugger.panels.matrix.chosen_cell import ChosenCell

# The characters of a value that needs no quotation marks.
_PLAIN = re.compile(r"[A-Za-z0-9_./-]+\Z")
# What a cell of a filter looks like, and the verdict that a query names it by.
_VERDICTS = {"ok": "passed", "no": "refused", "nores": "refused", "hid": "refused", "na": "not_evaluated"}


def query_at(page: CursorPage) -> str:
    """Return the query for the selected pod, plugin and node with the plugin's answer; "" if nothing is selected."""
    pod, node = page.moment.selection.pod, page.moment.selection.node
    parts = [condition("pod", pod)] if pod else []
    cell = page.attempt.chosen_cell if node else None
    if cell is not None and cell.kind in ("score", "verdict"):
        parts += [condition("plugin", cell.plugin), condition("node", node), *_said(cell)]
    elif node:
        parts.append(condition("chosen", node))
    return " and ".join(parts)


def name_at(page: CursorPage) -> str:
    """Return a name for that query, to begin with."""
    pod, node = split_key(page.moment.selection.pod)[1], page.moment.selection.node
    plugin = page.cursor.view.plugin if node else ""
    return " on ".join(filter(None, (" ".join(filter(None, (pod, plugin))), node)))


def condition(name: str, value: str) -> str:
    """Return a condition of the query language, with special characters of the value escaped."""
    if _PLAIN.fullmatch(value):
        return f"{name}:{value}"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{name}:"{escaped}"'


def _said(cell: ChosenCell) -> list[str]:
    if cell.kind == "score" and cell.score is not None:
        return [f"score:{cell.score.norm}"]
    verdict = _VERDICTS.get(cell.verdict.look, "") if cell.verdict else ""
    return [f"verdict:{verdict}"] if verdict else []
