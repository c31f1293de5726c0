"""Groups of Cluster API's MachineDeployments and of OpenShift's MachineSets.

A new node is like the newest one that is there. Without one, the annotations by which the cluster autoscaler scales
from zero say what it has; where they do not, nothing is known.

Sources: https://cluster-api.sigs.k8s.io/tasks/automated-machine-management/autoscaling, the autoscaler's
cloudprovider/clusterapi (clusterapi_unstructured.go, clusterapi_utils.go, also of OpenShift's fork),
https://cluster-api.sigs.k8s.io/reference/api/metadata-propagation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from scheduler_core.api.objects import Node
from scheduler_core.api.taints import Taint
from scheduler_core.api.unplayed import UnplayedObject
from scheduler_core.capacity.groups.labels import SHAPE, ZONE, newest
from scheduler_core.capacity.groups.model import GroupError, NodeGroup, template_of
from scheduler_core.capacity.groups.raw_objects import ObjectFields
from scheduler_core.manifests.kinds.nodes import read_taints

MACHINE_DEPLOYMENT, MACHINE_SET, MACHINE_AUTOSCALER = "MachineDeployment", "MachineSet", "MachineAutoscaler"
Owner = tuple[str, str, str]
"""Kind, namespace ("": not known) and name of what makes nodes."""
_CAPACITY = "capacity.cluster-autoscaler.kubernetes.io/"
_OPENSHIFT = "machine.openshift.io/"
_GROUP_SIZE = "cluster-api-autoscaler-node-group-"
_AMOUNTS = {
    "cpu": (f"{_CAPACITY}cpu", f"{_OPENSHIFT}vCPU"),
    "memory": (f"{_CAPACITY}memory", f"{_OPENSHIFT}memoryMb"),
    "ephemeral-storage": (f"{_CAPACITY}ephemeral-disk",),
    "pods": (f"{_CAPACITY}maxPods", f"{_OPENSHIFT}maxPods"),
}
_PODS = {MACHINE_DEPLOYMENT: 110, MACHINE_SET: 250}
"""The defaults of the autoscaler and of OpenShift's kubelets."""
_PLATFORM = {"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux"}
"""What the autoscaler takes a new node for unless annotations say otherwise."""
_PASSED_ON = ("node-role.kubernetes.io", "node-restriction.kubernetes.io", "node.cluster.x-k8s.io")
_REGION = "topology.kubernetes.io/region"


def owner_of(node: Node) -> Owner | None:
    """The MachineDeployment or MachineSet of a node by its annotations: machines, and the MachineSets of a
    MachineDeployment, have the name of their owner and a code after it."""
    notes = node.annotations
    if notes.get("cluster.x-k8s.io/owner-kind") == MACHINE_SET:
        name = notes.get("cluster.x-k8s.io/owner-name", "").rpartition("-")[0]
        return MACHINE_DEPLOYMENT, notes.get("cluster.x-k8s.io/cluster-namespace", ""), name
    namespace, _, machine = notes.get("machine.openshift.io/machine", "").partition("/")
    return (MACHINE_SET, namespace, machine.rpartition("-")[0]) if machine else None


def group_of_machines(
    one: UnplayedObject, own: Sequence[Node], autoscalers: Iterable[UnplayedObject] = ()
) -> NodeGroup:
    """The group of the object, whose nodes at hand are ``own``. Raises GroupError where what a new node has is not
    known, and where a field or an annotation cannot be read."""
    fields = ObjectFields(one)
    notes = fields.at("metadata", "annotations").annotations()
    template = _like_newest(own) if own else _from_zero(one, fields, notes)
    least, most = _bounds(one, fields, notes, autoscalers)
    fields.check()
    if template is None:
        raise GroupError("no node of it is at hand, and its annotations do not say how much cpu and memory one has")
    return NodeGroup(
        name=one.name,
        template=replace(template, labels={**template.labels, **_passed_on(one, fields)}),
        minimum=least,
        maximum=most,
        present=tuple([node.name for node in own]),
        source=f"{one.title}, {f'like {newest(own).name}' if own else 'by its annotations'}",
    )


def _like_newest(own: Iterable[Node]) -> Node:
    return template_of(newest(own))


def _bounds(
    one: UnplayedObject, fields: ObjectFields, notes: Mapping[str, str], autoscalers: Iterable[UnplayedObject]
) -> tuple[int, int | None]:
    """The fewest and the most nodes: by annotations, which OpenShift's MachineAutoscaler writes, else by that."""
    for scaler in autoscalers:
        target = ObjectFields(scaler).at("spec", "scaleTargetRef")
        if (target.get("kind").raw, scaler.namespace, target.get("name").raw) == (one.kind, one.namespace, one.name):
            of = ObjectFields(scaler)
            least = of.at("spec", "minReplicas").integer(0, 0)
            most = of.at("spec", "maxReplicas")
            bounds = least, most.integer(0, 0) if most.present else None
            of.check()
            break
    else:
        bounds = 0, None
    domain = _OPENSHIFT if one.kind == MACHINE_SET else "cluster.x-k8s.io/"
    sizes = [_whole(fields, notes, f"{domain}{_GROUP_SIZE}{end}-size") for end in ("min", "max")]
    least, maximum = (bounds[0] if sizes[0] is None else sizes[0]), (bounds[1] if sizes[1] is None else sizes[1])
    if maximum is not None and maximum < least:
        raise GroupError(f"its maximum of {maximum:,} nodes is less than its minimum of {least:,}")
    return least, maximum


def _whole(fields: ObjectFields, notes: Mapping[str, str], key: str) -> int | None:
    """The whole number in an annotation, None without one."""
    if key not in notes:
        return None
    text = notes[key]
    is_whole = text.isascii() and text.isdecimal() and len(text) < 10
    return fields.under(int(text) if is_whole else text, "metadata", "annotations", key).integer(0, 0)


def _from_zero(one: UnplayedObject, fields: ObjectFields, notes: Mapping[str, str]) -> Node | None:
    """The node that the annotations describe."""
    amounts = {resource: _amount(fields, notes, resource, *keys) for resource, keys in _AMOUNTS.items()}
    amounts["pods"] = amounts["pods"] or _PODS[one.kind]
    gpus = _amount(fields, notes, "gpu", f"{_CAPACITY}gpu-count", f"{_OPENSHIFT}GPU")
    resources = {**amounts, notes.get(f"{_CAPACITY}gpu-type") or "nvidia.com/gpu": gpus}
    resources = {name: amount for name, amount in resources.items() if amount}
    if "cpu" not in resources or "memory" not in resources:
        return None
    typed = dict(part.split("=", 1) for part in notes.get(f"{_CAPACITY}labels", "").split(",") if "=" in part)
    labels = fields.under(typed, "metadata", "annotations", f"{_CAPACITY}labels").labels()
    return Node(
        name="",
        labels={**_PLATFORM, **_of_provider(fields), **labels},
        taints=_taints(fields, notes),
        capacity=resources,
        allocatable=resources,
    )


def _amount(fields: ObjectFields, notes: Mapping[str, str], resource: str, *keys: str) -> int:
    """The amount in the first of these annotations that is there, 0 for none."""
    key = next((one for one in keys if notes.get(one)), "")
    unit = "Mi" if key.endswith("/memoryMb") else ""
    text = f"{notes[key]}{unit}" if key else None
    return fields.under(text, "metadata", "annotations", key).quantity(resource) or 0


def _taints(fields: ObjectFields, notes: Mapping[str, str]) -> tuple[Taint, ...]:
    """The taints of the object's template, and those of the annotation, which count more."""
    by_key = {(one.key, one.effect): one for one in read_taints(fields.at("spec", "template", "spec", "taints"))}
    key = f"{_CAPACITY}taints"
    parts = [part.rpartition(":") for part in notes.get(key, "").split(",") if part]
    raws = [dict(zip(("key", "value"), pair.split("=", 1), strict=False)) | {"effect": end} for pair, _, end in parts]
    by_key |= {(one.key, one.effect): one for one in read_taints(fields.under(raws, "metadata", "annotations", key))}
    return tuple(by_key.values())


def _passed_on(one: UnplayedObject, fields: ObjectFields) -> dict[str, str]:
    """The labels of the object's template that nodes get: of a MachineSet all that it has for nodes, of a
    MachineDeployment those of the domains that Cluster API passes on."""
    if one.kind == MACHINE_SET:
        return fields.at("spec", "template", "spec", "metadata", "labels").labels()
    labels = fields.at("spec", "template", "metadata", "labels").labels()
    return {key: value for key, value in labels.items() if _is_passed_on(key.partition("/")[0])}


def _is_passed_on(domain: str) -> bool:
    return any(domain == one or (domain.endswith(f".{one}") and one != _PASSED_ON[0]) for one in _PASSED_ON)


def _of_provider(fields: ObjectFields) -> dict[str, str]:
    """The instance type, zone and region that OpenShift's provider fields of AWS, Azure and GCP give a node."""
    spec = fields.at("spec", "template", "spec", "providerSpec", "value")
    place = spec.get("placement")
    location, zone = spec.get("location").text(), spec.get("zone").text()
    shape = spec.get("instanceType").text() or spec.get("vmSize").text() or spec.get("machineType").text()
    labels = {
        SHAPE: shape,
        ZONE: place.get("availabilityZone").text() or (f"{location}-{zone}" if location and zone else zone),
        _REGION: place.get("region").text() or location or spec.get("region").text(),
    }
    return fields.under({key: value for key, value in labels.items() if value}, "spec").labels()
