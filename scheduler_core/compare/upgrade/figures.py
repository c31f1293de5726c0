"""The figures that answer first what an upgrade changes."""

from __future__ import annotations

from collections import Counter

import msgspec

from scheduler_core.compare.pods import EVICTED_A, EVICTED_B, MOVED, PLACED_A, PLACED_B
from scheduler_core.compare.upgrade.model import UpgradeReport


class UpgradeFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Pods by what becomes of them, each pair under A and under B: ``moved`` end on another node; ``pending`` have none
    at the end, of which ``placed_now`` have one under B alone and ``placed_no_longer`` under A alone; ``evicted`` are
    evicted in one of both alone. ``wait_p95`` is in virtual microseconds, -1 where nothing was bound. ``texts`` are the
    texts of messages that one of both has alone."""

    moved: int
    pending: tuple[int, int]
    placed_now: int
    placed_no_longer: int
    evicted: tuple[int, int]
    wait_p95: tuple[int, int]
    texts: int


def figures_of(report: UpgradeReport) -> UpgradeFigures:
    """Count them."""
    groups = Counter(one.group for one in report.comparison.pods)
    a, b = report.comparison.totals
    return UpgradeFigures(
        moved=groups[MOVED],
        pending=(a.unplaced, b.unplaced),
        placed_now=groups[PLACED_B],
        placed_no_longer=groups[PLACED_A],
        evicted=(groups[EVICTED_A], groups[EVICTED_B]),
        wait_p95=(a.waits.p95, b.waits.p95),
        texts=len(report.texts),
    )
