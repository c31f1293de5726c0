"""The elastic quotas of a cluster and what their namespaces use: as it is, and as copies that may be changed."""

from __future__ import annotations

from collections.abc import Mapping

from schedscope_capacity_scheduling.requests import add, exceeded, request_of, summed
from scheduler_core.api.objects import ElasticQuota
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo

Amounts = Mapping[str, int]
_NOTHING: Amounts = {}


class Usage:
    """What the placed pods of each namespace use, followed by the cluster's log of changes.

    A pod is placed from the moment that it is assumed on a node (Reserve) until it leaves the node or the assumption is
    undone (Unreserve), so this is what the reference counts by these points and by watching pods. It is a copy of
    what the cluster knows: nothing of it has to be saved.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._position = 0
        self._requests: list[tuple[str, Amounts]] = []
        self._used: dict[str, dict[str, int]] = {}

    def now(self) -> Mapping[str, Amounts]:
        """Used amounts by namespace, read-only to callers, who must not keep them either."""
        log = self._cluster.log
        if self._position < log.length:
            for cls in self._cluster.classes.all[len(self._requests) :]:
                self._requests.append((cls.namespace, request_of(cls.example)))
            _, classes, signs = log.since(self._position)
            for cls_id, sign in zip(classes.tolist(), signs.tolist(), strict=True):
                namespace, request = self._requests[cls_id]
                add(self._used.setdefault(namespace, {}), request, sign)
            self._position = log.length
        return self._used


class QuotaSnapshot:
    """The quota of each namespace and what is used of it; ``put`` and ``take`` change this copy only."""

    def __init__(self, quotas: Mapping[str, ElasticQuota], used: dict[str, Amounts], counted: dict[str, bool]) -> None:
        self.quotas = quotas
        self._used = used
        self._counted = counted

    @classmethod
    def of(cls, cluster: Cluster, usage: Usage) -> QuotaSnapshot:
        """As the cluster is. Of several quotas in a namespace the one that came first counts."""
        quotas: dict[str, ElasticQuota] = {}
        for quota in cluster.listers.elastic_quotas.values():
            quotas.setdefault(quota.namespace, quota)
        now = usage.now()
        return cls(quotas, {namespace: dict(now.get(namespace, _NOTHING)) for namespace in quotas}, {})

    def copy(self) -> QuotaSnapshot:
        """A snapshot that changes on its own."""
        return QuotaSnapshot(self.quotas, dict(self._used), dict(self._counted))

    def covers(self, info: PodInfo) -> bool:
        """Whether the pod's namespace has a quota."""
        return info.cls.namespace in self.quotas

    def used(self, namespace: str) -> Amounts:
        """What the namespace uses; it must have a quota."""
        return self._used[namespace]

    def put(self, info: PodInfo, *, is_placed: bool) -> None:
        """Count a pod, once. ``is_placed``: the cluster has it on a node, so that it is counted from the start."""
        if self.covers(info) and not self._counted.get(info.key, is_placed):
            self._change(info, 1)

    def take(self, info: PodInfo, *, is_placed: bool) -> None:
        """Count a pod no longer."""
        if self.covers(info) and self._counted.get(info.key, is_placed):
            self._change(info, -1)

    def _change(self, info: PodInfo, sign: int) -> None:
        changed = dict(self._used[info.cls.namespace])
        add(changed, request_of(info.pod), sign)
        self._used[info.cls.namespace] = changed
        self._counted[info.key] = sign > 0

    def over_max(self, namespace: str, request: Amounts) -> list[str]:
        """Resources of which the namespace would use more than its max with the request."""
        return exceeded(request, self._used[namespace], self.quotas[namespace].max, is_max=True)

    def over_min(self, namespace: str, request: Amounts | None = None) -> list[str]:
        """Resources of which the namespace uses more than its min, or would with the request."""
        bound, used = self.quotas[namespace].min, self._used[namespace]
        if request is None:
            return exceeded(used, _NOTHING, bound, is_max=False)
        return exceeded(request, used, bound, is_max=False)

    def over_sum_of_min(self, request: Amounts) -> list[str]:
        """Resources of which all namespaces with a quota would use more than their mins add up to."""
        return exceeded(summed(self.sum_used(), request), _NOTHING, self.sum_of_min(), is_max=False)

    def sum_used(self) -> dict[str, int]:
        """What all namespaces with a quota use."""
        return summed(*self._used.values())

    def sum_of_min(self) -> dict[str, int]:
        """The mins of all quotas added up."""
        return summed(*(quota.min or _NOTHING for quota in self.quotas.values()))
