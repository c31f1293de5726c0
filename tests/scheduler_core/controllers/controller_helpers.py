"""Workloads and situations for the controllers' tests, in few words."""

from __future__ import annotations

from scheduler_core.api.objects import Container, Pod, Workload
from scheduler_core.controllers.decision import Situation, WorkloadProgress
from scheduler_core.controllers.registry import decide
from scheduler_core.controllers.templates import owner_reference

TEMPLATE = Pod(name="", namespace="shop", labels={"app": "web"}, containers=(Container("main"),))


def workload(kind: str, replicas: int = 3, **fields: object) -> Workload:
    fields.setdefault("template", TEMPLATE)
    return Workload(kind=kind, name="web", namespace="shop", replicas=replicas, **fields)  # type: ignore[arg-type]


def pod_of(owner: Workload, name: str, **fields: object) -> Pod:
    """A pod of the workload, bound to node n unless said otherwise; ``leaves`` True: it terminates."""
    fields.setdefault("node_name", "n")
    if fields.pop("leaves", False):
        fields["deletion_timestamp"] = 10.0
    return Pod(name=name, namespace="shop", owner_references=(owner_reference(owner),), **fields)  # type: ignore[arg-type]


def situation(*pods: Pod, **fields: object) -> Situation:
    """The pods as they are at virtual time 0 of seed 7; names of other pods that are taken are in ``taken``."""
    keys = {pod.key for pod in pods} | set(fields.pop("taken", ()))  # type: ignore[call-overload]
    terminating = sum(pod.deletion_timestamp is not None for pod in pods)
    given = {"now": 0, "wall_time": 100.0, "seed": 7, **fields}
    return Situation(len(pods) - terminating, terminating, lambda: pods, is_taken=keys.__contains__, **given)  # type: ignore[arg-type]


def made(owner: Workload, now: Situation, progress: WorkloadProgress | None = None) -> list[str]:
    """Names of the pods that the controller makes."""
    return [pod.name for pod in decide(owner, progress or WorkloadProgress(), now).make]
