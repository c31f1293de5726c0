"""What a run came to, in figures."""

from __future__ import annotations

from dashboard.answers.answering.comparing.run_figures import RunFigures, count_endings
from scheduler_core.compare import PodEnd

ENDS = [
    ("bound", "a"), ("bound", "a"), ("completed", "b"), ("pending", ""), ("gated", ""),
    ("preempted", ""), ("lost", "c"), ("lost", "c"), ("deleted", ""),
]  # fmt: skip


def test_preempted_lost_and_deleted_pods_are_counted_apart_from_those_that_wait():
    ends = [PodEnd(outcome, node, -1, "", 1, 1) for outcome, node in ENDS]
    assert count_endings(ends, 3) == RunFigures(n_pending=2, n_evicted=1, n_used=1, n_empty=2, n_lost=2)
