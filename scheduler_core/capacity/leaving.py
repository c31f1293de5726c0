"""Nodes that leave: where the pods of drained nodes go, and which nodes are not needed.

A node that leaves takes pods of DaemonSets and static pods with it. All others are evicted in the order in which the
queue would try them, and placed by the engine on what is left, each beside those before it; what waits anyway is left
out. Some pods may not be evicted and block: one whose budget allows no more disruptions, one without a controller,
which nobody makes again, one with a volume of its node's own. A drain waits until a pod runs elsewhere before it asks a
budget again, so only pods that stay pending use a budget up; an autoscaler evicts all pods of a node together, so each
of them does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import NamedTuple

import msgspec

from scheduler_core.api.objects import Pod, PodDisruptionBudget
from scheduler_core.capacity.resting import RestingCluster, goes_with_node
from scheduler_core.capacity.unplaced import UnplacedPod, off_all
from scheduler_core.framework.preemption.disruption_budgets import disruptions_allowed, guards

NO_CONTROLLER, LOCAL_STORAGE, BUDGET, KEPT = "EVICT_NO_CONTROLLER", "EVICT_LOCAL_STORAGE", "EVICT_BUDGET", "EVICT_KEPT"
_KEEPING = {
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    "karpenter.sh/do-not-disrupt": "true",
    "karpenter.sh/do-not-evict": "true",
}
"""Annotations by which autoscalers leave a pod where it is."""
_LOCAL = ("emptyDir", "hostPath")


class PodMove(msgspec.Struct, frozen=True):
    """Where an evicted pod goes."""

    pod: str
    source: str = msgspec.field(name="from")
    target: str = msgspec.field(name="to")


class Blocked(msgspec.Struct, frozen=True):
    """A pod that may not be evicted: the code, the budget (namespace/name) where it is one, and why in words."""

    pod: str
    code: str
    budget: str = ""
    why: str = ""


class BudgetUse(msgspec.Struct, frozen=True):
    """A budget (namespace/name), how many disruptions it allows before the drain, and how many of the pods it is of."""

    budget: str
    allowed: int
    pods: int


class NodesDrained(msgspec.Struct, frozen=True, kw_only=True):
    """A drain of nodes; ``order`` has its pods in the order of evictions, each with its node. ``pending`` find no node
    then; ``blocked`` may not be evicted, now or in this order; ``stay`` go with their node. ``budgets`` are of any of
    the pods."""

    nodes: tuple[str, ...]
    moves: tuple[PodMove, ...] = ()
    pending: tuple[UnplacedPod, ...] = ()
    blocked: tuple[Blocked, ...] = ()
    stay: tuple[str, ...] = ()
    order: dict[str, str] = {}
    budgets: tuple[BudgetUse, ...] = ()


class NodeNeed(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a node is needed, alone: not where all its pods may be evicted and find another node. ``codes`` say why
    it is, ``pod`` the first pod that keeps it and ``why`` in words; ``moves`` is how many pods go elsewhere."""

    name: str
    needed: bool
    codes: tuple[str, ...] = ()
    pod: str = ""
    why: str = ""
    moves: int = 0


def drain(resting: RestingCluster, nodes: Sequence[str]) -> NodesDrained:
    """Where the pods of these nodes go. Raises KeyError for a node that is not there."""
    source = {pod.key: name for name in nodes for pod in resting.pods_on(_known(resting, name))}
    stay = [pod.key for name in nodes for pod in resting.pods_on(name) if goes_with_node(pod)]
    budgets = _Budgets(_allowed(resting))
    blocked, moves, left = list[Blocked](), list[PodMove](), list[Pod]()
    with resting.changed(gone=nodes) as moving, ExitStack() as stack:
        uses = budgets.uses(moving)
        for pod in moving:
            problem = _by_drain(pod) or budgets.refusal(pod)
            if problem is not None:
                blocked.append(problem)
            elif target := resting.node_for(pod):
                resting.put(stack, pod, target)
                moves.append(PodMove(pod.key, source[pod.key], target))
            else:
                budgets.lose(pod)
                left.append(pod)
        with resting.placed(left) as nodes_of:  # one that came after them may let them in
            pending = [off_all(resting, pod) for pod in left if pod.key not in nodes_of]
            moves += [PodMove(pod.key, source[pod.key], nodes_of[pod.key]) for pod in left if pod.key in nodes_of]
    return NodesDrained(
        nodes=tuple(nodes),
        moves=tuple(moves),
        pending=tuple(pending),
        blocked=tuple(blocked),
        stay=tuple(stay),
        order={pod.key: source[pod.key] for pod in moving},
        budgets=uses,
    )


def unneeded(resting: RestingCluster, is_over: Callable[[], bool] = lambda: False) -> Iterator[NodeNeed]:
    """Each node alone, in the order of the inputs, until ``is_over``."""
    allowed = _allowed(resting)
    for name in resting.nodes:
        if is_over():
            return
        yield _need(resting, name, _Budgets(allowed))


def _need(resting: RestingCluster, name: str, budgets: _Budgets) -> NodeNeed:
    with resting.changed(gone=[name]) as moving:
        for pod in moving:
            problem = _by_autoscaler(pod) or budgets.refusal(pod)
            if problem is not None:
                return NodeNeed(name=name, needed=True, codes=(problem.code,), pod=pod.key, why=problem.why)
            budgets.lose(pod)
        with resting.placed(moving) as nodes_of:
            left = next((pod for pod in moving if pod.key not in nodes_of), None)
            if left is None:
                return NodeNeed(name=name, needed=False, moves=len(nodes_of))
            refused = off_all(resting, left)
    return NodeNeed(
        name=name, needed=True, codes=refused.codes, pod=refused.pod, why="; ".join(refused.texts), moves=len(nodes_of)
    )


class _Allowed(NamedTuple):
    budget: PodDisruptionBudget
    left: int


def _allowed(resting: RestingCluster) -> list[_Allowed]:
    pods = list(resting.simulation.world.pods.values())
    budgets = resting.simulation.context.cluster.listers.budgets.values()
    return [_Allowed(one, disruptions_allowed(one, pods)) for one in budgets]


class _Budgets:
    """What budgets still allow while pods are evicted one after the other."""

    def __init__(self, allowed: list[_Allowed]) -> None:
        self.left = allowed

    def uses(self, pods: Sequence[Pod]) -> tuple[BudgetUse, ...]:
        """The budgets of any of the pods, with what they allow now."""
        counts = [(one, sum(guards(one.budget, pod) for pod in pods)) for one in self.left]
        return tuple([BudgetUse(one.budget.key, one.left, count) for one, count in counts if count])

    def refusal(self, pod: Pod) -> Blocked | None:
        """Which budget does not allow the pod's eviction; None where all do."""
        for budget, left in self.left:
            if left <= 0 and guards(budget, pod):
                why = f"budget {budget.namespace}/{budget.name} allows no more disruptions"
                return Blocked(pod.key, BUDGET, f"{budget.namespace}/{budget.name}", why)
        return None

    def lose(self, pod: Pod) -> None:
        """Count a pod that was evicted and does not run again meanwhile."""
        self.left = [one._replace(left=one.left - 1) if guards(one.budget, pod) else one for one in self.left]


def _by_drain(pod: Pod) -> Blocked | None:
    """What stops `kubectl drain` without --force and --delete-emptydir-data."""
    if not any(owner.controller for owner in pod.owner_references):
        return Blocked(pod.key, NO_CONTROLLER, why="no controller makes it again")
    return _with_local_data(pod)


def _by_autoscaler(pod: Pod) -> Blocked | None:
    """What has a cluster autoscaler leave a node alone."""
    for key, value in _KEEPING.items():
        if pod.annotations.get(key) == value:
            return Blocked(pod.key, KEPT, why=f"its annotation {key} is {value}")
    if not any(owner.controller for owner in pod.owner_references):
        return Blocked(pod.key, NO_CONTROLLER, why="no controller makes it again")
    return _with_local_data(pod)


def _with_local_data(pod: Pod) -> Blocked | None:
    local = next((volume for volume in pod.volumes if volume.source in _LOCAL), None)
    if local is None:
        return None
    return Blocked(pod.key, LOCAL_STORAGE, why=f"its volume {local.name} ({local.source}) is of its node")


def _known(resting: RestingCluster, name: str) -> str:
    if name not in resting.nodes:
        raise KeyError(name)
    return name
