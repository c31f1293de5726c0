"""What the inputs of a run were collected of: pages about that, which apps beside the debugger register."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.common.registering import Registered

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.runs.models import Run

    FindPage = Callable[[Run], str]

_reality: Registered[FindPage] = Registered()


def register_reality(find: FindPage) -> None:
    """Register what finds the address of the page about what the real scheduler did, "" where nothing was collected."""
    _reality.add("", find)


def reality_url(run: Run) -> str:
    """Return the address of that page, "" for a run whose timeline was not collected."""
    return "" if run.timeline_revision_id is None else _reality.all()[""](run)
