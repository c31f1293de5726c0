"""The queue board: which pods are in flight, and in which order."""

from __future__ import annotations

import pytest

from dashboard.debugger.panels.queue_board import board
from scheduler_core.recording.state import CycleInProgress, Placement, QueueEntry, RunState

IN_FLIGHT = "in_flight"


@pytest.mark.parametrize("current", ["default/a", "default/b", "default/c"])
def test_the_pod_whose_cycle_it_is_stands_first_in_flight(current):
    names = ["default/a", "default/b", "default/c"]
    state = RunState(
        seq=9,
        queue={name: QueueEntry(IN_FLIGHT, timestamp=i, attempts=1) for i, name in enumerate(names)},
        placements={name: Placement("n", False, cycle=1) for name in names if name != current},
        current=CycleInProgress(4, current, 1, "default-scheduler", "Filter"),
    )
    flying = next(lane for lane in board(state, None) if lane.name == "flying")
    assert [pod.key for pod in flying.pods] == [current, *(name for name in names if name != current)]
    assert [pod.is_cursor for pod in flying.pods] == [True, False, False]
