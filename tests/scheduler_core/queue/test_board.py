from __future__ import annotations

import pytest

from scheduler_core.api.objects import Pod
from scheduler_core.engine.summaries import queue_move
from scheduler_core.queue.board import PodBoard
from scheduler_core.queue.types import (
    ACTIVE,
    BACKOFF,
    ERROR_BACKOFF,
    GATED,
    SECOND,
    UNSCHEDULABLE,
    Cause,
    QueuedPod,
    QueueSettings,
)
from tests.scheduler_core.queue.queue_helpers import by_priority, pod

BECAUSE = Cause("Because")


@pytest.fixture
def moves():
    return []


@pytest.fixture
def board(moves):
    def record_move(queued, source, cause):
        moves.append(queue_move(0, queued, source, cause))

    return PodBoard(QueueSettings(), by_priority, lambda plugin: plugin == "Timed", record_move)


def queued(name, order, **fields):
    return QueuedPod(pod(name, fields.pop("priority", 0)), f"default/{name}", 0, order, **fields)


def names(pods):
    return [entry.pod.name for entry in pods]


@pytest.mark.parametrize("lane", [ACTIVE, BACKOFF, ERROR_BACKOFF, UNSCHEDULABLE, GATED])
def test_a_pod_goes_from_lane_to_lane_and_is_reported_each_time(board, moves, lane):
    entry = queued("a", 1, unschedulable_count=1, gated_by="Gate" if lane == GATED else "")
    board.place(entry, lane, BECAUSE)
    assert (names(board.entries(lane)), board.lengths()[lane]) == (["a"], 1)
    entry.gated_by = ""
    board.place(entry, ACTIVE, BECAUSE)
    assert names(board.waiting()) == ["a"]
    assert [(m.source, m.target) for m in moves] == [("", lane)] + ([(lane, ACTIVE)] if lane != ACTIVE else [])


def test_within_a_window_backoff_is_by_priority_and_error_backoff_as_they_came(board):
    for order, (name, priority, timestamp) in enumerate([("a", 0, 0), ("b", 5, 900_000), ("c", 9, SECOND)], start=1):
        for lane in (BACKOFF, ERROR_BACKOFF):
            entry = queued(name + lane[0], order, priority=priority, unschedulable_count=1)
            entry.timestamp = timestamp
            board.place(entry, lane, BECAUSE)
    assert names(board.entries(BACKOFF)) == ["bb", "ab", "cb"]
    assert names(board.entries(ERROR_BACKOFF)) == ["ae", "be", "ce"]


def test_only_backoff_lanes_report_an_expiry(board, moves):
    entry = queued("a", 1, unschedulable_count=1)
    board.place(entry, BACKOFF, BECAUSE)
    board.place(entry, ACTIVE, BECAUSE)
    assert [m.backoff_until for m in moves] == [SECOND, None]


def test_a_newer_pod_of_the_same_name_takes_the_place_of_the_older(board, moves):
    board.place(queued("a", 1), UNSCHEDULABLE, BECAUSE)
    newer = QueuedPod(Pod(name="a", uid="newer"), "default/a", 0, 2)
    board.place(newer, ACTIVE, BECAUSE)
    assert board.waiting() == [newer]
    assert [(m.source, m.target) for m in moves] == [("", UNSCHEDULABLE), (UNSCHEDULABLE, ""), ("", ACTIVE)]


def test_the_leftover_timer_sees_gated_pods_of_its_plugins_only(board):
    board.place(queued("a", 1, gated_by="Gate"), GATED, BECAUSE)
    assert board.unschedulable.oldest() is None
    board.place(queued("b", 2, gated_by="Timed"), GATED, BECAUSE)
    assert board.unschedulable.oldest().pod.name == "b"
    assert board.lengths()[GATED] == 2
