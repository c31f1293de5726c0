"""One object of each kind, with values in the fields that nest."""

from __future__ import annotations

from scheduler_core.api import devices, quotas
from scheduler_core.api import objects as k8s
from scheduler_core.api.labels import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.quotas import RuntimeClass
from scheduler_core.api.taints import Taint, Toleration

SELECTOR = LabelSelector((Requirement("app", "In", ("web", "db")),))
TERM = NodeSelectorTerm((Requirement("disk", "Exists"),), (Requirement("metadata.name", "In", ("n",)),))

DEVICE = devices.Device(name="g", attributes={"a": 1, "b": True, "v": devices.VersionValue("1.0.0"), "s": "x"})
RESULT = devices.DeviceResult(request="r", driver="d.io", pool="p", device="g", consumed={"memory": "1Gi"})

EXAMPLES: list[k8s.KubernetesObject] = [
    k8s.Pod(
        name="p",
        labels={"app": "wéb"},
        owner_references=(k8s.OwnerReference("ReplicaSet", "web", "u-1", controller=True),),
        deletion_timestamp=1.5,
        affinity=k8s.Affinity(
            node_required=NodeSelector((TERM,)),
            node_preferred=(k8s.PreferredSchedulingTerm(3, TERM),),
            anti_required=(k8s.PodAffinityTerm("zone", SELECTOR, ("a",), SELECTOR),),
            pod_preferred=(k8s.WeightedPodAffinityTerm(5, k8s.PodAffinityTerm("zone")),),
        ),
        tolerations=(Toleration("a", "Exists"),),
        topology_spread_constraints=(k8s.TopologySpreadConstraint(topology_key="zone", label_selector=SELECTOR),),
        containers=(k8s.Container("c", requests={"cpu": 2**62}, ports=(k8s.ContainerPort(80, 80),)),),
        init_containers=(k8s.Container("i", restart_policy="Always"),),
        pod_requests={"cpu": 0},
        volumes=(k8s.Volume(name="v", claim_name="data", attributes={"a": "b"}),),
        resource_claims=(k8s.PodResourceClaim("gpu", generated=""),),
    ),
    k8s.Node(name="n", taints=(Taint("a", "b"),), images=(k8s.ContainerImage(("x", "y"), 5),)),
    k8s.Namespace("team", {"a": "b"}),
    k8s.PriorityClass(name="high", value=7),
    k8s.PodDisruptionBudget(name="web", selector=SELECTOR, min_available="50%", disrupted_pods=("a",)),
    k8s.WorkloadSelector(kind="Service", name="web", selector=LabelSelector(())),
    k8s.PersistentVolumeClaim(name="data", storage_class_name="", requested_bytes=1 << 40, selector=SELECTOR),
    k8s.PersistentVolume(name="pv", claim_ref=("a", "b", "c"), node_affinity=NodeSelector((TERM,))),
    k8s.StorageClass(name="fast", allowed_topologies=(k8s.TopologySelectorTerm((("zone", ("a", "b")),)),)),
    k8s.CSINode(name="n", drivers=(k8s.CSIDriverOnNode("d", "id", ("zone",), 0),)),
    k8s.CSIDriver(name="d", storage_capacity=True),
    k8s.CSIStorageCapacity(name="c", node_topology=SELECTOR, capacity_bytes=0),
    k8s.VolumeAttachment(name="a", attached=True),
    k8s.PodGroup(name="gang", min_member=3),
    quotas.ResourceQuota(name="quota", hard={"pods": 0}, scopes=(quotas.QuotaScope("PriorityClass", "In", ("high",)),)),
    quotas.LimitRange(name="range", limits=(quotas.LimitRangeItem(type="Pod", max_ratio={"cpu": 1500}),)),
    RuntimeClass(name="kata", overhead={"cpu": 50}, tolerations=(Toleration("a"),)),
    k8s.ElasticQuota(name="quota", min={"cpu": 4000}, max={}),
    k8s.ResourceClaim(name="gpu", allocation=devices.Allocation((RESULT,)), reserved_for=(devices.Consumer("p", "u"),)),
    devices.ResourceClaimTemplate(name="t", spec=devices.ClaimSpec((devices.DeviceRequest(name="r", count=2),))),
    devices.ResourceSlice(name="s", driver="d.io", devices=(DEVICE,)),
    devices.DeviceClass(name="gpu", selectors=("true",)),
]
