"""Parts of an object's YAML that do not affect scheduling: folded in editors and diffs, kept in the text."""

from __future__ import annotations

import re
from typing import NamedTuple

# What kubelets and controllers report; a node's allocatable amounts stay visible.
FOLDED_STATUS_OF_NODE = frozenset(
    {
        "addresses",
        "conditions",
        "config",
        "daemonEndpoints",
        "features",
        "images",
        "nodeInfo",
        "runtimeHandlers",
        "volumesAttached",
        "volumesInUse",
    }
)
OPEN_STATUS = ("Node", "ResourceClaim")
"""Kinds whose status decides: amounts, and the devices of a claim."""
LEAST_LINES = 3
LINE = re.compile(r"(?P<indent> *)(?P<key>[A-Za-z][\w./-]*):(?P<value>.*)")


class FoldedLines(NamedTuple):
    """Lines `first` to `last` of a text, counted from 1; the first one is the key and stays visible."""

    first: int
    last: int


def find_folds(text: str) -> list[FoldedLines]:
    """Return where managedFields and status stand in block YAML of one or more objects, in order."""
    lines = text.split("\n")
    folds: list[FoldedLines] = []
    kind, parent = "", ""
    for number, line in enumerate(lines, 1):
        if line.startswith("---"):
            kind, parent = "", ""
        match = LINE.fullmatch(line)
        if match is None or (folds and number <= folds[-1].last):
            continue
        indent, key = len(match["indent"]), match["key"]
        if indent == 0:
            parent = key
            kind = match["value"].strip() if key == "kind" else kind
        if _is_folded(indent, key, parent, kind):
            last = _last_line(lines, number, indent)
            if last - number >= LEAST_LINES:
                folds.append(FoldedLines(number, last))
    return folds


def _is_folded(indent: int, key: str, parent: str, kind: str) -> bool:
    if indent == 0:
        return key == "status" and kind not in OPEN_STATUS
    if parent == "metadata":
        return indent == 2 and key == "managedFields"
    return parent == "status" and kind == "Node" and indent == 2 and key in FOLDED_STATUS_OF_NODE


def _last_line(lines: list[str], first: int, indent: int) -> int:
    """Return the last line below the key of line `first`; items of a list may begin as far left as their key."""
    last = first
    for number, line in enumerate(lines[first:], first + 1):
        inner = len(line) - len(line.lstrip(" "))
        if line.strip() and not (inner > indent or (inner == indent and line.startswith("- ", indent))):
            break
        if line.strip():
            last = number
    return last
