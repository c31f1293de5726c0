"""What the status of a budget says."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import PodDisruptionBudget
from scheduler_core.controllers.rollouts.budgets import BudgetStatus, budget_status
from scheduler_core.controllers.rollouts.pods_seen import SeenPod
from scheduler_core.testing.builders import make_pod


@pytest.mark.parametrize(
    ("limits", "n_pods", "n_ready", "scale", "expected"),
    [
        ({"max_unavailable": "30%"}, 5, 5, 5, BudgetStatus(5, 3, 5, 2)),
        ({"max_unavailable": "1"}, 5, 3, 4, BudgetStatus(4, 3, 3, 0)),
        ({"min_available": "4"}, 6, 2, 4, BudgetStatus(6, 4, 2, 0)),
        ({"min_available": "50%"}, 5, 5, 5, BudgetStatus(5, 3, 5, 2)),
        ({"min_available": "50%"}, 2, 2, 0, BudgetStatus(0, 0, 2, 0)),
    ],
)
def test_percentages_are_of_what_controllers_want(
    limits: dict[str, str], n_pods: int, n_ready: int, scale: int, expected: BudgetStatus
) -> None:
    pods = [SeenPod(make_pod(f"p{i}"), ready=0 if i < n_ready else None) for i in range(n_pods)]
    assert budget_status(PodDisruptionBudget(name="b", **limits), pods, scale) == expected
