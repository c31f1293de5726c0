"""CSI drivers, what nodes have of them, and volume attachments from raw values."""

from __future__ import annotations

from scheduler_core.api.objects import CSIDriver, CSIDriverOnNode, CSINode, VolumeAttachment
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.names import driver_problem, label_key_problem, name_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.metadata import read_metadata

_MAX_NODE_ID = 256
_MIGRATED = "storage.alpha.kubernetes.io/migrated-plugins"


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
