"""Two recordings, or one at two cursors, against each other: where they part and why, which pods ended otherwise."""

from __future__ import annotations

from scheduler_core.compare.comparison import RunComparison, RunToCompare, comparison
from scheduler_core.compare.divergence import Divergence, first_divergence
from scheduler_core.compare.input_differences import InputDifference, input_differences
from scheduler_core.compare.pods import PodDifference, PodEnd, pod_differences

__all__ = [
    "Divergence",
    "InputDifference",
    "PodDifference",
    "PodEnd",
    "RunComparison",
    "RunToCompare",
    "comparison",
    "first_divergence",
    "input_differences",
    "pod_differences",
]
