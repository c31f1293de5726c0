"""What PreFilter asks of the quotas for one pod, and the same as facts."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from schedscope_capacity_scheduling.facts import QuotaFact
from schedscope_capacity_scheduling.quotas import Amounts, QuotaSnapshot
from schedscope_capacity_scheduling.requests import STANDARD, add, compared, limit_of, request_of
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.run_context import RunContext


class QuotaState(msgspec.Struct):
    """The plugin's state of a cycle: the quotas, the pod's request, and what is to be counted with it.

    ``in_quota``: the request with that of nominated pods of the namespace, of no lower priority. ``in_all``: with that
    of nominated pods of other namespaces besides, where these use no more than their min.
    """

    snapshot: QuotaSnapshot
    request: Amounts
    in_quota: Amounts
    in_all: Amounts

    def copy(self) -> QuotaState:
        """A state whose snapshot changes on its own."""
        return QuotaState(self.snapshot.copy(), self.request, self.in_quota, self.in_all)


def state_of(pod: PodInfo, snapshot: QuotaSnapshot, cluster: Cluster, run: RunContext) -> QuotaState:
    """The state for a pod; nominated pods count where the pod's namespace has a quota."""
    request = request_of(pod.pod)
    in_quota, in_all = dict(request), dict(request)
    if snapshot.covers(pod):
        for other in _nominated(cluster, run):
            if other.key == pod.key or not snapshot.covers(other):
                continue
            if other.cls.namespace != pod.cls.namespace:
                if not snapshot.over_min(other.cls.namespace):
                    add(in_all, request_of(other.pod))
            elif other.pod.priority >= pod.pod.priority:
                add(in_quota, request_of(other.pod))
                add(in_all, request_of(other.pod))
    return QuotaState(snapshot, request, in_quota, in_all)


def _nominated(cluster: Cluster, run: RunContext) -> Iterator[PodInfo]:
    for name in sorted(run.nominated_nodes()):
        if name in cluster.table.row_of:
            yield from run.nominated_pods(name)


def refusal(pod: PodInfo, state: QuotaState) -> str:
    """Why the quotas refuse the pod, "" where they do not or its namespace has none."""
    namespace, snapshot = pod.cls.namespace, state.snapshot
    if not snapshot.covers(pod):
        return ""
    rejected = f"Pod {pod.key} is rejected in PreFilter because"
    if snapshot.over_max(namespace, state.in_quota):
        return f"{rejected} ElasticQuota {namespace} is more than Max"
    if snapshot.over_sum_of_min(state.in_all):
        return f"{rejected} total ElasticQuota used is more than min"
    return ""


def facts_of_refusal(pod: PodInfo, state: QuotaState) -> tuple[QuotaFact, ...]:
    """The numbers behind ``refusal``: of each resource that is too much, and of the others that the pod requests."""
    namespace, snapshot = pod.cls.namespace, state.snapshot
    if not snapshot.covers(pod):
        return ()
    if over := snapshot.over_max(namespace, state.in_quota):
        quota, used = snapshot.quotas[namespace], snapshot.used(namespace)
        return tuple([
            QuotaFact(
                quota=quota.key,
                resource=name,
                request=state.request.get(name, 0),
                used=used.get(name, 0),
                promised=state.in_quota.get(name, 0) - state.request.get(name, 0),
                limit=limit_of(quota.max, name, is_max=True),
                is_named=quota.max is None or name in quota.max or name not in STANDARD,
                refuses=name in over,
            )
            for name in compared(state.in_quota)
            if name in over or state.request.get(name)
        ])  # fmt: skip
    if over := snapshot.over_sum_of_min(state.in_all):
        used, bound = snapshot.sum_used(), snapshot.sum_of_min()
        return tuple([
            QuotaFact(
                resource=name,
                request=state.request.get(name, 0),
                used=used.get(name, 0),
                promised=state.in_all.get(name, 0) - state.request.get(name, 0),
                limit=bound.get(name, 0),
                is_named=name in bound,
                refuses=name in over,
            )
            for name in compared({**used, **state.in_all})
            if name in over or state.request.get(name)
        ])  # fmt: skip
    return ()
