"""The garbage collector of web processes and workers: what is kept for long must not be walked through again and again.

A page on a run of 8,000 pods took 50 ms, and every tenth one 250 ms, for a pass over all objects in memory.
"""

from __future__ import annotations

import gc

# Requests make many small objects that die with them; the collector looks for cycles among them, but not every moment.
THRESHOLDS = (20_000, 20, 50)


def tune_gc() -> None:
    """Keep the objects made at start out of the collector's passes, and make these rarer."""
    collect_seldom()
    freeze_gc()


def collect_seldom() -> None:
    """Make the collector's passes rarer."""
    gc.set_threshold(*THRESHOLDS)


def freeze_gc() -> None:
    """Leave everything that exists now out of the passes; it is freed by its last reference, unless it forms a cycle.

    For a thread that just read much data which a cache will keep.
    """
    gc.collect(1)
    gc.freeze()
