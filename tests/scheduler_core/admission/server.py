"""A namespace of an API server, played without a scheduler or controllers: objects are applied and deleted in the order
of a recorded history, pods by admission; a workload asks for its pods one by one until one is refused."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from scheduler_core.admission.admitting import AdmissionInputs, admit
from scheduler_core.admission.classes import refused_class
from scheduler_core.admission.ledger import QuotaLedger
from scheduler_core.admission.verdicts import Admitted, RefusedObject
from scheduler_core.api.objects import KINDS, Pod
from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.kinds.context import BUILT_IN_CLASSES

BUILT_IN = {one.name: one.value for one in BUILT_IN_CLASSES}
RESOURCES = {
    "ConfigMap": "configmaps", "Secret": "secrets", "Service": "services", "Deployment": "deployments.apps",
    "ReplicaSet": "replicasets.apps", "Job": "jobs.batch", "PersistentVolumeClaim": "persistentvolumeclaims",
}  # fmt: skip


class Server:
    """``refused`` are the texts of what controllers asked for in vain, ``pods`` those that are there, by name."""

    def __init__(self) -> None:
        self.ledger = QuotaLedger()
        self.pods: dict[str, Pod] = {}
        self.objects: dict[tuple[str, str], Any] = {}
        self.refused: list[str] = []
        for one in BUILT_IN_CLASSES:
            self.objects["PriorityClass", one.name] = one
        self.ledger.count("team", "configmaps", 1)  # kube-root-ca.crt

    def apply(self, raw: dict[str, Any]) -> RefusedObject | str:
        """Create an object: a refusal, findings of an invalid one, or "" where it is there now."""
        kind, name = raw["kind"], raw["metadata"]["name"]
        if (resource := RESOURCES.get(kind)) and (refusal := self.ledger.refusal_of("team", resource, name)):
            return refusal
        loaded = load_manifests([raw])
        if loaded.errors:
            return "; ".join(f"{one.field}: {one.message}" for one in loaded.errors)
        if resource:
            self.ledger.count("team", resource, 1)
        if kind == "Pod":
            return self.make(loaded.objects.pods[0])
        if loaded.objects.workloads:
            self.make_all(loaded.objects.workloads[0].template, name, len(loaded.objects.pods))
        elif kind in KINDS:
            return self.keep(kind, name, loaded)
        return ""

    def keep(self, kind: str, name: str, loaded: Any) -> RefusedObject | str:
        """Keep an object that admission reads."""
        objects = [one for field in loaded.objects.__struct_fields__ for one in getattr(loaded.objects, field)]
        one = next((one for one in objects if type(one) is KINDS[kind] and one.name == name), None)
        if kind == "PriorityClass" and (refusal := refused_class(one, self.of(kind), BUILT_IN)):
            return refusal
        self.objects[kind, name] = one
        if kind == "ResourceQuota":
            self.ledger.put(one, self.pods.values())
        return ""

    def of(self, kind: str) -> list[Any]:
        """The objects of a kind, in the order in which they came."""
        return [one for (of, _), one in self.objects.items() if of == kind]

    def make_all(self, template: Pod, name: str, count: int) -> None:
        """Make the pods of a workload."""
        for number in range(count):
            outcome = self.make(replace(template, name=f"{name}-{number}"), f"{name}-")
            if isinstance(outcome, RefusedObject):
                self.refused.append(outcome.text)
                return

    def make(self, pod: Pod, prefix: str = "") -> RefusedObject | str:
        """Make a pod."""
        around = AdmissionInputs(
            ranges=self.of("LimitRange"),
            priority_classes={one.name: one for one in self.of("PriorityClass")},
            runtime_classes={one.name: one for one in self.of("RuntimeClass")},
            ledger=self.ledger,
            prefix=prefix,
        )
        outcome = admit(pod, around)
        if isinstance(outcome, RefusedObject):
            return outcome
        assert isinstance(outcome, Admitted)
        self.pods[pod.name] = outcome.pod
        self.ledger.book(outcome.pod)
        return ""

    def delete(self, kind: str, name: str) -> None:
        """Delete an object."""
        if resource := RESOURCES.get(kind):
            self.ledger.count("team", resource, -1)
        if kind == "Pod" and name in self.pods:
            self.ledger.release(self.pods.pop(name))
        one = self.objects.pop((kind, name), None)
        if kind == "ResourceQuota" and one is not None:
            self.ledger.drop(one)
