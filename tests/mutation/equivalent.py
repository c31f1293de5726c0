"""Changes by rule that change nothing that comes out, each with the reason."""

from __future__ import annotations

from typing import NamedTuple


class Equivalent(NamedTuple):
    """All changes of this form in a function."""

    path: str
    function: str
    change: str
    reason: str


EQUIVALENT = (
    Equivalent(
        "scheduler_core/query/cells.py",
        "_PluginCells.__init__",
        "1 -> 2",
        "a negative number is the mark of a plugin that is not there",
    ),
    Equivalent(
        "scheduler_core/query/scan.py",
        "Scan.__init__",
        "query.subject is QuerySubject.EVENT and bool(names & _OF_EVE"
        " -> query.subject is QuerySubject.EVENT or bool(names & _OF_EVEN",
        "cycles are looked up before the other conditions instead of after them",
    ),
    Equivalent(
        "scheduler_core/query/scan.py",
        "Scan._cells_backward",
        "len(left) >= size -> len(left) > size",
        "a block ends one cycle later",
    ),
    Equivalent("scheduler_core/query/search.py", "", "1 -> 2", "a number beyond all cells of a cycle"),
    Equivalent("scheduler_core/query/search.py", "", "62 -> 63", "a number beyond all cells of a cycle"),
    Equivalent(
        "scheduler_core/extenders/tape/reader.py",
        "Tape._add_calls",
        "1 -> 2",
        "numpy works out the length where any negative number stands",
    ),
    Equivalent(
        "dashboard/review/pins/resolving.py",
        "_of_move",
        "0 -> 1",
        "a pin that is resolved has a moment",
    ),
    Equivalent(
        "dashboard/clusters/drafts/opened.py",
        "OpenedDraft._stored",
        "len(keys) <= FEW -> len(keys) < FEW",
        "one object fewer is asked for by its name",
    ),
    Equivalent(
        "scheduler_core/extenders/http/deadline.py",
        "connect",
        "1 -> 2",
        "any number but 0 switches the option on",
    ),
    Equivalent(
        "scheduler_core/extenders/tape/writer.py",
        "",
        "4096 -> 4097",
        "a byte more is left for the end of a tape, which is far shorter",
    ),
)
