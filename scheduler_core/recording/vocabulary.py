"""What the numbers and names in a recording mean, for everyone who reads one.

The framework defines each of these once, where plugins use it. Readers of recordings (pages, exports) take them from
here, since they may not import the framework. An engine that changes one of them changes the format.
"""

from __future__ import annotations

from scheduler_core.framework.contracts.extending.recorded import address_of_extender, is_extender
from scheduler_core.framework.contracts.filter_outcome import NOT_VISITED, PASSED
from scheduler_core.framework.contracts.normalizers import (
    CUSTOM,
    DEFAULT,
    DEFAULT_REVERSED,
    IDENTITY,
    IGNORED,
    MIN_MAX,
    SPREAD,
)
from scheduler_core.framework.contracts.status import Code
from scheduler_core.framework.preemption.decision import CRITERIA, DRAW, NOT_STARTED, ONLY, PRIORITY_SHIFT

__all__ = [
    "CRITERIA",
    "CUSTOM",
    "DEFAULT",
    "DEFAULT_REVERSED",
    "DRAW",
    "IDENTITY",
    "IGNORED",
    "MIN_MAX",
    "NOT_STARTED",
    "NOT_VISITED",
    "ONLY",
    "PASSED",
    "PRIORITY_SHIFT",
    "SPREAD",
    "Code",
    "address_of_extender",
    "is_extender",
]
