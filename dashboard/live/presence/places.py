"""Places where people meet: a run with all of its pages, a comparison of two runs, a review, a draft of a cluster."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

_NUMBER = r"[1-9][0-9]{0,9}"
_OF_ONE_THING = re.compile(rf"(?:runs|reviews)/{_NUMBER}(?=/)")
_SHORT_COMPARISON = re.compile(rf"compare/({_NUMBER})/({_NUMBER})/")
_COMPARISON = "compare/"
_DRAFT = re.compile(rf"clusters/[a-z0-9-]+/drafts/{_NUMBER}(?=/)")
_CLUSTER = re.compile(r"clusters/[a-z0-9-]+/")
PATH = r"^(?:[a-z0-9-]+/)+\Z"
"""What the path of a page that people meet at looks like: so none leads elsewhere by dots, slashes or another host."""


def room_of(path: str, query: str) -> str:
    """Return the room of a page, "" where it has none. `path` is the address below that of the workspace.

    "runs/7/why/" is in "runs/7"; a comparison is in the same room whichever of its runs comes first; a page of a
    cluster that shows a draft is in that draft.
    """
    if not re.match(PATH, path):
        return ""
    if match := _OF_ONE_THING.match(path):
        return match[0]
    if match := _DRAFT.match(path):
        return match[0]
    if match := _CLUSTER.match(path):
        draft = parse_qs(query).get("draft", [""])[0]
        return f"{match[0]}drafts/{draft}" if re.fullmatch(_NUMBER, draft) else ""
    if match := _SHORT_COMPARISON.match(path):
        return _comparison(match[1], match[2])
    if path == _COMPARISON:
        values = parse_qs(query)
        sides = [values.get(name, [""])[0] for name in ("a", "b")]
        if all(re.fullmatch(_NUMBER, side) for side in sides):
            return _comparison(*sides)
    return ""


def _comparison(*sides: str) -> str:
    first, second = sorted(sides, key=int)
    return f"compare/{first}/{second}"


def draft_in(room: str) -> int | None:
    """Return the number of the draft that a room is of, None for another room. Drafts are seen by few."""
    match = _DRAFT.match(f"{room}/")
    return int(room.rpartition("/")[2]) if match else None
