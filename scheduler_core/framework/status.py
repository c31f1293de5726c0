"""What a plugin answers, at its earlier place (see ``interface.py``): as ``framework/contracts/status.py`` has it."""

from __future__ import annotations

from scheduler_core.framework.contracts.status import (
    REJECTIONS,
    SKIP,
    SUCCESS,
    Code,
    Status,
    error,
    unresolvable,
    unschedulable,
)

__all__ = ["REJECTIONS", "SKIP", "SUCCESS", "Code", "Status", "error", "unresolvable", "unschedulable"]
