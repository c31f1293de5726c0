"""Selectors of Services and workloads, which default spreading looks at, from raw values."""

from __future__ import annotations

from scheduler_core.api.labels import LabelSelector
from scheduler_core.api.objects import WorkloadSelector
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.names import dns_label_problem, name_problem, service_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.metadata import read_metadata
from scheduler_core.manifests.kinds.selectors import label_selector, plain_selector

_RULES = {"Service": service_problem, "StatefulSet": dns_label_problem}


def read_workload_selector(at: At, kind: str, memo: Memo) -> WorkloadSelector:
    """The selector of a Service, ReplicationController, ReplicaSet or StatefulSet as default spreading sees it."""
    meta = read_metadata(at, memo, namespaced=True, rule=_RULES.get(kind, name_problem))
    selector = at.get("spec").get("selector")
    plain = kind in ("Service", "ReplicationController")
    parsed: LabelSelector | None = plain_selector(selector) if plain else label_selector(selector)
    return WorkloadSelector(kind=kind, name=meta.name, namespace=meta.namespace, selector=parsed)
