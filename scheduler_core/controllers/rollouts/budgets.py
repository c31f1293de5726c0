"""The status of a PodDisruptionBudget (disruption.go): how many healthy pods it needs, has, and may lose.

A percentage is one of what the pods' controllers want, so that surge pods do not count there; a whole ``minAvailable``
counts all its pods, surge and terminating ones too. Percentages round up.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from scheduler_core.api.objects import PodDisruptionBudget
from scheduler_core.controllers.rollouts.pods_seen import SeenPod, amount


class BudgetStatus(NamedTuple):
    """What the status says; ``is_sufficient`` is the condition DisruptionAllowed."""

    expected: int = 0
    desired: int = 0
    healthy: int = 0
    allowed: int = 0

    @property
    def is_sufficient(self) -> bool:
        """Whether a pod may be disrupted."""
        return self.allowed > 0


def budget_status(
    budget: PodDisruptionBudget, pods: Collection[SeenPod], scale: int, leaving: Collection[str] = ()
) -> BudgetStatus:
    """The status with the pods that the budget selects; ``scale`` is what the controllers of these pods want together,
    ``leaving`` are keys of pods whose eviction was allowed."""
    expected, desired = _expected(budget, len(pods), scale)
    healthy = sum(one.is_ready and not one.is_terminating and one.pod.key not in leaving for one in pods)
    return BudgetStatus(expected, desired, healthy, max(0, healthy - desired) if expected > 0 else 0)


def _expected(budget: PodDisruptionBudget, n_pods: int, scale: int) -> tuple[int, int]:
    if budget.max_unavailable is not None:
        return scale, max(0, scale - amount(budget.max_unavailable, scale, rounds_up=True))
    least = budget.min_available or "0"
    if least.endswith("%"):
        return scale, amount(least, scale, rounds_up=True)
    return n_pods, int(least)
