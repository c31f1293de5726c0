"""The resource priorities of 2017, on a scale of 0 to 10 with whole numbers.

Follows the seed "Node Prioritization on Resources" (seed 002), not upstream v1.34: LeastRequestedPriority,
MostRequestedPriority and BalancedResourceAllocation over cpu and memory. Requests count with the scoring defaults of
0.1 cpu and 209,715,200 bytes for containers that name none, on pods already placed and on the new one. Scores stay as
they are: the scale of 0 to 100 came later.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.quantity import INT64_MAX
from scheduler_core.api.resources import CPU, MEMORY
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.facts import Facts, ShareFact
from scheduler_core.framework.contracts.plugin import NoArgs, ScorePlugin
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import Rows, Scores

MAX_PRIORITY = 10
Float64 = NDArray[np.float64]
Totals = tuple[tuple[int, int], tuple[int, int]]
"""(requested with the pod, allocatable) of cpu and of memory."""


def unused_score(requested: int, capacity: int) -> int:
    """calculateUnusedScore of the seed."""
    return 0 if capacity == 0 or requested > capacity else (capacity - requested) * MAX_PRIORITY // capacity


def used_score(requested: int, capacity: int) -> int:
    """calculateUsedScore of the seed."""
    return 0 if capacity == 0 or requested > capacity else requested * MAX_PRIORITY // capacity


class _ResourcePriority(ScorePlugin[NoArgs]):
    """What the three have in common: totals of cpu and memory, per node and by columns."""

    Args = NoArgs
    traits = Traits(node_local=True)
    tenths: ClassVar[staticmethod[[int, int], int] | None] = None
    """(requested, capacity) of one resource to its part of the score, where the score is the mean of such parts."""

    def totals(self, pod: PodInfo, node: NodeView) -> Totals:
        """For one node."""
        cpu, memory = node.non_zero_cpu + pod.cls.non_zero_cpu, node.non_zero_memory + pod.cls.non_zero_memory
        return (min(cpu, INT64_MAX), node.allocatable(CPU)), (min(memory, INT64_MAX), node.allocatable(MEMORY))

    def score_facts(self, state: Any, pod: PodInfo, node: NodeView) -> Facts:
        """Cpu and memory as the formula takes them."""
        asked = pod.cls.non_zero_cpu, pod.cls.non_zero_memory
        tenths = self.tenths
        return tuple(
            ShareFact(
                resource=name,
                asked=own,
                requested=requested,
                allocatable=allocatable,
                points=None if tenths is None else tenths(requested, allocatable),
            )
            for name, own, (requested, allocatable) in zip((CPU, MEMORY), asked, self.totals(pod, node), strict=True)
        )

    def row_totals(self, pod: PodInfo, rows: Rows) -> tuple[tuple[Scores, Scores], tuple[Scores, Scores]]:
        """The same for many, int64[len(rows)] each."""
        table = self.handle.cluster.table
        cpu, memory = (table.allocatable[table.resource_index[name]][rows] for name in (CPU, MEMORY))
        used = table.non_zero[:, rows] + np.array([[pod.cls.non_zero_cpu], [pod.cls.non_zero_memory]])
        used[used < 0] = INT64_MAX
        return (used[0], cpu), (used[1], memory)


class LeastRequestedPriority(_ResourcePriority):
    """Favours nodes with much left: the mean of the unused tenths of cpu and memory."""

    name = "LeastRequestedPriority"
    tenths = staticmethod(unused_score)

    def score_node(self, state: Any, pod: PodInfo, node: NodeView) -> int:
        """(capacity - requested) * 10 / capacity, each truncated; 0 for no capacity, and where it is exceeded."""
        return sum(unused_score(*total) for total in self.totals(pod, node)) // 2

    def score(self, state: Any, pod: PodInfo, rows: Rows) -> Scores:
        """The same for the rows."""
        return _mean(_tenths(have - asked, asked, have) for asked, have in self.row_totals(pod, rows))


class MostRequestedPriority(_ResourcePriority):
    """Favours nodes that are full: the mean of the used tenths of cpu and memory."""

    name = "MostRequestedPriority"
    tenths = staticmethod(used_score)

    def score_node(self, state: Any, pod: PodInfo, node: NodeView) -> int:
        """requested * 10 / capacity, each truncated; 0 for no capacity, and where it is exceeded."""
        return sum(used_score(*total) for total in self.totals(pod, node)) // 2

    def score(self, state: Any, pod: PodInfo, rows: Rows) -> Scores:
        """The same for the rows."""
        return _mean(_tenths(asked, asked, have) for asked, have in self.row_totals(pod, rows))


class BalancedResourceAllocation(_ResourcePriority):
    """Favours nodes whose cpu and memory would be used to like fractions; never a node that would be full."""

    name = "BalancedResourceAllocation"

    def score_node(self, state: Any, pod: PodInfo, node: NodeView) -> int:
        """10 - 10 * |cpu - memory|, truncated; 0 where a fraction is 1 or more."""
        cpu, memory = (_fraction(*total) for total in self.totals(pod, node))
        return 0 if cpu >= 1 or memory >= 1 else int(MAX_PRIORITY - abs(cpu - memory) * MAX_PRIORITY)

    def score(self, state: Any, pod: PodInfo, rows: Rows) -> Scores:
        """The same for the rows."""
        cpu, memory = (_fractions(*column) for column in self.row_totals(pod, rows))
        scores = (MAX_PRIORITY - np.abs(cpu - memory) * MAX_PRIORITY).astype(np.int64)
        return np.where((cpu >= 1) | (memory >= 1), 0, scores)


def _tenths(part: Scores, requested: Scores, capacity: Scores) -> Scores:
    wide: Any = part.astype(object) if int(capacity.max(initial=0)) > INT64_MAX // MAX_PRIORITY else part
    tenths = wide * MAX_PRIORITY // np.maximum(capacity, 1)  # exact Python integers where an int64 could not hold them
    return np.where((capacity == 0) | (requested > capacity), 0, tenths.astype(np.int64))


def _mean(pair: Any) -> Scores:
    one, other = pair
    mean: Scores = (one + other) // 2
    return mean


def _fraction(requested: int, capacity: int) -> float:
    """1 without capacity, which counts as full."""
    return float(requested) / float(capacity) if capacity else 1.0


def _fractions(requested: Scores, capacity: Scores) -> Float64:
    return np.where(capacity == 0, 1.0, requested / np.maximum(capacity, 1))
