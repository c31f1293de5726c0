"""A run of many cycles."""

from __future__ import annotations

import pytest

from dashboard.runs.models import Cycle
from tests.dashboard.row_snapshots import snapshot_of


@pytest.fixture
def long_run(run):
    """The run with a thousand cycles: one in ten fails, one in a hundred preempts, a minute passes behind each 50th."""

    def make():
        Cycle.objects.filter(run=run).delete()
        common = {"profile": "p", "priority": 0, "template": 1, "n_nodes": 1, "visited": 1, "feasible": 1, "attempt": 1}
        Cycle.objects.bulk_create(
            Cycle(
                run=run,
                number=n,
                first_seq=10 * n,
                last_seq=10 * n + 8,
                pod=f"a/pod-{n % 7}",
                outcome="unschedulable" if n % 10 == 0 else "error" if n == 333 else "scheduled",
                at_us=n * 1000 + (n - 1) // 50 * 60_000_000,
                preempting=n % 100 == 0,
                tie_count=1,
                **common,
            )
            for n in range(1, 1001)
        )

    snapshot_of("a thousand cycles", make)
    run.head.cycle, run.head.at_us, run.head.seq = 1000, 1_200_000_000, 10_010
    return run
