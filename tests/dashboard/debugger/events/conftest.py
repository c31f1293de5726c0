"""The run of the debugger's scene with its index, and what a list of it is made from."""

from __future__ import annotations

import pytest

from dashboard.debugger.cursor.selection import opened
from dashboard.debugger.events.address import events_cursor
from dashboard.debugger.events.filters import filter_of
from dashboard.debugger.events.indexes import index_of
from dashboard.runs.storage import recordings


@pytest.fixture
def index(run):
    """The index of the run's events."""
    return index_of(run)


@pytest.fixture
def recorded(run):
    """The run's events by seq."""
    return [event for _, event in recordings.read_events(run.pk, 0, run.head.seq)]


@pytest.fixture
def cursor_at(run):
    """A function that returns the cursor of an address of the page of events: cursor_at(seq=3, kinds="queue")."""

    def cursor_at(**query):
        named = {name: str(value) for name, value in query.items()}
        return events_cursor(opened(run, "team", named), filter_of(named))

    return cursor_at
