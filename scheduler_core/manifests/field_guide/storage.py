"""The kinds of storage, read by the modules of ``kinds/storage``."""

from __future__ import annotations

from scheduler_core.manifests.field_guide.model import (
    LABEL_KEYS,
    Part,
    amount,
    amounts,
    choice,
    flag,
    many,
    one,
    text,
    texts,
    unread,
    whole,
)
from scheduler_core.manifests.kinds.storage.volume_rules import ACCESS_MODES, RECLAIM_POLICIES
from scheduler_core.manifests.kinds.storage.volumes import VOLUME_SOURCES

_META = one("Metadata", "Name, namespace and labels.")
_MODES = ("Filesystem", "Block")
_ACCESS = texts("How nodes may use it at once.", ACCESS_MODES)
_MODE = choice(_MODES, "Whether it has a file system.", "Filesystem")
_CLASS = text("The StorageClass. A volume and a claim of other classes are not bound.")

KINDS: dict[str, Part] = {
    "PersistentVolumeClaim": {
        "metadata": _META,
        "spec": one("ClaimSpec", "What volume is wanted."),
        "status": one("VolumeStatus", "Whether it is bound."),
    },
    "PersistentVolume": {
        "metadata": _META,
        "spec": one("VolumeSpec", "Where the volume is, and how large."),
        "status": one("VolumeStatus", "Whether it is bound."),
    },
    "StorageClass": {
        "metadata": _META,
        "provisioner": text("Who makes the volumes."),
        "volumeBindingMode": choice(
            ("Immediate", "WaitForFirstConsumer"),
            "WaitForFirstConsumer makes the volume where the pod goes; Immediate makes it first.",
            "Immediate",
        ),
        "reclaimPolicy": choice(RECLAIM_POLICIES[:2], "What becomes of the volume after the claim.", "Delete"),
        "allowedTopologies": many("Topology", "Where its volumes can be made; anywhere without it."),
        **unread("parameters", "mountOptions", "allowVolumeExpansion"),
    },
    "CSINode": {"metadata": _META, "spec": one("CSINodeSpec", "Drivers of the node, and how many volumes each takes.")},
    "CSIDriver": {"metadata": _META, "spec": one("CSIDriverSpec", "What the driver can do.")},
    "CSIStorageCapacity": {
        "metadata": _META,
        "storageClassName": text("The class that the capacity is of."),
        "nodeTopology": one("LabelSelector", "Nodes from which it can be reached."),
        "capacity": amount("How much is left."),
        "maximumVolumeSize": amount("The largest volume that can be made."),
    },
    "VolumeAttachment": {
        "metadata": _META,
        "spec": one("AttachmentSpec", "Which volume, and to which node."),
        "status": one("AttachmentStatus", "Whether it is attached."),
    },
}

PARTS: dict[str, Part] = {
    "ClaimSpec": {
        "storageClassName": _CLASS,
        "accessModes": _ACCESS,
        "resources": one("ClaimResources", "How large."),
        "volumeName": text("The volume that it is bound to."),
        "volumeMode": _MODE,
        "selector": one("LabelSelector", "Labels that the volume must have."),
        "volumeAttributesClassName": text("The VolumeAttributesClass."),
        **unread("dataSource", "dataSourceRef"),
    },
    "ClaimResources": {"requests": amounts("How large the volume must be at least.", ("storage",)), **unread("limits")},
    "VolumeSpec": {
        **{name: one("AnySource", f"A volume of the sort {name}.") for name in sorted(VOLUME_SOURCES)},
        "storageClassName": _CLASS,
        "accessModes": _ACCESS,
        "capacity": amounts("How large it is.", ("storage",)),
        "claimRef": one("ClaimReference", "The claim that it is bound to."),
        "volumeMode": _MODE,
        "nodeAffinity": one("VolumeAffinity", "Nodes that reach it (plugin VolumeBinding)."),
        "persistentVolumeReclaimPolicy": choice(RECLAIM_POLICIES, "What becomes of it after the claim."),
        "volumeAttributesClassName": text("The VolumeAttributesClass."),
        **unread("mountOptions"),
    },
    "ClaimReference": {
        "namespace": text("The namespace of the claim."),
        "name": text("The name of the claim."),
        "uid": text("The uid of the claim."),
        **unread("apiVersion", "kind", "resourceVersion"),
    },
    "VolumeAffinity": {"required": one("NodeSelector", "A node must fulfil at least one of the terms.")},
    "VolumeStatus": {
        "phase": choice(("Pending", "Available", "Bound", "Released", "Failed", "Lost"), "Whether it is bound."),
        **unread("accessModes", "capacity", "conditions", "message", "reason"),
    },
    "Topology": {"matchLabelExpressions": many("TopologyRequirement", "Labels; all must fit.")},
    "TopologyRequirement": {
        "key": text("The node label.", ideas=LABEL_KEYS),
        "values": texts("The values of it."),
    },
    "CSINodeSpec": {"drivers": many("CSINodeDriver", "One entry for each driver.")},
    "CSINodeDriver": {
        "name": text("The driver's name."),
        "nodeID": text("What the driver calls the node."),
        "topologyKeys": texts("Node labels by which the driver tells places apart.", ideas=LABEL_KEYS),
        "allocatable": one("DriverCapacity", "How many of its volumes the node takes (plugin NodeVolumeLimits)."),
    },
    "DriverCapacity": {"count": whole("The most volumes of this driver on the node.")},
    "AttachmentSpec": {
        "attacher": text("The driver."),
        "nodeName": text("The node."),
        "source": one("AttachmentSource", "The volume."),
    },
    "AttachmentSource": {
        "persistentVolumeName": text("The PersistentVolume."),
        "inlineVolumeSpec": one("VolumeSpec", "The volume itself, in place of a name."),
    },
    "AttachmentStatus": {"attached": flag("Whether it is attached now."), **unread("attachmentMetadata")},
    "CSIDriverSpec": {
        "storageCapacity": flag("Whether CSIStorageCapacity objects are looked at."),
        "attachRequired": flag("Whether its volumes are attached to nodes.", "true"),
        **unread(
            "podInfoOnMount", "volumeLifecycleModes", "fsGroupPolicy", "tokenRequests",
            "requiresRepublish", "seLinuxMount", "nodeAllocatableUpdatePeriodSeconds",
        ),
    },
}  # fmt: skip
