"""Defaults and admission as the API server applies them (core/v1 defaults.go, plugin/pkg/admission/priority)."""

from __future__ import annotations

import pytest

from scheduler_core.api.labels import Requirement
from scheduler_core.api.objects import PodResourceClaim
from scheduler_core.api.resources import non_zero_requests, pod_requests
from scheduler_core.framework.plugin_helpers.volume_claims import claim_class, volume_class
from scheduler_core.manifests import AdmissionContext, node_from_raw, pod_from_raw
from scheduler_core.manifests.single_object import InvalidObject
from tests.scheduler_core.manifests.manifest_helpers import NODE, load, objects, pod_text

CLASSES = """\
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 100, preemptionPolicy: Never}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: usual}, value: 7, globalDefault: true}
---
"""


@pytest.mark.parametrize(
    ("spec", "priority", "policy"),
    [
        ("priorityClassName: high", 100, "Never"),
        ("restartPolicy: Always", 7, "PreemptLowerPriority"),
        ("priorityClassName: system-node-critical", 2_000_001_000, "PreemptLowerPriority"),
        ("priorityClassName: system-cluster-critical", 2_000_000_000, "PreemptLowerPriority"),
        ("{priority: 55}".strip("{}"), 55, "PreemptLowerPriority"),
    ],
)
def test_priority_admission(spec, priority, policy):
    (pod,) = objects(CLASSES + pod_text(spec)).pods
    assert (pod.priority, pod.preemption_policy) == (priority, policy)


def test_a_class_counts_wherever_it_stands_in_the_files():
    (pod,) = objects(pod_text("priorityClassName: high"), CLASSES.removesuffix("---\n")).pods
    assert pod.priority == 100


def test_a_class_without_a_value_is_0_and_it_is_said():
    text = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: none}, globalDefault: true}\n---\n"
    result = load(text + pod_text("priorityClassName: none"))
    assert [(f.severity, f.field) for f in result.findings] == [("warning", "value")]
    assert (result.objects.priority_classes[0].value, result.objects.pods[0].priority) == (0, 0)


def test_of_two_global_defaults_the_lowest_counts_and_it_is_said():
    other = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: z}, value: 3, "
    other += "globalDefault: true}\n---\n"
    result = load(CLASSES + other + pod_text("restartPolicy: Never"))
    assert [f.field for f in result.warnings] == ["globalDefault"]
    assert result.objects.pods[0].priority == 3


def _resources(text: str):
    head = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
    (pod,) = objects(head + text).pods
    return pod


def test_requests_come_from_limits_per_resource():
    pod = _resources("spec: {containers: [{name: c, resources: {requests: {cpu: 1}, limits: {cpu: 2, memory: 1Gi}}}]}")
    assert pod.containers[0].requests == {"cpu": 1000, "memory": 1 << 30}


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("{requests: {cpu: 3}}", {"cpu": 3000}),
        ("{limits: {cpu: 2, memory: 2Gi}}", {"cpu": 1000, "memory": 2 << 30}),
        ("{requests: {cpu: 2}, limits: {cpu: 4}}", {"cpu": 2000}),
    ],
)
def test_pod_level_requests_come_from_the_containers_then_from_the_limits(level, expected):
    pod = _resources(f"spec: {{resources: {level}, containers: [{{name: c, resources: {{requests: {{cpu: 1}}}}}}]}}")
    assert pod.pod_requests == expected


def test_pod_level_requests_count_sidecars_and_the_largest_init_container():
    pod = _resources(
        "spec:\n  resources: {limits: {cpu: 9}}\n  initContainers:\n"
        "  - {name: s, restartPolicy: Always, resources: {requests: {cpu: 1}}}\n"
        "  - {name: i, resources: {requests: {cpu: 3}}}\n"
        "  containers: [{name: c, resources: {requests: {cpu: 2}}}]\n"
    )
    assert pod.pod_requests == {"cpu": 4000}


def test_host_network_takes_host_ports_from_container_ports():
    pod = _resources("spec: {hostNetwork: true, containers: [{name: c, ports: [{containerPort: 80}]}]}")
    assert pod.containers[0].ports[0].host_port == 80
    assert pod.containers[0].ports[0].protocol == "TCP"


def test_match_label_keys_are_merged_for_labels_that_the_pod_has():
    spec = """
        topologySpreadConstraints:
        - {maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: a}},
           matchLabelKeys: [rev, absent]}
        affinity:
          podAffinity:
            preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 5
              podAffinityTerm: {topologyKey: z, labelSelector: {}, matchLabelKeys: [rev], mismatchLabelKeys: [team]}
        """
    text = pod_text(spec).replace("name: web-0", "name: web-0\n  labels: {app: a, rev: r1, team: t}")
    (pod,) = objects(text).pods
    constraint = pod.topology_spread_constraints[0]
    assert constraint.label_selector.requirements == (
        Requirement("app", "In", ("a",)),
        Requirement("rev", "In", ("r1",)),
    )
    term = pod.affinity.pod_preferred[0]
    assert term.weight == 5
    assert term.term.label_selector.requirements == (
        Requirement("rev", "In", ("r1",)),
        Requirement("team", "NotIn", ("t",)),
    )


def test_selectors_absent_and_empty_differ():
    spec = """
        affinity:
          podAntiAffinity:
            requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z}, {topologyKey: z, labelSelector: {}}]
        """
    absent, empty = objects(pod_text(spec)).pods[0].affinity.anti_required
    assert absent.label_selector is None
    assert empty.label_selector.matches({"any": "thing"})


def test_node_allocatable_comes_from_capacity_and_namespaces_carry_their_name():
    text = (
        "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {capacity: {cpu: 2, memory: 1Ki, pods: 5}}}\n---\n"
    )
    found = objects(text + "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {a: b}}}")
    assert found.nodes[0].allocatable == {"cpu": 2000, "memory": 1024, "pods": 5}
    assert [(n.name, n.labels) for n in found.namespaces] == [
        ("shop", {"a": "b", "kubernetes.io/metadata.name": "shop"}),
        ("default", {"kubernetes.io/metadata.name": "default"}),
    ]


def test_status_of_a_pod_is_read():
    text = pod_text("nodeName: node-a") + "status: {phase: Failed, startTime: 2024-05-01T10:00:00Z}\n"
    (pod,) = objects(NODE + "---\n" + text).pods
    assert (pod.node_name, pod.is_terminal, pod.start_time) == ("node-a", True, 1714557600.0)


def resized(spec: str, status: str):
    """A bound pod with these containers and this status."""
    text = f"""\
        apiVersion: v1
        kind: Pod
        metadata: {{name: p}}
        spec: {{nodeName: n, {spec}}}
        status: {{phase: Running, {status}}}
        """
    (pod,) = objects(text).pods
    return pod


ONE_CPU = "containers: [{name: c, resources: {requests: {cpu: 1, memory: 2Gi}}}]"
INFEASIBLE = "conditions: [{type: PodResizePending, reason: Infeasible}]"
SIDECAR = """containers: [{name: c}], initContainers: [
    {name: s, restartPolicy: Always, resources: {requests: {cpu: 1}}}, {name: i, resources: {requests: {cpu: 1}}}]"""
RESIZED = {
    "the larger of spec and status, resource by resource": (
        ONE_CPU,
        "containerStatuses: [{name: c, allocatedResources: {cpu: 2, memory: 1Gi}, resources: {requests: {cpu: 2}}}]",
        {"cpu": 2000, "memory": 2 << 30}),
    "the actual ones where these are the largest": (
        ONE_CPU, "containerStatuses: [{name: c, resources: {requests: {cpu: 3}}}]", {"cpu": 3000, "memory": 2 << 30}),
    "allocated ones beside empty resources": (
        ONE_CPU, "containerStatuses: [{name: c, resources: {}, allocatedResources: {cpu: 3}}]",
        {"cpu": 3000, "memory": 2 << 30}),
    "allocated ones alone count for nothing": (
        ONE_CPU, "containerStatuses: [{name: c, allocatedResources: {cpu: 3}}]", {"cpu": 1000, "memory": 2 << 30}),
    "no resources but null count for nothing": (
        ONE_CPU, "containerStatuses: [{name: c, resources: null, allocatedResources: {cpu: 3}}]",
        {"cpu": 1000, "memory": 2 << 30}),
    "without the spec while the resize is infeasible": (
        ONE_CPU, f"{INFEASIBLE}, containerStatuses: [{{name: c, resources: {{requests: {{cpu: 500m}}}}}}]",
        {"cpu": 500}),
    "a container of another name does not count": (
        ONE_CPU, "containerStatuses: [{name: d, resources: {requests: {cpu: 3}}}]", {"cpu": 1000, "memory": 2 << 30}),
    "a sidecar counts with its status": (
        SIDECAR, "initContainerStatuses: [{name: s, resources: {requests: {cpu: 2}}}]", {"cpu": 3000}),
    "an ordinary init container does not": (
        SIDECAR, "initContainerStatuses: [{name: i, resources: {requests: {cpu: 9}}}]", {"cpu": 2000}),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "status", "expected"), RESIZED.values(), ids=RESIZED.keys())
def test_resized_pods_count_with_what_their_status_reports(spec, status, expected):
    pod = resized(spec, status)
    assert pod_requests(pod) == expected
    assert all(c.requests.get("cpu", 0) in (0, 1000) for c in (*pod.containers, *pod.init_containers))


def test_scoring_defaults_of_a_resized_pod_are_taken_container_by_container():
    containers = "containers: [{name: c, resources: {requests: {cpu: 1}}}, {name: d}]"
    pod = resized(containers, "containerStatuses: [{name: c, resources: {requests: {cpu: 2}}}]")
    assert non_zero_requests(pod) == (2100, 2 * 200 << 20)


def test_pod_level_requests_override_those_of_a_resized_pods_containers():
    level = f"resources: {{requests: {{cpu: 4}}}}, {ONE_CPU}"
    pod = resized(level, "containerStatuses: [{name: c, resources: {requests: {cpu: 2}}}]")
    assert pod_requests(pod) == {"cpu": 4000, "memory": 2 << 30}


def test_a_generated_name_is_made_up_and_stays_the_same():
    text = pod_text("restartPolicy: Never").replace("name: web-0", "generateName: web-")
    names = {objects(text).pods[0].name for _ in range(2)}
    assert len(names) == 1
    assert names.pop().startswith("web-")


def test_two_pods_with_one_prefix_get_two_names():
    text = pod_text("restartPolicy: Never").replace("name: web-0", "generateName: web-")
    assert len({p.name for p in objects(text + "---\n" + text).pods}) == 2


def test_pods_on_unknown_nodes_are_one_warning():
    pods = "---\n".join(pod_text("nodeName: gone", f"p{i}") for i in range(3))
    (finding,) = load(NODE + "---\n" + pods).findings
    assert (finding.severity, finding.field) == ("warning", "spec.nodeName")
    assert "3 pods" in finding.message
    assert load(pods).findings == []


def test_single_objects_raise_with_the_field():
    raw = {
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c"}], "priorityClassName": "system-node-critical"},
    }
    assert pod_from_raw(raw, AdmissionContext()).priority == 2_000_001_000
    with pytest.raises(InvalidObject, match=r"spec\.priority"):
        pod_from_raw({**raw, "spec": {**raw["spec"], "priority": "high"}})
    with pytest.raises(InvalidObject, match=r"metadata\.name"):
        node_from_raw({"metadata": {}})


def test_resource_claims_are_read_with_what_pods_say_of_theirs():
    found = objects("""\
        apiVersion: v1
        kind: List
        items:
        - apiVersion: resource.k8s.io/v1
          kind: ResourceClaim
          metadata: {name: g, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u, controller: true}]}
          spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
          status: {reservedFor: [{resource: pods, name: p, uid: u}], allocation: {devices: {}}}
        - {apiVersion: resource.k8s.io/v1beta1, kind: ResourceClaim, metadata: {name: idle, namespace: ns}}
        - apiVersion: v1
          kind: Pod
          metadata: {name: p}
          spec:
            containers: [{name: c, image: x}]
            resourceClaims:
            - {name: named, resourceClaimName: g}
            - {name: made, resourceClaimTemplateName: t}
            - {name: needless, resourceClaimTemplateName: t}
            - {name: waiting, resourceClaimTemplateName: t}
          status: {resourceClaimStatuses: [{name: made, resourceClaimName: p-made-x}, {name: needless}]}
        """)
    taken, idle = found.resource_claims
    assert (taken.key, taken.allocated, taken.owner_references[0].uid) == ("default/g", True, "u")
    assert taken.status == ('{"allocation":{"devices":{}},"reservedFor":[{"name":"p","resource":"pods","uid":"u"}]}')
    assert (idle.key, idle.allocated, idle.status) == ("ns/idle", False, "")
    assert found.pods[0].resource_claims == (
        PodResourceClaim("named", claim_name="g"),
        PodResourceClaim("made", template_name="t", generated="p-made-x"),
        PodResourceClaim("needless", template_name="t", generated=""),
        PodResourceClaim("waiting", template_name="t"),
    )


def test_what_tells_claims_and_volumes_apart_is_read():
    found = objects("""\
        apiVersion: v1
        kind: List
        items:
        - apiVersion: v1
          kind: PersistentVolumeClaim
          metadata: {name: data, annotations: {volume.beta.kubernetes.io/storage-class: fast}}
          spec:
            volumeMode: Block
            accessModes: [ReadWriteOnce]
            resources: {requests: {storage: 1Gi}}
            volumeAttributesClassName: gold
            selector: {matchLabels: {a: b}, matchExpressions: [{key: tier, operator: NotIn, values: [slow]}]}
        - apiVersion: v1
          kind: PersistentVolume
          metadata: {name: pv, annotations: {volume.beta.kubernetes.io/storage-class: fast}}
          spec:
            volumeMode: Block
            accessModes: [ReadWriteOnce]
            capacity: {storage: 1Gi}
            volumeAttributesClassName: gold
            gcePersistentDisk: {pdName: d}
        - apiVersion: v1
          kind: PersistentVolumeClaim
          metadata: {name: p}
          spec:
            accessModes: [ReadWriteOnce]
            resources: {requests: {storage: 1Gi}}
            volumeAttributesClassName: null
        - apiVersion: storage.k8s.io/v1
          kind: CSINode
          metadata:
            name: node-a
            annotations: {storage.alpha.kubernetes.io/migrated-plugins: "kubernetes.io/gce-pd,kubernetes.io/cinder"}
          spec: {drivers: []}
        """)
    (claim, plain), (volume,) = found.persistent_volume_claims, found.persistent_volumes
    assert (claim.volume_mode, claim.attributes_class_name, claim_class(claim)) == ("Block", "gold", "fast")
    assert claim.selector.matches({"a": "b"})
    assert not claim.selector.matches({"a": "b", "tier": "slow"})
    assert (volume.volume_mode, volume.attributes_class_name, volume_class(volume)) == ("Block", "gold", "fast")
    assert (plain.volume_mode, plain.attributes_class_name) == ("Filesystem", "")
    assert (volume.source, volume.attributes) == ("gcePersistentDisk", {"pdName": "d"})
    assert found.csi_nodes[0].migrated_plugins == ("kubernetes.io/gce-pd", "kubernetes.io/cinder")


def test_storage_and_budgets_are_read():
    found = objects("""\
        apiVersion: v1
        kind: List
        items:
        - apiVersion: v1
          kind: PersistentVolumeClaim
          metadata: {name: data, annotations: {pv.kubernetes.io/bind-completed: "yes"}}
          spec:
            storageClassName: ""
            volumeName: pv
            accessModes: [ReadWriteOnce]
            resources: {requests: {storage: 1Gi}}
        - apiVersion: v1
          kind: PersistentVolume
          metadata: {name: pv}
          spec:
            accessModes: [ReadWriteOnce]
            capacity: {storage: 2Gi}
            claimRef: {namespace: default, name: data}
            csi: {driver: ebs, volumeHandle: v-1}
            nodeAffinity:
              required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [z1]}]}]}
        - {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: ebs}
        - apiVersion: storage.k8s.io/v1
          kind: CSINode
          metadata: {name: node-a}
          spec: {drivers: [{name: ebs, nodeID: i, allocatable: {count: 25}}]}
        - apiVersion: policy/v1
          kind: PodDisruptionBudget
          metadata: {name: b}
          spec: {minAvailable: 50%, selector: {matchLabels: {app: a}}}
        - {apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g}, spec: {minMember: 3}}
        """)
    (claim,), (volume,) = found.persistent_volume_claims, found.persistent_volumes
    assert (claim.storage_class_name, claim.volume_name, claim.requested_bytes) == ("", "pv", 1 << 30)
    assert (volume.claim_ref, volume.source, volume.attributes["volumeHandle"]) == (
        ("default", "data", ""),
        "csi",
        "v-1",
    )
    assert volume.node_affinity.matches("n", {"zone": "z1"})
    assert found.storage_classes[0].volume_binding_mode == "Immediate"
    assert found.csi_nodes[0].drivers[0].count == 25
    budget = found.pod_disruption_budgets[0]
    assert (budget.min_available, budget.disruptions_allowed) == ("50%", None)
    assert found.pod_groups[0].min_member == 3
