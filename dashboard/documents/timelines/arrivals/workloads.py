"""A workload as the single pods that a timeline can add: as many as it wants, without the workload itself."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from dashboard.clusters.by_hand.copies import check_size, names_for
from dashboard.clusters.revisions.object_keys import object_key
from dashboard.common.problems import Problem
from scheduler_core.manifests import load_manifests

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

WORKLOADS = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "Job")
MOST_PODS = 5_000


def is_workload(raw: Mapping[str, Any]) -> bool:
    """Return whether `make_pods` can write out the pods of the object."""
    return raw.get("kind") in WORKLOADS


def make_pods(
    raw: Mapping[str, Any], context: Iterable[Mapping[str, Any]], taken: Collection[str]
) -> list[dict[str, Any]]:
    """Return the pods of a workload under free names: NAME-0, NAME-1 and so on. They have no owner.

    `context` are the namespaces and priority classes that it is admitted to. Raises Problem that names the field.
    """
    key = object_key(raw)
    result = load_manifests([*context, dict(raw)])
    if result.errors:
        first = result.errors[0]
        raise Problem(f"Object: {first.object}: {first.field}: {first.message}.")
    if (raw.get("spec") or {}).get("volumeClaimTemplates"):
        why = "single pods have no claims of their own. Remove it"
        raise Problem(f"Object: {key.label}: spec.volumeClaimTemplates: {why}.")
    n_pods = len(result.objects.pods)
    if not 0 < n_pods <= MOST_PODS:
        raise Problem(f"Object: {key.label} wants {n_pods:,} pods. Write from 1 to {MOST_PODS:,}.")
    template = raw["spec"]["template"]
    check_size([template], n_pods)
    return [_pod(template, name, key.namespace) for name in _names(key.name, n_pods, taken)]


def _names(name: str, n_pods: int, taken: Collection[str]) -> list[str]:
    plain = [f"{name}-{number}" for number in range(n_pods)]
    return names_for(f"{name}-#", n_pods, taken) if set(plain) & set(taken) else plain


def _pod(template: Mapping[str, Any], name: str, namespace: str) -> dict[str, Any]:
    metadata = {
        field: copy.deepcopy(value)
        for field, value in (template.get("metadata") or {}).items()
        if field in ("labels", "annotations")
    }
    spec = copy.deepcopy(template.get("spec") or {})
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, **metadata},
        "spec": spec,
    }
