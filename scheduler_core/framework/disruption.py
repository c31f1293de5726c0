"""Pod disruption budgets: how many disruptions they allow, and which victims would violate them.

Mirrors defaultpreemption filterPodsWithPDBViolation and, for budgets whose status is not given, the arithmetic of the
disruption controller (pkg/controller/disruption) over the pods that are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scheduler_core.api.objects import Pod, PodDisruptionBudget
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodClass, PodInfo
from scheduler_core.framework.kernels import Memo


def disruptions_allowed(budget: PodDisruptionBudget, pods: Iterable[Pod]) -> int:
    """Disruptions that the budget allows: as its status says, or else computed from the spec and these pods.

    A pod is taken for healthy when it is bound and not terminating. The number of pods that should exist is the number
    that do, for want of their controllers.
    """
    if budget.disruptions_allowed is not None:
        return budget.disruptions_allowed
    guarded = [pod for pod in pods if not pod.is_terminal and _guards(budget, pod)]
    healthy = sum(bool(pod.node_name) and pod.deletion_timestamp is None for pod in guarded)
    return _allowed(budget, len(guarded), healthy)


def _allowed(budget: PodDisruptionBudget, expected: int, healthy: int) -> int:
    """Healthy pods beyond those that must stay; none where no pod is expected."""
    if expected <= 0:
        return 0
    if budget.max_unavailable is not None:
        needed = expected - _scaled(budget.max_unavailable, expected)
    else:
        needed = _scaled(budget.min_available or "0", expected)
    return max(0, healthy - max(0, needed))


def _scaled(text: str, total: int) -> int:
    """A whole number, or a percentage of the total rounded up."""
    if text.endswith("%"):
        return -(-int(text[:-1]) * total // 100)
    return int(text)


def _guards(budget: PodDisruptionBudget, pod: Pod) -> bool:
    return budget.selector is not None and pod.namespace == budget.namespace and budget.selector.matches(pod.labels)


Guards = Memo[tuple[int, ...]]
"""Which budgets guard the pods of a class, by class id; kept from attempt to attempt."""


class BudgetBook:
    """The budgets at the time of one preemption attempt."""

    def __init__(self, cluster: Cluster, guards: Guards | None = None) -> None:
        budgets = [b for b in cluster.listers.budgets.values() if b.selector is not None and b.selector.requirements]
        self._budgets = budgets
        self._allowed = [_allowed_now(cluster, budget) for budget in budgets]
        self._generation = cluster.listers.generation
        self._guards: Guards = Memo() if guards is None else guards

    def __bool__(self) -> bool:
        return bool(self._budgets)

    def guard_any(self, infos: Iterable[PodInfo]) -> bool:
        """Whether any budget guards any of the pods."""
        return bool(self._budgets) and any(self._guarding(info.cls) for info in infos)

    def violations(self, victims: Sequence[PodInfo]) -> list[bool]:
        """For each victim, in the order given, whether evicting it and those before it breaks a budget.

        Budgets without or with an empty selector guard nothing here, nor does any budget guard a pod without labels.
        """
        left: list[int] = []
        flags = [False] * len(victims)
        for i, victim in enumerate(victims):
            if self._guarding(victim.cls):
                left = left or list(self._allowed)
                flags[i] = self._spend(left, victim)
        return flags

    def _spend(self, left: list[int], victim: PodInfo) -> bool:
        violated = False
        for i in self._guarding(victim.cls):
            if victim.pod.name in self._budgets[i].disrupted_pods:
                continue  # its eviction was granted before
            left[i] -= 1
            violated |= left[i] < 0
        return violated

    def _guarding(self, cls: PodClass) -> tuple[int, ...]:
        def find() -> tuple[int, ...]:
            guarded = enumerate(self._budgets) if cls.labels else ()
            return tuple(i for i, budget in guarded if _guards(budget, cls.example))

        return self._guards.get(self._generation, cls.id, find)


def _allowed_now(cluster: Cluster, budget: PodDisruptionBudget) -> int:
    """As ``disruptions_allowed`` with the placed pods, which are counted by tallies."""
    if budget.disruptions_allowed is not None:
        return budget.disruptions_allowed
    name = f"budget/{budget.namespace}/{budget.selector!r}"
    expected = cluster.tally(f"{name}/expected", lambda cls: int(_guards(budget, cls.example)))
    healthy = cluster.tally(f"{name}/healthy", lambda cls: int(not cls.terminating and _guards(budget, cls.example)))
    return _allowed(budget, expected.total, healthy.total)
