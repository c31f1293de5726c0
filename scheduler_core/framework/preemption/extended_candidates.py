"""Candidates between the dry runs and the choice, as extenders are shown them and give them back (callExtenders)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.extending.hooks import NodeVictims
from scheduler_core.framework.preemption.decision import PRIORITY_SHIFT, VictimSet
from scheduler_core.framework.preemption.dry_run import importance, start_of


def victims_by_node(cluster: Cluster, candidates: Sequence[VictimSet]) -> dict[str, NodeVictims]:
    """The candidates by node, in order of names, with their victims as pods."""
    return {
        one.node: NodeVictims(tuple([cluster.pods[key] for key in one.victims]), one.violations) for one in candidates
    }


def candidates_left(
    cluster: Cluster, pod: PodInfo, left: Mapping[str, NodeVictims], shown: Sequence[VictimSet]
) -> list[VictimSet]:
    """The candidates that extenders left, in order of names. One that they left as it was shown stays itself."""
    before = {one.node: one for one in shown}
    return [_victim_set(cluster, pod, node, left[node], before.get(node)) for node in sorted(left)]


def _victim_set(cluster: Cluster, pod: PodInfo, node: str, victims: NodeVictims, before: VictimSet | None) -> VictimSet:
    """The numbers that the criteria compare; the first victim stands for the highest priority, whoever follows it."""
    keys = tuple([info.key for info in victims.pods])
    if before is not None and before.victims == keys and before.violations == victims.violations:
        return before
    on_node = cluster.pods_on(cluster.table.row_of[node]).values()
    spared = [info for info in on_node if info.pod.priority < pod.pod.priority and info.key not in keys]
    highest = max(info.pod.priority for info in victims.pods)
    return VictimSet(
        node=node,
        victims=keys,
        violations=victims.violations,
        reprieved=tuple([info.key for info in sorted(spared, key=importance)]),
        highest_priority=victims.pods[0].pod.priority,
        priority_sum=sum(info.pod.priority + PRIORITY_SHIFT for info in victims.pods),
        latest_start=min(start_of(info) for info in victims.pods if info.pod.priority == highest),
    )
