"""Waits: longer after each failure, up to an end, and never all at once."""

from __future__ import annotations

import pytest

from scheduler_core.collect.server.pace import DEFAULT_PACE


def test_waits_grow_to_the_longest_and_differ():
    waits = [DEFAULT_PACE.after_failure(n) for n in range(1, 40)]
    assert 0.7 <= waits[0] <= 1.0
    assert waits[4] > waits[0]
    assert max(waits) <= DEFAULT_PACE.longest_wait
    assert len(set(waits)) > 30


@pytest.mark.parametrize(
    ("text", "seconds"), [("", 0.0), ("3", 3.0), ("100000", 30.0), ("Wed, 21 Oct", 0.0), ("-1", 0.0), ("٣", 0.0)]
)
def test_a_server_asks_for_seconds_up_to_the_longest(text, seconds):
    assert DEFAULT_PACE.asked_for(text) == seconds
