"""The rows of a list of events."""

from __future__ import annotations

from dashboard.debugger.events.listing import CycleHead, EventRow


def numbers(items):
    """The numbers of all events in a list, heads included where the list has their first event."""
    found = []
    for item in items:
        if isinstance(item, CycleHead):
            found += [item.row.number, *(row.number for row in item.rows)]
        elif isinstance(item, EventRow):
            found.append(item.number)
    return found
