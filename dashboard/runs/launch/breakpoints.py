"""The breakpoints that a new run can get, and those that the form has chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.http.params import WHOLE, shown
from dashboard.common.problems import BadQuery, Conflict
from dashboard.runs.breakpoints.definitions import breakpoints_of

if TYPE_CHECKING:
    from django.http import QueryDict

    from dashboard.accounts.models import Workspace
    from dashboard.runs.models import Breakpoint

FIELD = "breakpoints"


@dataclass(frozen=True)
class BreakpointChoice:
    """A breakpoint that the form offers."""

    breakpoint: Breakpoint
    is_chosen: bool


def breakpoint_choices(workspace: Workspace, given: QueryDict) -> list[BreakpointChoice]:
    """Return the breakpoints that the form offers; raises BadQuery for a choice that is no number."""
    chosen = _keys(given)
    return [BreakpointChoice(one, one.pk in chosen) for one in breakpoints_of(workspace) if one.is_enabled]


def chosen_breakpoints(workspace: Workspace, given: QueryDict) -> tuple[Breakpoint, ...]:
    """Return the breakpoints chosen in a submitted form; raises BadQuery, and Conflict for one that was deleted."""
    chosen = tuple(one.breakpoint for one in breakpoint_choices(workspace, given) if one.is_chosen)
    if len(chosen) < len(_keys(given)):
        raise Conflict("A breakpoint that you chose is gone or switched off by now. Choose again.")
    return chosen


def _keys(given: QueryDict) -> set[int]:
    texts = given.getlist(FIELD)
    for text in texts:
        if not WHOLE.fullmatch(text) or len(text) > 18:
            raise BadQuery(f'"{FIELD}" must be numbers of breakpoints, not "{shown(text)}".')
    return {int(text) for text in texts}
