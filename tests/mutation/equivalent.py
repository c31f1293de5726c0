"""Changes by rule that change nothing that comes out, each with the reason."""

from __future__ import annotations

from typing import NamedTuple


class Equivalent(NamedTuple):
    """All changes of this form in a function."""

    path: str
    function: str
    change: str
    reason: str


EQUIVALENT: tuple[Equivalent, ...] = ()
