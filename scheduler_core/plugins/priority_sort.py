"""Orders activeQ: higher priority first, then the pod that came to the queue earlier.

Mirrors the upstream plugin PrioritySort of v1.34 (plugins/queuesort).
"""

from __future__ import annotations

from scheduler_core.api.objects import Pod
from scheduler_core.framework.contracts.plugin import NoArgs, QueueSortPlugin


class PrioritySort(QueueSortPlugin[NoArgs]):
    """The only queue order that upstream ships."""

    name = "PrioritySort"
    Args = NoArgs

    def sort_key(self, pod: Pod, timestamp: int) -> tuple[int, int]:
        """(negated priority, timestamp)."""
        return -pod.priority, timestamp
