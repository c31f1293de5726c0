"""How long pods were in the queue and how often they were tried, also where another writer saw them come."""

from __future__ import annotations

import pytest

from dashboard.runs.models import QueueMove
from dashboard.runs.storage.queue_waits import QueueWaits
from scheduler_core.recording.rows import QueueMoveRow

pytestmark = pytest.mark.django_db

RUN = 7


def move(seq, at, target, source="", attempts=0, uid=None):
    return QueueMoveRow(seq, at, "a/p", source, target, "any", "", attempts, None, uid)


FIRST = [
    move(0, 5, "gated"),
    move(1, 20, "active", "gated"),
    move(2, 30, "in_flight", "active", attempts=1),
    move(3, 30, "backoff", "in_flight", attempts=1),
]
SECOND = [move(4, 60, "active", "backoff", attempts=1), move(5, 60, "in_flight", "active", attempts=2)]
LAST = [move(6, 65, "", "in_flight", attempts=2)]


def stored(*moves):
    QueueMove.objects.bulk_create(
        QueueMove(
            run_id=RUN, seq=one.seq, at_us=one.at, pod=one.pod, source=one.source, target=one.target, event=one.event,
            plugin="", attempts=one.attempts, backoff_until_us=None, pod_uid=one.pod_uid,
        )
        for one in moves
    )  # fmt: skip


def test_the_clock_begins_in_active_q_and_ends_with_the_binding():
    assert QueueWaits(RUN).of_bound([*FIRST, *SECOND, *LAST], [(7, 65, "a/p")]) == [(45, 2)]


def test_chunks_follow_each_other():
    waits = QueueWaits(RUN)
    assert waits.of_bound(FIRST, []) == []
    assert waits.of_bound(SECOND, []) == []
    assert waits.of_bound(LAST, [(7, 65, "a/p")]) == [(45, 2)]


@pytest.mark.parametrize("seen", [[], LAST, [*SECOND, *LAST]])
def test_another_writer_asks_the_table(seen):
    stored(*FIRST, *SECOND, *LAST)
    assert QueueWaits(RUN).of_bound(seen, [(7, 65, "a/p")]) == [(45, 2)]


def test_a_later_pod_of_the_name_has_a_clock_of_its_own():
    again = [move(8, 100, "active", uid="u"), move(9, 110, "in_flight", "active", attempts=1, uid="u")]
    waits = QueueWaits(RUN)
    moves = [*FIRST, *SECOND, *LAST, *again]
    assert waits.of_bound(moves, [(7, 65, "a/p"), (10, 115, "a/p")]) == [(45, 2), (15, 1)]


def test_a_pod_that_never_came_to_the_queue_is_not_counted():
    assert QueueWaits(RUN).of_bound([], [(7, 65, "a/other")]) == []
