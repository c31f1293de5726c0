"""Small clusters with devices: who has which, and what a pod that waits claims of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scheduler_core.api.devices import (
    Allocation,
    ClaimSpec,
    Consumer,
    CounterSet,
    Device,
    DeviceCapacity,
    DeviceClass,
    DeviceConstraint,
    DeviceRequest,
    DeviceResult,
    DeviceTaint,
    ResourceSlice,
)
from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import ClusterObjects, PodResourceClaim, ResourceClaim
from scheduler_core.engine.policies import Policies
from scheduler_core.engine.simulation import Simulation
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.diagnosis import Diagnosis, diagnose
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.profiles.build import build_frameworks
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scheduler_core.explain.remedies.model import Remedies

ASKED = "default/p"
GPU = "gpu.example.com"
CLASS = DeviceClass(name=GPU, selectors=(f"device.driver == '{GPU}'",))
BIG = f"device.capacity['{GPU}'].memory.compareTo(quantity('40Gi')) >= 0"
SICK = DeviceTaint("sick", "yes", "NoSchedule")


def gpu(i: int, memory: str = "80Gi", taints: Sequence[DeviceTaint] = (), **fields: Any) -> Device:
    """gpu-i, of NUMA node 0 or 1 in turns of two."""
    attributes = {"numa": i // 2, **fields.pop("attributes", {})}
    capacity = {"memory": DeviceCapacity(memory)}
    return Device(name=f"gpu-{i}", attributes=attributes, capacity=capacity, taints=tuple(taints), **fields)


def pool_of(node: str, *devices: Device, **fields: Any) -> ResourceSlice:
    """The slice of a node's own pool."""
    fields = {"name": f"{node}-slice", "driver": GPU, "pool": node, "generation": 1, "node_name": node, **fields}
    return ResourceSlice(devices=devices, **fields)


def request(name: str = "g", **fields: Any) -> DeviceRequest:
    return DeviceRequest(name=name, **{"class_name": GPU, **fields})


def same(attribute: str = f"{GPU}/numa") -> DeviceConstraint:
    return DeviceConstraint(match_attribute=attribute)


def claim(*requests: DeviceRequest, constraints: Sequence[DeviceConstraint] = (), name: str = "c") -> ResourceClaim:
    return ResourceClaim(name=name, uid=name, spec=ClaimSpec(requests, tuple(constraints)))


def held(name: str, pod: str, *devices: tuple[str, str], node: str = "", **fields: Any) -> ResourceClaim:
    """The claim of a pod that has devices (pool, device) of a node."""
    there = tuple(DeviceResult(request="g", driver=GPU, pool=pool, device=one, **fields) for pool, one in devices)
    by_name = Requirement("metadata.name", "In", (node or devices[0][0],))
    selector = NodeSelector((NodeSelectorTerm(match_fields=(by_name,)),))
    reserved = (Consumer(pod, f"uid-default-{pod}"),) if pod else ()
    allocation = Allocation(there, (), selector)
    return ResourceClaim(
        name=name, uid=name, spec=ClaimSpec((request(),)), allocation=allocation, reserved_for=reserved
    )


def counted(name: str, *sets: CounterSet, **fields: Any) -> Device:
    return Device(name=name, consumes=sets, **fields)


def waiting(*claims: str, **fields: Any) -> Any:
    entries = tuple(PodResourceClaim(name, claim_name=name) for name in claims or ("c",))
    return make_pod("p", resource_claims=entries, **fields)


def holder(name: str, node: str, of: str, **fields: Any) -> Any:
    return make_pod(name, node_name=node, resource_claims=(PodResourceClaim("g", claim_name=of),), **fields)


class DeviceCluster:
    """Nodes, slices, claims and pods; the pod p waits. ``version``: the kube-scheduler that decides."""

    def __init__(
        self, *objects: Any, nodes: Sequence[Any] | Sequence[str] = ("n1",), pod: Any = None, **more: Any
    ) -> None:
        self.version = more.pop("version", "1.36")
        self.nodes = [make_node(one) if isinstance(one, str) else one for one in nodes]
        self.objects, self.classes = list(objects), more.pop("classes", [CLASS])
        self.pod = pod if pod is not None else waiting()

    def inputs(self) -> RunInputs:
        """The cluster as the inputs of a run."""
        by_type: dict[str, list[Any]] = {"ResourceSlice": [], "ResourceClaim": [], "Pod": []}
        for one in self.objects:
            by_type.setdefault(type(one).__name__, []).append(one)
        there = ClusterObjects(
            nodes=self.nodes,
            pods=[*by_type["Pod"], self.pod],
            resource_slices=by_type["ResourceSlice"],
            resource_claims=by_type["ResourceClaim"],
            resource_claim_templates=by_type.get("ResourceClaimTemplate", []),
            device_classes=list(self.classes),
        )
        policies = Policies(kubernetes=self.version, claims="ignore")  # claims are as the test has them
        return RunInputs(objects=there, policies=policies)

    def trials(self) -> Trials:
        """Trials before the first cycle."""
        simulation = Simulation(self.inputs(), build_frameworks, cached=False)
        simulation.step()
        return Trials(simulation)

    def diagnosis(self) -> Diagnosis | None:
        return diagnose(self.trials(), ASKED)

    def remedies(self) -> Remedies:
        return remedies(self.trials(), ASKED)
