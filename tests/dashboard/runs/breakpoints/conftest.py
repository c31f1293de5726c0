"""Breakpoints of the editor."""

from __future__ import annotations

import pytest

from dashboard.runs.breakpoints.attachments import attach
from dashboard.runs.breakpoints.definitions import BreakpointFields, create_breakpoint


@pytest.fixture
def breakpoint_of(editor):
    """A function that makes a breakpoint and attaches it to the run, if one is given."""

    def breakpoint_of(query, name="Found", run=None, **how):
        made = create_breakpoint(editor.member, BreakpointFields(name, query, **how))
        if run is not None:
            attach(editor.member, run, made)
        return made

    return breakpoint_of
