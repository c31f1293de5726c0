"""The rows of a list of events."""

from __future__ import annotations

from dashboard.debugger.events.listing import CycleHead, EventRow


def numbers(items):
    """The numbers of all events in a list, heads included where the list has their first event."""
    numbers_shown = []
    for item in items:
        if isinstance(item, CycleHead):
            numbers_shown += [item.row.number, *(row.number for row in item.rows)]
        elif isinstance(item, EventRow):
            numbers_shown.append(item.number)
    return numbers_shown
