"""Watches: values that a user follows while stepping through a run, and their changes over the recording.

- ``parse_watch(text) -> Watch`` raises ``QueryError`` at the column of what is wrong; ``FORMS`` says what there is.
- ``WatchScan(inputs, start, watches).go_on(reader, control)`` reads what was recorded since, ``series`` has one
  ``WatchSeries`` for each watch: every change with the number of events after which it is seen.
- ``WatchSeries.part(seq)`` is what came after an event, as it is sent; ``value_at(seq)`` is the value at a cursor.
"""

from __future__ import annotations

from scheduler_core.explain.watches.model import FORMS, LANES_OF, MAX_WATCH_LENGTH, Watch, WatchKind, WatchValue
from scheduler_core.explain.watches.parsing import parse_watch
from scheduler_core.explain.watches.scan import WatchScan
from scheduler_core.explain.watches.series import MOST_CHANGES, SeriesPart, WatchSeries

__all__ = [
    "FORMS",
    "LANES_OF",
    "MAX_WATCH_LENGTH",
    "MOST_CHANGES",
    "SeriesPart",
    "Watch",
    "WatchKind",
    "WatchScan",
    "WatchSeries",
    "WatchValue",
    "parse_watch",
]
