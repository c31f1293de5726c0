"""Namespaces, priority classes, budgets, selectors, storage and pod groups from raw values."""

from __future__ import annotations

import re

from scheduler_core.api.labels import LabelSelector
from scheduler_core.api.objects import (
    CSIDriver,
    CSIDriverOnNode,
    CSINode,
    CSIStorageCapacity,
    Namespace,
    PersistentVolume,
    PersistentVolumeClaim,
    PodDisruptionBudget,
    PodGroup,
    PriorityClass,
    StorageClass,
    TopologySelectorTerm,
    VolumeAttachment,
    WorkloadSelector,
)
from scheduler_core.manifests.checking.names import (
    dns_label_problem,
    driver_problem,
    provisioner_problem,
    service_problem,
)
from scheduler_core.manifests.checking.raw_values import At, Memo, label_key_problem, name_problem
from scheduler_core.manifests.kinds.metadata import read_metadata
from scheduler_core.manifests.kinds.selectors import label_selector, node_selector, plain_selector
from scheduler_core.manifests.kinds.storage.volume_rules import (
    RECLAIM_POLICIES,
    check_claim_spec,
    check_class_name,
    check_volume_spec,
)
from scheduler_core.manifests.kinds.storage.volumes import VOLUME_SOURCES, read_source
from scheduler_core.manifests.model import quoted

_RULES = {"Service": service_problem, "StatefulSet": dns_label_problem}
_MAX_NODE_ID = 256
_PERCENT = re.compile(r"\d{1,6}%", re.ASCII)
_ALL = 100
_HIGHEST_USER_PRIORITY = 1_000_000_000
_RESERVED = "system-"
_BUILT_IN = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
_IS_DEFAULT = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
_MIGRATED = "storage.alpha.kubernetes.io/migrated-plugins"
NAME_LABEL = "kubernetes.io/metadata.name"


def read_namespace(at: At, memo: Memo) -> Namespace:
    """The namespace, with the label that carries its name."""
    meta = read_metadata(at, memo, namespaced=False, rule=dns_label_problem)
    return Namespace(meta.name, {**meta.labels, NAME_LABEL: meta.name})


def read_priority_class(at: At, memo: Memo) -> PriorityClass:
    """The priority class; user classes go up to 1,000,000,000 and do not start with system-."""
    at.mapping(("apiVersion", "kind", "metadata", "value", "globalDefault", "preemptionPolicy", "description"))
    meta = read_metadata(at, memo, namespaced=False)
    value = at.get("value").integer()
    if not at.get("value").present:
        at.get("value").error("is missing. Write the priority as a whole number")
    if meta.name.startswith(_RESERVED):
        if _BUILT_IN.get(meta.name) != value:
            at.get("metadata").get("name").error("names with system- are reserved for Kubernetes. Choose another name")
    elif value > _HIGHEST_USER_PRIORITY:
        at.get("value").error(f"{value} is too high. Write at most {_HIGHEST_USER_PRIORITY}")
    return PriorityClass(
        name=meta.name,
        value=value,
        global_default=at.get("globalDefault").boolean(),
        preemption_policy=at.get("preemptionPolicy").text("PreemptLowerPriority", ("PreemptLowerPriority", "Never")),
        description=at.get("description").text(),
    )


def read_budget(at: At, memo: Memo) -> PodDisruptionBudget:
    """The PodDisruptionBudget; disruptions_allowed None where the status does not say."""
    meta = read_metadata(at, memo, namespaced=True)
    spec, status = at.get("spec"), at.get("status")
    spec.mapping(("minAvailable", "maxUnavailable", "selector", "unhealthyPodEvictionPolicy"))
    if spec.get("minAvailable").present and spec.get("maxUnavailable").present:
        spec.get("maxUnavailable").error("minAvailable and maxUnavailable exclude each other. Keep one of them")
    spec.get("unhealthyPodEvictionPolicy").text(choices=("IfHealthyBudget", "AlwaysAllow"))
    allowed = status.get("disruptionsAllowed")
    return PodDisruptionBudget(
        name=meta.name,
        namespace=meta.namespace,
        selector=label_selector(spec.get("selector")),
        min_available=_int_or_percent(spec.get("minAvailable")),
        max_unavailable=_int_or_percent(spec.get("maxUnavailable")),
        disruptions_allowed=allowed.integer(0, 0) if allowed.present else None,
        disrupted_pods=tuple(status.get("disruptedPods").mapping()),
    )


def _int_or_percent(at: At) -> str | None:
    raw = at.raw
    if raw is None:
        return None
    if isinstance(raw, int) and not isinstance(raw, bool) and raw >= 0:
        return str(at.integer(0, 0))
    if isinstance(raw, str) and _PERCENT.fullmatch(raw):
        if int(raw[:-1]) > _ALL:
            at.error(f"{raw} is more than all pods. Write at most 100%")
        return raw
    at.error(f"{quoted(raw)} is neither a whole number of 0 or more nor a percentage. Write 2 or 50%")
    return None


def read_workload_selector(at: At, kind: str, memo: Memo) -> WorkloadSelector:
    """The selector of a Service, ReplicationController, ReplicaSet or StatefulSet as default spreading sees it."""
    meta = read_metadata(at, memo, namespaced=True, rule=_RULES.get(kind, name_problem))
    selector = at.get("spec").get("selector")
    plain = kind in ("Service", "ReplicationController")
    found: LabelSelector | None = plain_selector(selector) if plain else label_selector(selector)
    return WorkloadSelector(kind=kind, name=meta.name, namespace=meta.namespace, selector=found)


def read_claim(at: At, memo: Memo, *, is_template: bool = False) -> PersistentVolumeClaim:
    """The PersistentVolumeClaim; the spec of a StatefulSet's template is not judged when the StatefulSet is posted."""
    meta = read_metadata(at, memo, namespaced=True)
    spec = at.get("spec")
    if not is_template:
        check_claim_spec(spec)
    storage = spec.get("storageClassName")
    return PersistentVolumeClaim(
        name=meta.name,
        namespace=meta.namespace,
        uid=meta.uid,
        annotations=meta.annotations,
        labels=meta.labels,
        storage_class_name=storage.raw if isinstance(storage.raw, str) else storage.text() or None,
        volume_name=spec.get("volumeName").text(),
        volume_mode=spec.get("volumeMode").text("Filesystem", ("Filesystem", "Block")),
        access_modes=spec.get("accessModes").texts(),
        selector=label_selector(spec.get("selector")),
        requested_bytes=spec.get("resources").get("requests").get("storage").quantity("storage") or 0,
        phase=at.get("status").get("phase").text("Pending"),
        deletion_timestamp=meta.deleted,
        owner_references=meta.owners,
        attributes_class_name=spec.get("volumeAttributesClassName").text(),
    )


def read_volume(at: At, memo: Memo) -> PersistentVolume:
    """The PersistentVolume."""
    meta = read_metadata(at, memo, namespaced=False)
    spec = at.get("spec")
    check_volume_spec(spec, VOLUME_SOURCES)
    claim = spec.get("claimRef")
    source = read_source(spec)
    affinity = spec.get("nodeAffinity")
    return PersistentVolume(
        name=meta.name,
        labels=meta.labels,
        annotations=meta.annotations,
        storage_class_name=spec.get("storageClassName").text(),
        capacity_bytes=spec.get("capacity").get("storage").quantity("storage") or 0,
        volume_mode=spec.get("volumeMode").text("Filesystem", ("Filesystem", "Block")),
        access_modes=spec.get("accessModes").texts(),
        claim_ref=(claim.get("namespace").text(), claim.get("name").text(), claim.get("uid").text())
        if claim.present
        else None,
        node_affinity=node_selector(affinity.get("required")),
        phase=at.get("status").get("phase").text("Available"),
        source=source.field,
        attributes=source.attributes,
        deletion_timestamp=meta.deleted,
        attributes_class_name=spec.get("volumeAttributesClassName").text(),
    )


def read_storage_class(at: At, memo: Memo) -> StorageClass:
    """The StorageClass; volume binding mode Immediate where none is given."""
    meta = read_metadata(at, memo, namespaced=False)
    provisioner = at.get("provisioner").text()
    problem = provisioner_problem(provisioner) if provisioner else "is missing. Write who makes the volumes"
    if problem:
        at.get("provisioner").refuse(problem)
    at.get("reclaimPolicy").text(choices=RECLAIM_POLICIES[:2])
    _check_alike(at.get("allowedTopologies"))
    return StorageClass(
        name=meta.name,
        provisioner=provisioner,
        volume_binding_mode=at.get("volumeBindingMode").text("Immediate", ("Immediate", "WaitForFirstConsumer")),
        allowed_topologies=tuple(_topology(item) for item in at.get("allowedTopologies").items()),
        is_default=any(meta.annotations.get(a) == "true" for a in _IS_DEFAULT),
    )


def _check_alike(at: At) -> None:
    """Complains of a term that is given twice."""
    terms = [item.raw for item in at.items()]
    for i, term in enumerate(terms):
        if term in terms[:i]:
            at.refuse("another term says the same. Keep one of them", i)


def _topology(at: At) -> TopologySelectorTerm:
    """One of allowedTopologies (ValidateTopologySelectorTerm): each key once, with values that differ."""
    at.mapping(("matchLabelExpressions",))
    found: dict[str, tuple[str, ...]] = {}
    for item in at.get("matchLabelExpressions").items():
        key, values = item.get("key").text(required=True), item.get("values").texts()
        problem = label_key_problem(key) if key else ""
        if problem or key in found:
            item.get("key").refuse(problem or f"{key} is given twice. Merge the two")
        if not values or len(set(values)) < len(values):
            item.get("values").refuse("the same value is given twice" if values else "is missing. Write the values")
        found.setdefault(key, values)
    return TopologySelectorTerm(tuple(found.items()))


def read_csi_node(at: At, memo: Memo) -> CSINode:
    """The CSINode; migrated plugins from its annotation."""
    meta = read_metadata(at, memo, namespaced=False)
    drivers: list[CSIDriverOnNode] = []
    for item in at.get("spec").get("drivers").items():
        driver = _driver(item)
        if driver.name and any(d.name == driver.name for d in drivers):
            item.get("name").refuse(f"the driver {driver.name} is given twice. Keep one of them")
        drivers.append(driver)
    return CSINode(
        name=meta.name,
        drivers=tuple(drivers),
        migrated_plugins=tuple(p for p in meta.annotations.get(_MIGRATED, "").split(",") if p),
    )


def _driver(at: At) -> CSIDriverOnNode:
    count = at.get("allocatable").get("count")
    name, node_id, keys = at.get("name").text(required=True), at.get("nodeID").text(), at.get("topologyKeys").texts()
    problem = driver_problem(name) if name else ""
    if problem:
        at.get("name").refuse(problem)
    if not node_id or len(node_id) > _MAX_NODE_ID:
        at.get("nodeID").refuse(
            f"has more than {_MAX_NODE_ID} characters" if node_id else "is missing. Write the driver's name of the node"
        )
    for i, key in enumerate(keys):
        problem = label_key_problem(key) or (f"{key} is given twice" if key in keys[:i] else "")
        if problem:
            at.get("topologyKeys").refuse(problem, i)
    return CSIDriverOnNode(
        name=name,
        node_id=node_id,
        topology_keys=keys,
        count=count.integer(0, 0) if count.present else None,
    )


def read_csi_driver(at: At, memo: Memo) -> CSIDriver:
    """The CSIDriver."""
    meta = read_metadata(at, memo, namespaced=False, rule=driver_problem)
    spec = at.get("spec")
    return CSIDriver(
        name=meta.name,
        storage_capacity=spec.get("storageCapacity").boolean(),
        attach_required=spec.get("attachRequired").boolean(True),
    )


def read_storage_capacity(at: At, memo: Memo) -> CSIStorageCapacity:
    """The CSIStorageCapacity."""
    meta = read_metadata(at, memo, namespaced=True)
    if not at.word("storageClassName"):
        at.get("storageClassName").refuse("is missing. Write the class that the capacity is of")
    check_class_name(at.get("storageClassName"))
    return CSIStorageCapacity(
        name=meta.name,
        namespace=meta.namespace,
        storage_class_name=at.get("storageClassName").text(),
        node_topology=label_selector(at.get("nodeTopology")),
        capacity_bytes=at.get("capacity").quantity("storage"),
        maximum_volume_size_bytes=at.get("maximumVolumeSize").quantity("storage"),
    )


def read_attachment(at: At, memo: Memo) -> VolumeAttachment:
    """The VolumeAttachment."""
    meta = read_metadata(at, memo, namespaced=False)
    spec = at.get("spec")
    _check_attachment(spec)
    return VolumeAttachment(
        name=meta.name,
        attacher=spec.get("attacher").text(),
        node_name=spec.get("nodeName").text(),
        persistent_volume_name=spec.get("source").get("persistentVolumeName").text(),
        attached=at.get("status").get("attached").boolean(),
    )


def _check_attachment(spec: At) -> None:
    """What validateVolumeAttachmentSpec asks: who attaches, what, and to which node."""
    attacher, node = spec.get("attacher"), spec.get("nodeName")
    problem = driver_problem(attacher.text()) if attacher.text() else "is missing. Write the driver"
    if problem:
        attacher.refuse(problem)
    problem = name_problem(node.text()) if node.text() else "is missing. Write the node"
    if problem:
        node.refuse(problem)
    source = spec.get("source")
    named, inline = source.get("persistentVolumeName"), source.get("inlineVolumeSpec")
    if named.present == inline.present:
        source.refuse("needs one of persistentVolumeName and inlineVolumeSpec")
    elif named.present and not named.text():
        named.refuse("is empty")


def read_pod_group(at: At, memo: Memo) -> PodGroup:
    """The PodGroup of the scheduler plugins."""
    meta = read_metadata(at, memo, namespaced=True)
    spec = at.get("spec")
    timeout = spec.get("scheduleTimeoutSeconds")
    return PodGroup(
        name=meta.name,
        namespace=meta.namespace,
        min_member=spec.get("minMember").integer(1, 0),
        schedule_timeout_seconds=timeout.integer(0, 0) if timeout.present else None,
    )
