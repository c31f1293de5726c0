"""The texts of plugins that filter nodes, and of their other extension points, in the order of their filters."""

from __future__ import annotations

from typing import Any

from scheduler_core.explain.messages.texts import ELSEWHERE, POD, POST_FILTER, MessageText, says
from scheduler_core.framework.contracts.obstacles import refused_by
from scheduler_core.plugins.dynamic_resources import DynamicResources
from scheduler_core.plugins.inter_pod_affinity import InterPodAffinity
from scheduler_core.plugins.node_affinity import NodeAffinity
from scheduler_core.plugins.node_name import NodeName
from scheduler_core.plugins.node_ports import NodePorts
from scheduler_core.plugins.node_resources import NodeResourcesFit
from scheduler_core.plugins.node_unschedulable import NodeUnschedulable
from scheduler_core.plugins.node_volume_limits import NodeVolumeLimits
from scheduler_core.plugins.pod_topology_spread import PodTopologySpread
from scheduler_core.plugins.taint_toleration import TaintToleration
from scheduler_core.plugins.volume_binding import VolumeBinding
from scheduler_core.plugins.volume_restrictions import VolumeRestrictions
from scheduler_core.plugins.volume_zone import VolumeZone

DECLARED_FEATURES = "NodeDeclaredFeatures"
"""A plugin of kube-scheduler that the engine does not have."""
UNTOLERATED = "node(s) had untolerated taint(s)"
NO_CLAIMS = "no new claims to deallocate"
_UNDECLARED = refused_by(DECLARED_FEATURES).code
_AFFINITY = "node(s) didn't match Pod's node affinity/selector"
_VOLUME_AFFINITY = "node(s) didn't match PersistentVolume's node affinity"
_IN_USE = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)
_EPHEMERAL = 'waiting for ephemeral volume controller to create the persistentvolumeclaim "<name>"'
_OF_ROOM = ("TOO_LARGE", "HELD_BY_NOMINATED")


def _taint(text: str, **more: Any) -> list[MessageText]:
    """The text that names a taint, before it that of taints which controllers set."""
    cordoned = text.replace("<taint>", "node.kubernetes.io/unschedulable: ")
    condition = text.replace("<taint>", "node.kubernetes.io/<taint>")
    return [
        says(TaintToleration, cordoned, "CORDONED", "TAINT_NODE_CONDITION", **more),
        says(TaintToleration, condition, "TAINT_NODE_CONDITION", **more),
        says(TaintToleration, text, "TAINT_UNTOLERATED", "TAINT_NODE_CONDITION", **more),
    ]


_OF_NODES = [
    says(NodeUnschedulable, "node(s) were unschedulable", "CORDONED"),
    says(NodeName, "node(s) didn't match the requested node name", "NODE_NAME", recorded=False),
    says(TaintToleration, UNTOLERATED, "TAINT_UNTOLERATED", "TAINT_NODE_CONDITION", "CORDONED", since="1.34.2"),
    *_taint("node(s) had untolerated taint {<taint>}", until="1.34.1", now=UNTOLERATED),
    *_taint("node(s) had taint {<taint>}, that the pod didn't tolerate", until="1.23", now=UNTOLERATED, recorded=False),
    says(
        TaintToleration,
        "node(s) had taints that the pod didn't tolerate",
        "TAINT_UNTOLERATED",
        "TAINT_NODE_CONDITION",
        until="1.17",
        now=UNTOLERATED,
        recorded=False,
    ),
    says(NodeAffinity, _AFFINITY, "SELECTOR_NO_MATCH", "AFFINITY_NO_MATCH"),
    says(
        NodeAffinity,
        "node(s) didn't match Pod's node affinity",
        "SELECTOR_NO_MATCH",
        "AFFINITY_NO_MATCH",
        until="1.22",
        now=_AFFINITY,
        recorded=False,
    ),
    says(
        NodeAffinity,
        "node(s) didn't match node selector",
        "SELECTOR_NO_MATCH",
        "AFFINITY_NO_MATCH",
        until="1.20",
        now=_AFFINITY,
        recorded=False,
    ),
    says(NodeAffinity, "node(s) didn't match scheduler-enforced node affinity", "AFFINITY_ENFORCED"),
    says(NodeAffinity, "node(s) didn't satisfy plugin(s) [<plugins>]", "AFFINITY_NO_MATCH"),
    says(NodeAffinity, "node(s) didn't satisfy plugin <plugin>", "AFFINITY_NO_MATCH", place=POD, recorded=False),
    says(
        NodeAffinity,
        "node(s) didn't satisfy plugin(s) [<plugins>] simultaneously",
        "AFFINITY_NO_MATCH",
        place=POD,
        recorded=False,
    ),
    says(NodeAffinity, "pod affinity terms conflict", "AFFINITY_NO_MATCH", place=POD),
    says(DECLARED_FEATURES, "node(s) didn't match Pod's required features", _UNDECLARED, since="1.36", recorded=False),
    says(
        DECLARED_FEATURES,
        "node declared features check failed - unsatisfied requirements: <error>",
        _UNDECLARED,
        since="1.35",
        until="1.36",
        recorded=False,
    ),
    says(NodePorts, "node(s) didn't have free ports for the requested pod ports", "PORT_TAKEN", "HELD_BY_NOMINATED"),
    says(NodeResourcesFit, "Insufficient cpu", "SHORT_CPU", *_OF_ROOM),
    says(NodeResourcesFit, "Insufficient memory", "SHORT_MEMORY", *_OF_ROOM),
    says(NodeResourcesFit, "Insufficient ephemeral-storage", "SHORT_EPHEMERAL", *_OF_ROOM),
    says(NodeResourcesFit, "Insufficient <resource>", "SHORT_RESOURCE", "NOT_OFFERED", *_OF_ROOM),
    says(NodeResourcesFit, "Too many pods", "SHORT_PODS", "HELD_BY_NOMINATED"),
]
_VOLUMES = [
    says(VolumeRestrictions, "node(s) had no available disk", "VOLUME_EXCLUSIVE"),
    says(VolumeRestrictions, _IN_USE, "VOLUME_EXCLUSIVE", since="1.34"),
    says(
        VolumeRestrictions,
        "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
        "VOLUME_EXCLUSIVE",
        until="1.33",
        now=_IN_USE,
    ),
    says(NodeVolumeLimits, "node(s) exceed max volume count", "VOLUME_LIMIT"),
    says(NodeVolumeLimits, "looking up PVC <claim>: <error>", "CLAIM_MISSING", recorded=False),
    says(VolumeBinding, _VOLUME_AFFINITY, "VOLUME_TOPOLOGY", "VOLUME_NODE_GONE", since="1.33"),
    *(
        says(
            VolumeBinding,
            text,
            "VOLUME_TOPOLOGY",
            "VOLUME_NODE_GONE",
            until="1.32",
            now=_VOLUME_AFFINITY,
            recorded=False,
        )
        for text in (
            "node(s) had volume node affinity conflict",
            "node(s) had volume node affinity/selector conflict",
        )
    ),
    says(
        VolumeBinding, "node(s) didn't find available persistent volumes to bind", "VOLUME_NO_MATCH", "VOLUME_TOPOLOGY"
    ),
    says(VolumeBinding, "node(s) did not have enough free storage", "STORAGE_CAPACITY"),
    says(
        VolumeBinding,
        "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
        "VOLUME_MISSING",
        recorded=False,
    ),
    says(VolumeZone, "node(s) had no available volume zone", "VOLUME_TOPOLOGY"),
    says(VolumeBinding, "pod has unbound immediate PersistentVolumeClaims", "CLAIM_UNBOUND_IMMEDIATE", place=POD),
    says(VolumeBinding, 'persistentvolumeclaim "<name>" not found', "CLAIM_MISSING", place=POD),
    says(
        VolumeBinding,
        'persistentvolumeclaim "<name>" bound to non-existent persistentvolume "<name>"',
        "CLAIM_LOST",
        place=POD,
    ),
    says(VolumeBinding, 'persistentvolumeclaim "<name>" is being deleted', "CLAIM_TERMINATING", place=POD),
    says(VolumeBinding, _EPHEMERAL, "CLAIM_NOT_CREATED", place=POD),
    says(VolumeBinding, "PVC <claim> was not created for pod <pod> (pod is not owner)", "CLAIM_NOT_OWNED", place=POD),
    says(VolumeZone, 'persistentvolume "<name>" not found', "VOLUME_MISSING", place=POD),
    *(
        says(VolumeZone, text, "CLAIM_UNBOUND_IMMEDIATE", place=POD, recorded=False)
        for text in (
            "PersistentVolumeClaim had no pv name and storageClass name",
            "PersistentVolume had no name",
            'storageclass.storage.k8s.io "<name>" not found',
        )
    ),
]
_OTHER_PODS = [
    says(
        PodTopologySpread, "node(s) didn't match pod topology spread constraints", "SPREAD_SKEW", "SPREAD_MIN_DOMAINS"
    ),
    says(
        PodTopologySpread,
        "node(s) didn't match pod topology spread constraints (missing required label)",
        "SPREAD_KEY_MISSING",
    ),
    says(InterPodAffinity, "node(s) didn't match pod affinity rules", "AFFINITY_NO_POD", "AFFINITY_KEY_MISSING"),
    says(InterPodAffinity, "node(s) didn't match pod anti-affinity rules", "ANTI_AFFINITY_OWN"),
    says(InterPodAffinity, "node(s) didn't satisfy existing pods anti-affinity rules", "ANTI_AFFINITY_OF_OTHERS"),
    *(
        says(
            InterPodAffinity,
            text,
            "AFFINITY_NO_POD",
            "ANTI_AFFINITY_OWN",
            "ANTI_AFFINITY_OF_OTHERS",
            until="1.20",
            summary=True,
            recorded=False,
        )
        for text in (
            "node(s) didn't match pod affinity/anti-affinity",
            "node(s) didn't match pod affinity/anti-affinity rules",
        )
    ),
]
_DEVICES = [
    says(DynamicResources, "cannot allocate all claims", "DEVICE_IN_USE", "DEVICE_SELECTOR", "DEVICE_NONE"),
    says(DynamicResources, "resourceclaim not available on the node", "DEVICE_IN_USE"),
    says(DynamicResources, "invalid resource pools were encountered", "DEVICE_NONE", since="1.35"),
    says(
        DynamicResources,
        "cannot schedule extended resource claim",
        "DEVICE_IN_USE",
        "DEVICE_NONE",
        since="1.34",
        recorded=False,
    ),
    says(DynamicResources, "timed out trying to allocate devices", "CLAIM_NOT_ALLOCATED", since="1.34", recorded=False),
    says(DynamicResources, "resourceclaim in use", "DEVICE_IN_USE", until="1.33", recorded=False),
    *(
        says(DynamicResources, text, "CLAIM_NOT_ALLOCATED", until="1.31", recorded=False)
        for text in (
            "resourceclaim cannot be allocated for the node (unsuitable)",
            "excluded by device class node filter",
            "resourceclaim must be reallocated",
            "waiting for resource driver",
            "waiting for resource driver to provide information",
            "resourceclaim depends on disabled DRAControlPlaneController feature",
        )
    ),
    says(DynamicResources, "request <request>: device class <class> does not exist", "DEVICE_NONE", place=POD),
    says(
        DynamicResources,
        "resource claim <claim> is in the process of being allocated",
        "CLAIM_NOT_ALLOCATED",
        place=POD,
        recorded=False,
    ),
    says(DynamicResources, 'could not find ResourceClaim "<claim>"', "CLAIM_MISSING", place=POD),
    says(DynamicResources, 'resourceclaim "<name>" is being deleted', "CLAIM_TERMINATING", place=POD),
    says(
        DynamicResources, 'pod "<pod>": ResourceClaim not created yet', "CLAIM_NOT_CREATED", place=POD, recorded=False
    ),
    *(
        says(
            DynamicResources,
            f"ResourceClaim <claim> was not created for pod <pod> ({who} is not owner)",
            "CLAIM_NOT_OWNED",
            place=POD,
            recorded=False,
            **which,
        )
        for who, which in (("pod", {"until": "1.35"}), ("Pod", {"since": "1.36"}))
    ),
    says(DynamicResources, "claim <claim> got allocated elsewhere in the meantime", "PREBIND_FAILED", place=ELSEWHERE),
    says(DynamicResources, "add reservation to claim <claim>: <error>", "PREBIND_FAILED", place=ELSEWHERE),
    says(DynamicResources, "device binding failed: <error>", "PREBIND_FAILED", place=ELSEWHERE, since="1.34"),
    says(DynamicResources, "device binding timeout: <error>", "PREBIND_FAILED", place=ELSEWHERE, since="1.34"),
    *(
        says(DynamicResources, text, *codes, place=ELSEWHERE)
        for text, codes in (
            ("claim <claim>: selector <selector>: <error>", ("DEVICE_SELECTOR", "PLUGIN_FAILED")),
            ("claim <claim>, request <request>: <error>", ("PLUGIN_FAILED",)),
            ("claim <claim>: number of requested devices <error>", ("DEVICE_SELECTOR", "PLUGIN_FAILED")),
            ("gather pool information: <error>", ("PLUGIN_FAILED",)),
        )
    ),
    *(
        says(DynamicResources, text, place=POST_FILTER, since="1.34")
        for text in (NO_CLAIMS, "still not schedulable", "deallocation of ResourceClaim completed", "not found")
    ),
]
OF_FILTERS: tuple[MessageText, ...] = (*_OF_NODES, *_VOLUMES, *_OTHER_PODS, *_DEVICES)
