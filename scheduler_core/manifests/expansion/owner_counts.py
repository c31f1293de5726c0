"""How many pods a Deployment wants in all where it has several ReplicaSets: in a rollout these have more together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec.structs import replace

from scheduler_core.api.objects import Workload
from scheduler_core.manifests.expansion.workloads import ParsedWorkload


def count_by_owner(workloads: list[Workload], written: Iterable[ParsedWorkload]) -> None:
    """Set ``owner_replicas`` of each of several sets of one Deployment, in place; Deployments are among ``written``."""
    deployments = {(one.meta.namespace, one.meta.name): one.replicas for one in written if one.kind == "Deployment"}
    of_owner = [_owning_deployment(one) for one in workloads]
    n_sets = Counter(of_owner)
    for i, owner in enumerate(of_owner):
        if owner in deployments and n_sets[owner] > 1:
            workloads[i] = replace(workloads[i], owner_replicas=deployments[owner])


def _owning_deployment(workload: Workload) -> tuple[str, str]:
    """Namespace and name of the Deployment that has the set, ("", "") where none does."""
    owner = workload.owner
    return (workload.namespace, owner.name) if owner is not None and owner.kind == "Deployment" else ("", "")
