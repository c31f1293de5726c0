"""Custom kinds that make pods, each with the pods that it asks for, and a twin that differs in one field.

Sources: what the project's documentation or custom resource definition says of the fields.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

Raw = dict[str, Any]
_ROLLOUT = "https://argo-rollouts.readthedocs.io/en/stable/features/specification/"
_REFERENCE = "https://argo-rollouts.readthedocs.io/en/stable/migrating/#reference-deployment-from-rollout"
_RAY = "https://github.com/ray-project/kuberay/blob/master/ray-operator/config/crd/bases/ray.io_rayclusters.yaml"
_RAY_SCALED = "https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/configuring-autoscaling.html"
_SPARK = "https://github.com/kubeflow/spark-operator/blob/master/docs/api-docs.md"
_SPARK_MEMORY = "https://spark.apache.org/docs/latest/running-on-kubernetes.html#configuration"
_SPARK_TEMPLATE = "https://spark.apache.org/docs/latest/running-on-kubernetes.html#pod-template"
_SPARK_DYNAMIC = "https://spark.apache.org/docs/latest/configuration.html#dynamic-allocation"


class MadeCase(NamedTuple):
    """An object and those beside it; ``pods`` are {how names begin: how many}, ``requests`` of the pods that begin with
    the last of these. ``change`` is the path and the value (None: none) of the twin."""

    source: str
    raws: tuple[Raw, ...]
    pods: dict[str, int]
    requests: Raw
    change: tuple[tuple[str | int, ...], Any]
    twin_pods: dict[str, int]
    twin_requests: Raw


def made(api_version: str, kind: str, name: str, spec: Raw, **more: Any) -> Raw:
    """Return a manifest in the namespace a."""
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "a"}, "spec": spec, **more}


def template(cpu: str = "1", **spec: Any) -> Raw:
    """Return a pod template."""
    containers = [{"name": "c", "image": "i:1", "resources": {"requests": {"cpu": cpu}}}]
    return {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": containers, **spec}}


def rollout(**spec: Any) -> Raw:
    """Return a Rollout of three pods."""
    base = {"replicas": 3, "selector": {"matchLabels": {"app": "x"}}, "template": template()}
    return made("argoproj.io/v1alpha1", "Rollout", "r", base | spec)


def ray(*groups: Raw, **spec: Any) -> Raw:
    """Return a RayCluster with these groups of workers."""
    workers = [{"groupName": "g", "template": template(), **group} for group in groups]
    return made(
        "ray.io/v1", "RayCluster", "c", {"headGroupSpec": {"template": template()}, "workerGroupSpecs": workers, **spec}
    )


def spark(driver: Raw | None = None, executor: Raw | None = None, **spec: Any) -> Raw:
    """Return a SparkApplication with two executors."""
    both = {
        "driver": {"memory": "2g"} | (driver or {}),
        "executor": {"instances": 2, "memory": "8g"} | (executor or {}),
    }
    return made("sparkoperator.k8s.io/v1beta2", "SparkApplication", "s", {"type": "Scala", **both, **spec})


def changed(raw: Raw, path: tuple[str | int, ...], value: Any) -> Raw:
    """Return the manifest with another value at a path; None takes it away."""
    raw = copy.deepcopy(raw)
    at: Any = raw
    for step in path[:-1]:
        at = at.setdefault(step, {}) if isinstance(at, dict) else at[step]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return raw


_LENDER = made(
    "apps/v1", "Deployment", "d", {"replicas": 0, "selector": {"matchLabels": {"app": "x"}}, "template": template("2")}
)
_BORROWER = made(
    "argoproj.io/v1alpha1",
    "Rollout",
    "r",
    {"replicas": 2, "workloadRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}},
)
_GI = 1 << 30
_MI = 1 << 20
_HEAD_MEMORY = 512 * _MI
_WORKER = {"cpu": 1000, "memory": 256 * _MI}
"""What a worker requests: its init container waits for the head with 200m cpu and 256Mi."""
_EXECUTOR = {"cpu": 1000, "memory": 8 * _GI + 819 * _MI}
_SMALLER = {"cpu": 1000, "memory": 4 * _GI + 409 * _MI}
_BOTH = {"s-driver": 1, "s-exec-": 2}

CASES = {
    "rollout-replicas": MadeCase(
        _ROLLOUT, (rollout(),), {"r-": 3}, {"cpu": 1000},
        (("spec", "replicas"), None), {"r-": 1}, {"cpu": 1000},
    ),
    "rollout-reference": MadeCase(
        _REFERENCE, (_BORROWER, _LENDER), {"r-": 2}, {"cpu": 2000},
        (("spec", "workloadRef", "name"), "other"), {}, {},
    ),
    "ray-hosts": MadeCase(
        _RAY, (ray({"replicas": 2, "numOfHosts": 3}),), {"c-head-": 1, "c-g-worker-": 6}, _WORKER,
        (("spec", "workerGroupSpecs", 0, "numOfHosts"), None), {"c-head-": 1, "c-g-worker-": 2}, _WORKER,
    ),
    "ray-bounds": MadeCase(
        _RAY, (ray({"replicas": 5, "minReplicas": 1, "maxReplicas": 2}),), {"c-head-": 1, "c-g-worker-": 2}, _WORKER,
        (("spec", "workerGroupSpecs", 0, "replicas"), 0), {"c-head-": 1, "c-g-worker-": 1}, _WORKER,
    ),
    "ray-suspended": MadeCase(
        _RAY, (ray({"replicas": 1}, suspend=True),), {}, {},
        (("spec", "suspend"), False), {"c-head-": 1, "c-g-worker-": 1}, _WORKER,
    ),
    "ray-suspended-group": MadeCase(
        _RAY, (ray({"replicas": 3, "suspend": True}),), {"c-head-": 1}, {"cpu": 1000},
        (("spec", "workerGroupSpecs", 0, "suspend"), None), {"c-head-": 1, "c-g-worker-": 3}, _WORKER,
    ),
    "ray-of-another-cluster": MadeCase(
        _RAY, (ray({"replicas": 1}, managedBy="kueue.x-k8s.io/multikueue"),), {}, {},
        (("spec", "managedBy"), "ray.io/kuberay-operator"), {"c-head-": 1, "c-g-worker-": 1}, _WORKER,
    ),
    "ray-autoscaler": MadeCase(
        _RAY_SCALED, (ray(enableInTreeAutoscaling=True),), {"c-head-": 1}, {"cpu": 1500, "memory": _HEAD_MEMORY},
        (("spec", "enableInTreeAutoscaling"), None), {"c-head-": 1}, {"cpu": 1000},
    ),
    "spark-overhead": MadeCase(
        _SPARK_MEMORY, (spark(),), _BOTH, _EXECUTOR,
        (("spec", "type"), "Python"), _BOTH, {"cpu": 1000, "memory": 8 * _GI + 3276 * _MI},
    ),
    "spark-least-overhead": MadeCase(
        _SPARK_MEMORY, (spark(executor={"memory": "512m"}),), _BOTH, {"cpu": 1000, "memory": 896 * _MI},
        (("spec", "executor", "memoryOverhead"), "100"), _BOTH, {"cpu": 1000, "memory": 612 * _MI},
    ),
    "spark-cores": MadeCase(
        _SPARK, (spark(executor={"cores": 4}),), _BOTH, {"cpu": 4000, "memory": 8 * _GI + 819 * _MI},
        (("spec", "executor", "coreRequest"), "1500m"), _BOTH,
        {"cpu": 1500, "memory": 8 * _GI + 819 * _MI},
    ),
    "spark-settings": MadeCase(
        _SPARK_MEMORY, (spark(executor={"memory": None, "instances": None},
                              sparkConf={"spark.executor.memory": "4g",
                                         "spark.executor.instances": "3"}),),
        {"s-driver": 1, "s-exec-": 3}, _SMALLER,
        (("spec", "executor", "instances"), 1), {"s-driver": 1, "s-exec-": 1}, _SMALLER,
    ),
    "spark-dynamic": MadeCase(
        _SPARK_DYNAMIC, (spark(dynamicAllocation={"enabled": True, "minExecutors": 3, "initialExecutors": 4}),),
        {"s-driver": 1, "s-exec-": 4}, _EXECUTOR,
        (("spec", "dynamicAllocation", "enabled"), False), _BOTH,
        _EXECUTOR,
    ),
    "spark-over": MadeCase(
        _SPARK, (spark() | {"status": {"applicationState": {"state": "COMPLETED"}}},), {}, {},
        (("status", "applicationState", "state"), "RUNNING"), _BOTH,
        _EXECUTOR,
    ),
    "spark-template": MadeCase(
        _SPARK_TEMPLATE, (spark(executor={"template": {"spec": {"containers": [
            {"name": "other", "image": "i", "resources": {"requests": {"cpu": "3"}}},
            {"name": "spark-kubernetes-executor"}]}}}),),
        _BOTH, {"cpu": 4000, "memory": 8 * _GI + 819 * _MI},
        (("spec", "executor", "template", "spec", "containers", 1),
         {"name": "late", "resources": {"requests": {"cpu": "2"}}}),
        _BOTH, {"cpu": 3000, "memory": 8 * _GI + 819 * _MI},
    ),
}  # fmt: skip
