"""Objects that have a kind and a name only, since a deletion needs no more."""

from __future__ import annotations

from typing import Any

from scheduler_core.api import objects as k8s

_SELECTING = ("Service", "ReplicaSet", "ReplicationController", "StatefulSet")
"""Kinds of which a run keeps the selector."""


def named_object(kind: str, namespace: str, name: str) -> Any:
    """An object of this kind and name, None for a kind that a run does not read."""
    facts: dict[str, Any] = {"name": name, "namespace": namespace or "default"}
    if kind in _SELECTING:
        return k8s.WorkloadSelector(kind=kind, **facts)
    if kind in k8s.WORKLOAD_KINDS:
        return k8s.Workload(kind=kind, template=k8s.Pod(name=""), **facts)
    struct = k8s.KINDS.get(kind)
    if struct is None or struct is k8s.WorkloadSelector:
        return None
    if struct is k8s.PriorityClass:
        facts["value"] = 0
    fields = struct.__struct_fields__
    return struct(**{field: value for field, value in facts.items() if field in fields})
