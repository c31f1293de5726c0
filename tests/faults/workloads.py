"""The clusters of the fault trials: small, wide, too small, and one in which owners make pods anew."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.dashboard.run_helpers import cluster_of, node, pod
from tests.faults.lengths import length

APPS = "apps/v1"
N_NODES = 12


class Workload(NamedTuple):
    """A cluster's manifests, and what happens to it; without entries all its pods are scheduled."""

    manifests: list[dict[str, Any]]
    entries: list[dict[str, Any]]

    @property
    def schedule(self) -> str:
        """Return what runs of it schedule."""
        return "timeline" if self.entries else "all"


def _crowded() -> list[dict[str, Any]]:
    """Return a cluster that is too small: the pods of low priority look for victims, find none and stay pending."""
    pods = [
        pod(f"pod-{n}", f"{300 * (n % 5 + 1)}m", priorityClassName=f"level-{n * 7 % 4}")
        for n in range(length(short=300, long=600))
    ]
    return _levels() + [node(f"node-{n}") for n in range(length(short=15, long=30))] + pods


def _levels() -> list[dict[str, Any]]:
    return [
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": f"level-{n}"},
            "value": n * 1000,
        }
        for n in range(4)
    ]


# ---------------------------------------------------------------- owners


def _owned() -> Workload:
    """Return workloads of every kind that lose pods: by preemption, deletion, completion and with their nodes.

    One Job completes, the other one fails at its default backoffLimit.
    """
    nodes = [node(f"node-{n}", "8") for n in range(N_NODES)]
    workloads = [
        _workload(APPS, "Deployment", "web", "300m", replicas=130),
        _workload(APPS, "StatefulSet", "db", "500m", replicas=12),
        _workload(APPS, "StatefulSet", "shards", "400m", replicas=12, podManagementPolicy="Parallel"),
        _workload(APPS, "DaemonSet", "agent", "200m", priorityClassName="level-2"),
        _job("report", completions=200, parallelism=15, completionMode="Indexed", backoffLimit=500),
        _job("mail", completions=100, parallelism=5),
    ]
    return Workload([*_levels(), *nodes, *workloads, *_bound_pods()], _happenings())


def _workload(api_version: str, kind: str, name: str, cpu: str, **spec: Any) -> dict[str, Any]:
    """Return a workload of pods that request `cpu`; `spec` is the workload's, but for fields of pods."""
    in_pods = {field: spec.pop(field) for field in ("priorityClassName", "restartPolicy") if field in spec}
    template = {"metadata": {"labels": {"app": name}}, "spec": pod("", cpu, **in_pods)["spec"]}
    selector = {} if kind == "Job" else {"selector": {"matchLabels": {"app": name}}}
    metadata = {"name": name, "namespace": "shop"}
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": metadata,
        "spec": {**selector, "template": template, **spec},
    }


def _job(name: str, **spec: Any) -> dict[str, Any]:
    return _workload("batch/v1", "Job", name, "700m", restartPolicy="Never", **spec)


def _bound_pods() -> list[dict[str, Any]]:
    """Return pods that run at the start: of a ReplicaSet that no object describes, bare, static, and terminating."""
    bound = []
    for n in range(N_NODES):
        bound += [
            _bound(f"cache-7c9d5-{n:05}", n, "400m", ("ReplicaSet", "cache-7c9d5")),
            _bound(f"static-node-{n}", n, "100m", ("Node", f"node-{n}"), priority=2_000_001_000),
            _bound(f"bare-{n}", n, "200m", priority=-10),
        ]
        leaving = _bound(f"leaving-{n}", n, "1500m")
        leaving["metadata"] |= {"deletionTimestamp": f"2026-01-01T00:00:{n + 10}Z", "deletionGracePeriodSeconds": 30}
        bound.append(leaving)
    return bound


def _bound(name: str, n: int, cpu: str, owner: tuple[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    manifest = pod(name, cpu, nodeName=f"node-{n}", **spec)
    manifest["metadata"] |= {"uid": f"6f8a3c1e-{name}"}
    manifest["status"] = {"phase": "Running", "startTime": "2026-01-01T00:00:00Z"}
    if owner:
        kind, owner_name = owner
        api_version = "v1" if kind == "Node" else APPS
        reference = {"apiVersion": api_version, "kind": kind, "name": owner_name, "uid": owner_name, "controller": True}
        manifest["metadata"]["ownerReferences"] = [reference]
    return manifest


def _happenings() -> list[dict[str, Any]]:
    """Return a timeline: pods of high priority come, replicas are deleted, and nodes are lost and come back."""
    entries = []
    for n in range(N_NODES):
        at, lost = 20 * n + 5, node(f"node-{n}", "8")
        urgent = pod(f"urgent-{n}", "3", priorityClassName="level-3")
        deleted = _bound(f"cache-7c9d5-{n:05}", n, "400m", ("ReplicaSet", "cache-7c9d5"))
        entries += [
            {"at": f"{at}s", "action": "add", "object": urgent},
            {"at": f"{at + 4}s", "action": "delete", "object": deleted},
            {"at": f"{at + 8}s", "action": "delete", "object": lost},
            {"at": f"{at + 30}s", "action": "add", "object": lost},
        ]
    return entries


WORKLOADS: dict[str, Workload] = {
    "small": Workload(cluster_of(30, length(short=200, long=400)), []),
    "wide": Workload(cluster_of(*length(short=(100, 400), long=(300, 1200))), []),
    "crowded": Workload(_crowded(), []),
    "owned": _owned(),
}
