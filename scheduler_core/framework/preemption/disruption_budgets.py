"""Pod disruption budgets: how many disruptions they allow, and which victims would violate them.

Mirrors defaultpreemption filterPodsWithPDBViolation and, for budgets whose status is not given, the arithmetic of the
disruption controller (pkg/controller/disruption) over the pods that are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Pod, PodDisruptionBudget
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodClass, PodInfo


def disruptions_allowed(budget: PodDisruptionBudget, pods: Iterable[Pod]) -> int:
    """The number of disruptions that the budget allows: from its status, else computed from the spec and these pods.

    A pod counts as healthy if it is bound and not terminating. Without its controllers, the expected number of pods is
    taken to be the number that exist.
    """
    if budget.disruptions_allowed is not None:
        return budget.disruptions_allowed
    guarded = [pod for pod in pods if not pod.is_terminal and guards(budget, pod)]
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


def guards(budget: PodDisruptionBudget, pod: Pod) -> bool:
    """Whether the budget's selector matches the pod, in its namespace."""
    return budget.selector is not None and pod.namespace == budget.namespace and budget.selector.matches(pod.labels)


class BudgetBook:
    """The budgets at the time of one preemption attempt."""

    def __init__(self, cluster: Cluster) -> None:
        self._budgets = _guarding_budgets(cluster)
        self.allowed = [_allowed_now(cluster, budget) for budget in self._budgets]
        self._known: dict[int, tuple[int, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self._budgets)

    def violations(self, victims: Sequence[PodInfo]) -> list[bool]:
        """For each victim, in the order given, whether evicting it and those before it breaks a budget.

        Budgets without or with an empty selector guard nothing here, nor does any budget guard a pod without labels.
        """
        left: list[int] = []
        flags = [False] * len(victims)
        for i, victim in enumerate(victims):
            if self._guarding(victim.cls):
                left = left or list(self.allowed)
                flags[i] = self._spend(left, victim)
        return flags

    def broken(self, victims: Sequence[PodInfo]) -> tuple[str, ...]:
        """Keys of the budgets that do not allow all of these pods to be evicted."""
        left = list(self.allowed)
        for victim in victims:
            self._spend(left, victim)
        return tuple(budget.key for budget, rest in zip(self._budgets, left, strict=True) if rest < 0)

    def _spend(self, left: list[int], victim: PodInfo) -> bool:
        violated = False
        for i in self._guarding(victim.cls):
            if victim.pod.name in self._budgets[i].disrupted_pods:
                continue  # the budget has recorded its eviction already
            left[i] -= 1
            violated |= left[i] < 0
        return violated

    def _guarding(self, cls: PodClass) -> tuple[int, ...]:
        """Which budgets guard pods of the class."""
        budgets = self._known.get(cls.id)
        if budgets is None:
            budgets = self._known[cls.id] = _matching(self._budgets, cls) if cls.labels else ()
        return budgets


Int64 = NDArray[np.int64]
Mask = NDArray[np.bool_]


class BudgetCache(BudgetBook):
    """A BudgetBook that is cached between attempts: pods that come and go are counted from the change log.

    ``allowed`` has the disruptions that each budget allows; ``counts`` int64[budgets, capacity] how many pods of each
    row it counts; ``any_disrupted`` tells whether evictions were granted by name, which columns cannot see.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._budgets = []
        self.allowed: list[int] = []
        self.counts: Int64 = np.zeros((0, 0), dtype=np.int64)
        self._generation = -1
        self._by_class: list[tuple[int, ...]] = []
        self._position = 0
        self._expected: list[int] = []
        self._healthy: list[int] = []
        self.any_disrupted = False
        self._flat: tuple[Int64, Int64, Int64] | None = None

    def update(self) -> None:
        """Bring everything up to the present."""
        table = self._cluster.table
        if self._generation != self._cluster.listers.generation or self.counts.shape[1] != table.capacity:
            self._generation = self._cluster.listers.generation
            self._budgets = _guarding_budgets(self._cluster)
            self.any_disrupted = any(budget.disrupted_pods for budget in self._budgets)
            self.allowed = [budget.disruptions_allowed or 0 for budget in self._budgets]
            self.counts = np.zeros((len(self._budgets), table.capacity), dtype=np.int64)
            self._expected, self._healthy = ([0] * len(self._budgets) for _ in range(2))
            self._by_class, self._flat, self._position = [], None, 0
        if self._budgets and self._position < self._cluster.log.length:
            self._count()

    def _count(self) -> None:
        """Count the pods that came and left since the last call."""
        rows, classes, signs = self._cluster.log.since(self._position)
        self._position += len(classes)
        touched: set[int] = set()
        order = classes.argsort(kind="stable")
        ordered = classes.take(order)
        for start, end in pairwise([0, *(np.flatnonzero(np.diff(ordered)) + 1).tolist(), len(order)]):
            cls, here = self._cluster.classes.all[ordered[start]], order[start:end]
            budgets = self._matching(cls)
            if not budgets:
                continue
            amount = int(signs[here].sum())
            for i in budgets:
                np.add.at(self.counts[i], rows[here], signs[here])
                self._expected[i] += amount
                self._healthy[i] += 0 if cls.terminating else amount
            touched.update(budgets)
        for i in touched:
            budget = self._budgets[i]
            if budget.disruptions_allowed is None:
                self.allowed[i] = _allowed(budget, self._expected[i], self._healthy[i])

    def _guarding(self, cls: PodClass) -> tuple[int, ...]:
        return self._matching(cls) if cls.labels else ()

    def _matching(self, cls: PodClass) -> tuple[int, ...]:
        """Which budgets count pods of the class, which they do not guard where it has no labels."""
        by_class = self._by_class
        if cls.id >= len(by_class):
            by_class.extend([_matching(self._budgets, other) for other in self._cluster.classes.all[len(by_class) :]])
            self._flat = None
        return by_class[cls.id]

    def violations_in(self, classes: Int64) -> Mask:
        """``violations`` of many rows at once, bool[rows, pods], where ``any_disrupted`` is False.

        ``classes`` int64[rows, pods] are class ids in order of importance, -1 past the end.
        """
        numbers, firsts, budgets = self._flattened()
        flags, flat = np.zeros(classes.size, dtype=bool), classes.ravel()
        times = numbers.take(flat, mode="wrap")
        which = np.flatnonzero(times)
        if not len(which):
            return flags.reshape(classes.shape)
        times = times.take(which)
        ends = times.cumsum()
        which = which.repeat(times)
        within = np.arange(len(which)) - (ends - times).repeat(times)
        guards = budgets.take(firsts.take(flat.take(which)) + within)
        keys = which // classes.shape[1] * len(self._budgets) + guards
        order = keys.argsort(kind="stable")
        place = np.arange(len(keys))
        place -= np.maximum.accumulate(np.where(np.diff(keys.take(order), prepend=-1) != 0, place, 0))
        broken = place >= np.array(self.allowed).take(guards.take(order))
        flags[which.take(order).compress(broken)] = True
        return flags.reshape(classes.shape)

    def _flattened(self) -> tuple[Int64, Int64, Int64]:
        """By class id, the last entry for none: how many budgets guard it and where they begin in the third array."""
        classes = self._cluster.classes.all
        if classes:
            self._matching(classes[-1])
        if self._flat is None:
            guards = [self._guarding(cls) for cls in classes]
            numbers = np.array([*map(len, guards), 0], dtype=np.int64)
            flat = np.array([i for some in guards for i in some], dtype=np.int64)
            self._flat = (numbers, numbers.cumsum() - numbers, flat)
        return self._flat


def _matching(budgets: Sequence[PodDisruptionBudget], cls: PodClass) -> tuple[int, ...]:
    return tuple([i for i, budget in enumerate(budgets) if guards(budget, cls.example)])


def _guarding_budgets(cluster: Cluster) -> list[PodDisruptionBudget]:
    """Budgets that can guard a pod here: not those without or with an empty selector."""
    return [b for b in cluster.listers.budgets.values() if b.selector is not None and b.selector.requirements]


def _allowed_now(cluster: Cluster, budget: PodDisruptionBudget) -> int:
    """As ``disruptions_allowed`` with the placed pods, which are counted by tallies."""
    if budget.disruptions_allowed is not None:
        return budget.disruptions_allowed
    name = f"budget/{budget.namespace}/{budget.selector!r}"

    among = partial(cluster.classes.selected, budget.selector)
    expected = cluster.tally(f"{name}/expected", lambda cls: int(guards(budget, cls.example)), among)
    healthy = cluster.tally(
        f"{name}/healthy", lambda cls: int(not cls.terminating and guards(budget, cls.example)), among
    )
    return _allowed(budget, expected.total, healthy.total)
