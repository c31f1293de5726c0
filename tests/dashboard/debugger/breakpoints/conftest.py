"""Breakpoints of the editor that are attached to the run of the scene."""

from __future__ import annotations

import pytest

from dashboard.runs.breakpoints.attachments import attach
from dashboard.runs.breakpoints.definitions import BreakpointFields, create_breakpoint
from tests.dashboard.debugger.conftest import (  # noqa: F401
    _fresh,
    cycle_of,
    execute,
    look,
    plain_run,
    run,
)


@pytest.fixture
def breakpoint_of(editor):
    """A function that makes a breakpoint, and attaches it to the run where one is given."""

    def breakpoint_of(query, name="Found", stops=None, **how):
        made = create_breakpoint(editor.member, BreakpointFields(name, query, **how))
        if stops is not None:
            attach(editor.member, stops, made)
        return made

    return breakpoint_of
