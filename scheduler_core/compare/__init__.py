"""Two recordings, or one at two cursors, against each other: where they part and why, which pods ended otherwise."""

from __future__ import annotations

from scheduler_core.compare.attempts import Attempt, AttemptPair, aligned
from scheduler_core.compare.comparison import RunComparison, RunToCompare, build_comparison, comparison, doubts_of_both
from scheduler_core.compare.decided_by import decided_by
from scheduler_core.compare.divergence import Divergence, Happened, RecordedSide, first_divergence
from scheduler_core.compare.figures import FigureGroup, figure_groups
from scheduler_core.compare.input_differences import InputDifference, input_differences
from scheduler_core.compare.pods import PodDifference, PodEnd, SideTotals, listed_pods, pod_differences, pods_apart
from scheduler_core.compare.resources import ResourceDifference, ResourceUse, resource_differences
from scheduler_core.compare.side_reading import SideEnd, SideReading

__all__ = [
    "Attempt",
    "AttemptPair",
    "Divergence",
    "FigureGroup",
    "Happened",
    "InputDifference",
    "PodDifference",
    "PodEnd",
    "RecordedSide",
    "ResourceDifference",
    "ResourceUse",
    "RunComparison",
    "RunToCompare",
    "SideEnd",
    "SideReading",
    "SideTotals",
    "aligned",
    "build_comparison",
    "comparison",
    "decided_by",
    "doubts_of_both",
    "figure_groups",
    "first_divergence",
    "input_differences",
    "listed_pods",
    "pod_differences",
    "pods_apart",
    "resource_differences",
]
