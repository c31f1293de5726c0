"""Entries of a timeline in their order."""

from __future__ import annotations

from scheduler_core.testing.builders import make_pod
from scheduler_core.workloads.timeline import Timeline, TimelineEntry


def test_entries_are_sorted_by_time_and_equal_times_keep_their_order():
    entries = [TimelineEntry(at, "put", make_pod(name)) for at, name in ((2, "c"), (1, "a"), (2, "b"), (0, "d"))]
    timeline = Timeline.of(entries)
    assert [(entry.at, entry.object.name) for entry in timeline.entries] == [(0, "d"), (1, "a"), (2, "c"), (2, "b")]
