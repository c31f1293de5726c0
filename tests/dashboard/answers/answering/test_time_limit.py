"""When a computation is to end."""

from __future__ import annotations

import math
import time

from dashboard.answers.answering.time_limit import TimeLimit


def test_it_is_over_at_the_deadline_and_stays_over():
    assert not TimeLimit(math.inf)()
    limit = TimeLimit(time.monotonic() - 1)
    assert not limit.was_hit
    assert limit()
    limit.until = math.inf
    assert limit()


def test_it_is_over_when_nobody_wants_the_answer():
    waits = [True]
    limit = TimeLimit(math.inf, lambda: not waits)
    assert not limit()
    waits.clear()
    assert limit()


def test_a_part_ends_after_its_own_time_or_with_the_whole():
    limit = TimeLimit(math.inf)
    assert not limit.within(3600)()
    assert not limit.was_hit
    assert limit.within(0)()
    assert limit.was_hit
    assert limit.within(3600)()
