"""The same for other kinds than pods: (upstream function, kind, the object's fields, field that is refused or None)."""

from __future__ import annotations

NAMED = "metadata: {name: a}"
CLAIM = "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}"
PV = "accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}"
CSI = "csi: {driver: d, volumeHandle: h}"
TERMS = "{nodeSelectorTerms: [{matchExpressions: [{key: z, operator: In, values: [a]}]}]}"
TEMPLATE = "template: {metadata: {labels: {a: b}}, spec: {%s containers: [{name: c, image: c}]}}"
SELECTOR = "selector: {matchLabels: {a: b}}"


def pv(text):
    return f"{NAMED}\nspec: {{{text}}}"


def workload(text="", pod="", selector=SELECTOR):
    return f"{NAMED}\nspec: {{{text} {selector}, {TEMPLATE % pod}}}"


NAMES = [
    ("NameIsDNSSubdomain", "Node", "metadata: {name: a.b-1}", None),
    ("NameIsDNSSubdomain", "Node", "metadata: {name: A}", "metadata.name"),
    ("NameIsDNSSubdomain", "Node", "metadata: {name: -a}", "metadata.name"),
    ("NameIsDNSSubdomain", "Node", f"metadata: {{name: {'a' * 254}}}", "metadata.name"),
    ("NameIsDNSSubdomain", "PriorityClass", "metadata: {name: A}\nvalue: 1", "metadata.name"),
    ("ValidateNamespaceName", "Namespace", "metadata: {name: a.b}", "metadata.name"),
    ("NameIsDNS1035Label", "Service", "metadata: {name: 1a}", "metadata.name"),
    ("NameIsDNS1035Label", "Service", "metadata: {name: a.b}", "metadata.name"),
    ("ValidateStatefulSetName", "StatefulSet", workload().replace("name: a}", "name: a.b}", 1), "metadata.name"),
    ("ValidateObjectMeta", "Pod", "metadata: {generateName: A-}\nspec: {containers: [{name: c, image: c}]}",
     "metadata.generateName"),
    ("maskTrailingDash", "Pod", "metadata: {generateName: a-}\nspec: {containers: [{name: c, image: c}]}", None),
    ("ValidateNamespaceName", "Pod", "metadata: {name: a, namespace: a.b}\nspec: {containers: [{name: c, image: c}]}",
     "metadata.namespace"),
    ("ValidateLabels", "Node", "metadata: {name: a, labels: {-a: b}}", "metadata.labels.-a"),
    ("ValidateLabels", "Node", "metadata: {name: a, labels: {a: b.}}", "metadata.labels.a"),
    ("ValidateLabels", "Node", f"metadata: {{name: a, labels: {{a: {'b' * 64}}}}}", "metadata.labels.a"),
    ("ValidateLabels", "Node", "metadata: {name: a, labels: {a.b/C: ''}}", None),
    ("ValidateAnnotations", "Node", "metadata: {name: a, annotations: {'a b': c}}", "metadata.annotations[a b]"),
    ("ValidateAnnotations", "Node", "metadata: {name: a, annotations: {Example.com/A: 'any text'}}", None),
    ("ValidateOwnerReferences", "Node", "metadata: {name: a, ownerReferences: [{name: a}]}",
     "metadata.ownerReferences[0].kind"),
    ("ValidateOwnerReferences", "Node", "metadata: {name: a, ownerReferences: [{kind: A, name: a, controller: true}, "
     "{kind: B, name: b, controller: true}]}", "metadata.ownerReferences[1].controller"),
]  # fmt: skip

NODES = [
    ("ValidateTaints", "Node", f"{NAMED}\nspec: {{taints: [{{key: a b, effect: NoSchedule}}]}}", "spec.taints[0].key"),
    ("ValidateTaints", "Node", f"{NAMED}\nspec: {{taints: [{{key: a, value: b c, effect: NoSchedule}}]}}",
     "spec.taints[0].value"),
    ("validateTaintEffect", "Node", f"{NAMED}\nspec: {{taints: [{{key: a}}]}}", "spec.taints[0].effect"),
    ("ValidateTaints", "Node",
     f"{NAMED}\nspec: {{taints: [{{key: a, effect: NoSchedule}}, {{key: a, value: b, effect: NoSchedule}}]}}",
     "spec.taints[1]"),
    ("ValidateTaints", "Node",
     f"{NAMED}\nspec: {{taints: [{{key: a, effect: NoSchedule}}, {{key: a, effect: NoExecute}}]}}", None),
    ("ValidateNodeResources", "Node", f"{NAMED}\nstatus: {{capacity: {{cpu: -1}}}}", "status.capacity.cpu"),
    ("ValidateNodeResources", "Node", f"{NAMED}\nstatus: {{allocatable: {{pods: '1.5'}}}}", "status.allocatable.pods"),
    ("ValidateNodeResources", "Node", f"{NAMED}\nstatus: {{allocatable: {{example.com/gpu: 500m}}}}",
     "status.allocatable[example.com/gpu]"),
    ("ValidateNodeResources", "Node", f"{NAMED}\nstatus: {{allocatable: {{attachable-volumes-csi: 25, gpu: 1}}}}",
     None),
]  # fmt: skip

CRITICAL = "metadata: {name: system-node-critical}"
POLICIES = [
    ("ValidatePriorityClass", "PriorityClass", f"{NAMED}\nvalue: 1000000001", "value"),
    ("ValidatePriorityClass", "PriorityClass", f"{NAMED}\nvalue: 1000000000", None),
    ("ValidatePriorityClass", "PriorityClass", "metadata: {name: system-a}\nvalue: 1", "metadata.name"),
    ("ValidatePriorityClass", "PriorityClass", NAMED, None),
    ("ValidatePriorityClass", "PriorityClass", CRITICAL, "metadata.name"),
    ("IsKnownSystemPriorityClass", "PriorityClass", f"{CRITICAL}\nvalue: 2000001000", None),
    ("IsKnownSystemPriorityClass", "PriorityClass", f"{CRITICAL}\nvalue: 2000001000\nglobalDefault: true",
     "metadata.name"),
    ("ValidatePreemptionPolicy", "PriorityClass", f"{NAMED}\nvalue: 1\npreemptionPolicy: Always", "preemptionPolicy"),
    ("IsNotMoreThan100Percent", "PodDisruptionBudget", f"{NAMED}\nspec: {{minAvailable: 101%}}", "spec.minAvailable"),
    ("IsNotMoreThan100Percent", "PodDisruptionBudget", f"{NAMED}\nspec: {{maxUnavailable: 200%}}",
     "spec.maxUnavailable"),
    ("IsNotMoreThan100Percent", "PodDisruptionBudget", f"{NAMED}\nspec: {{maxUnavailable: 100%}}", None),
    ("ValidatePositiveIntOrPercent", "PodDisruptionBudget", f"{NAMED}\nspec: {{minAvailable: -1}}",
     "spec.minAvailable"),
    ("ValidatePositiveIntOrPercent", "PodDisruptionBudget", f"{NAMED}\nspec: {{minAvailable: '5'}}",
     "spec.minAvailable"),
    ("ValidatePositiveIntOrPercent", "PodDisruptionBudget", f"{NAMED}\nspec: {{minAvailable: -5%}}",
     "spec.minAvailable"),
    ("ValidatePodDisruptionBudgetSpec", "PodDisruptionBudget",
     f"{NAMED}\nspec: {{minAvailable: 1, maxUnavailable: 1}}", "spec.maxUnavailable"),
    ("ValidatePodDisruptionBudgetSpec", "PodDisruptionBudget",
     f"{NAMED}\nspec: {{minAvailable: 1, unhealthyPodEvictionPolicy: Never}}", "spec.unhealthyPodEvictionPolicy"),
    ("ValidatePodDisruptionBudgetStatusUpdate", "PodDisruptionBudget",
     f"{NAMED}\nspec: {{minAvailable: 1}}\nstatus: {{disruptionsAllowed: -1}}", "status.disruptionsAllowed"),
    ("ValidateLabelSelector", "PodDisruptionBudget",
     f"{NAMED}\nspec: {{minAvailable: 1, selector: {{matchExpressions: [{{key: a, operator: In}}]}}}}",
     "spec.selector.matchExpressions[0].values"),
]  # fmt: skip

STORAGE = [
    ("ValidatePersistentVolumeClaimSpec", "PersistentVolumeClaim", f"{NAMED}\n{CLAIM}", None),
    ("ValidatePersistentVolumeClaimSpec", "PersistentVolumeClaim",
     f"{NAMED}\nspec: {{resources: {{requests: {{storage: 1Gi}}}}}}", "spec.accessModes"),
    ("ValidatePersistentVolumeClaimSpec", "PersistentVolumeClaim",
     f"{NAMED}\n{CLAIM}".replace("[ReadWriteOnce]", "[ReadWrite]"), "spec.accessModes[0]"),
    ("ValidatePersistentVolumeClaimSpec", "PersistentVolumeClaim",
     f"{NAMED}\n{CLAIM}".replace("[ReadWriteOnce]", "[ReadWriteOncePod, ReadWriteOnce]"), "spec.accessModes"),
    ("ValidatePersistentVolumeClaimSpec", "PersistentVolumeClaim", f"{NAMED}\nspec: {{accessModes: [ReadWriteOnce]}}",
     "spec.resources.requests.storage"),
    ("ValidatePositiveQuantityValue", "PersistentVolumeClaim", f"{NAMED}\n{CLAIM}".replace("1Gi", "0"),
     "spec.resources.requests.storage"),
    ("ValidatePersistentVolumeClaimSpec", "PersistentVolumeClaim",
     f"{NAMED}\n{CLAIM}".replace("spec: {", "spec: {volumeMode: File, "), "spec.volumeMode"),
    ("ValidateClassName", "PersistentVolumeClaim",
     f"{NAMED}\n{CLAIM}".replace("spec: {", "spec: {storageClassName: A, "), "spec.storageClassName"),
    ("ValidatePersistentVolumeSpec", "PersistentVolume", pv(f"{PV}, {CSI}"), None),
    ("ValidatePersistentVolumeSpec", "PersistentVolume", pv(f"capacity: {{storage: 1Gi}}, {CSI}"), "spec.accessModes"),
    ("ValidatePersistentVolumeSpec", "PersistentVolume", pv(f"accessModes: [ReadWriteOnce], {CSI}"),
     "spec.capacity.storage"),
    ("ValidatePersistentVolumeSpec", "PersistentVolume",
     pv(f"accessModes: [ReadWriteOnce], capacity: {{storage: 1Gi, iops: 1}}, {CSI}"), "spec.capacity.iops"),
    ("ValidatePersistentVolumeSpec", "PersistentVolume", pv(PV), "spec"),
    ("ValidatePersistentVolumeSpec", "PersistentVolume", pv(f"{PV}, {CSI}, nfs: {{server: a, path: /b}}"), "spec.nfs"),
    ("validateCSIPersistentVolumeSource", "PersistentVolume", pv(f"{PV}, csi: {{driver: d}}"), "spec.csi.volumeHandle"),
    ("validateLocalVolumeSource", "PersistentVolume", pv(f"{PV}, local: {{path: /a}}"), "spec.nodeAffinity"),
    ("validateLocalVolumeSource", "PersistentVolume",
     pv(f"{PV}, local: {{path: /a}}, nodeAffinity: {{required: {TERMS}}}"), None),
    ("validateVolumeNodeAffinity", "PersistentVolume", pv(f"{PV}, {CSI}, nodeAffinity: {{}}"),
     "spec.nodeAffinity.required"),
    ("ValidateNodeSelector", "PersistentVolume", pv(f"{PV}, {CSI}, nodeAffinity: {{required: {{}}}}"),
     "spec.nodeAffinity.required.nodeSelectorTerms"),
    ("ValidatePersistentVolumeSpec", "PersistentVolume", pv(f"{PV}, {CSI}, persistentVolumeReclaimPolicy: Keep"),
     "spec.persistentVolumeReclaimPolicy"),
    ("validateProvisioner", "StorageClass", NAMED, "provisioner"),
    ("validateProvisioner", "StorageClass", f"{NAMED}\nprovisioner: a b", "provisioner"),
    ("validateProvisioner", "StorageClass", f"{NAMED}\nprovisioner: Example.com/Disk", None),
    ("validateReclaimPolicy", "StorageClass", f"{NAMED}\nprovisioner: a\nreclaimPolicy: Recycle", "reclaimPolicy"),
    ("validateVolumeBindingMode", "StorageClass", f"{NAMED}\nprovisioner: a\nvolumeBindingMode: Later",
     "volumeBindingMode"),
    ("validateTopologySelectorLabelRequirement", "StorageClass",
     f"{NAMED}\nprovisioner: a\nallowedTopologies: [{{matchLabelExpressions: [{{key: z}}]}}]",
     "allowedTopologies[0].matchLabelExpressions[0].values"),
    ("validateTopologySelectorLabelRequirement", "StorageClass",
     f"{NAMED}\nprovisioner: a\nallowedTopologies: [{{matchLabelExpressions: [{{key: z, values: [a, a]}}]}}]",
     "allowedTopologies[0].matchLabelExpressions[0].values"),
    ("ValidateTopologySelectorTerm", "StorageClass", f"{NAMED}\nprovisioner: a\nallowedTopologies: "
     "[{matchLabelExpressions: [{key: z, values: [a]}, {key: z, values: [b]}]}]",
     "allowedTopologies[0].matchLabelExpressions[1].key"),
    ("validateAllowedTopologies", "StorageClass", f"{NAMED}\nprovisioner: a\nallowedTopologies: "
     "[{matchLabelExpressions: [{key: z, values: [a]}]}, {matchLabelExpressions: [{key: z, values: [a]}]}]",
     "allowedTopologies[1]"),
    ("validateCSINodeDriverNodeID", "CSINode", f"{NAMED}\nspec: {{drivers: [{{name: d}}]}}", "spec.drivers[0].nodeID"),
    ("validateCSINodeDrivers", "CSINode",
     f"{NAMED}\nspec: {{drivers: [{{name: d, nodeID: a}}, {{name: d, nodeID: b}}]}}", "spec.drivers[1].name"),
    ("validateCSINodeDriver", "CSINode", f"{NAMED}\nspec: {{drivers: [{{name: d, nodeID: a, topologyKeys: [z, z]}}]}}",
     "spec.drivers[0].topologyKeys[1]"),
    ("validateCSINodeDriverAllocatable", "CSINode",
     f"{NAMED}\nspec: {{drivers: [{{name: d, nodeID: a, allocatable: {{count: -1}}}}]}}",
     "spec.drivers[0].allocatable.count"),
    ("ValidateCSIDriverName", "CSIDriver", f"metadata: {{name: {'a' * 64}}}\nspec: {{}}", "metadata.name"),
    ("ValidateCSIStorageCapacity", "CSIStorageCapacity", NAMED, "storageClassName"),
    ("ValidateNonnegativeQuantity", "CSIStorageCapacity", f"{NAMED}\nstorageClassName: a\ncapacity: -1", "capacity"),
    ("validateVolumeAttachmentSpec", "VolumeAttachment",
     f"{NAMED}\nspec: {{nodeName: n, source: {{persistentVolumeName: v}}}}", "spec.attacher"),
    ("validateVolumeAttachmentSpec", "VolumeAttachment",
     f"{NAMED}\nspec: {{attacher: d, source: {{persistentVolumeName: v}}}}", "spec.nodeName"),
    ("validateVolumeAttachmentSource", "VolumeAttachment", f"{NAMED}\nspec: {{attacher: d, nodeName: n}}",
     "spec.source"),
    ("validateVolumeAttachmentSource", "VolumeAttachment",
     f"{NAMED}\nspec: {{attacher: d, nodeName: n, source: {{persistentVolumeName: v}}}}", None),
]  # fmt: skip

WORKLOADS = [
    *(("ValidateDeploymentSpec and its like", kind, workload(), None)
      for kind in ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")),
    *(("empty selector is invalid", kind, workload(selector="selector: {}"), "spec.selector")
      for kind in ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")),
    *(("selector does not match template labels", kind, workload(selector="selector: {matchLabels: {a: c}}"),
       "spec.selector") for kind in ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")),
    ("ValidatePodTemplateSpecForRC", "ReplicationController", workload(selector="selector: {a: c}"), "spec.selector"),
    ("ValidateNonnegativeField", "Deployment", workload("replicas: -1,"), "spec.replicas"),
    ("ValidatePodTemplateSpecForReplicaSet", "ReplicaSet", workload(pod="restartPolicy: Never,"),
     "spec.template.spec.restartPolicy"),
    ("ValidateStatefulSetSpec", "StatefulSet", workload("podManagementPolicy: Any,"), "spec.podManagementPolicy"),
    ("ValidateStatefulSetSpec", "StatefulSet", workload("ordinals: {start: -1},"), "spec.ordinals.start"),
    ("validateJobSpec", "Job", workload(pod="restartPolicy: Always,", selector="suspend: false"),
     "spec.template.spec.restartPolicy"),
    ("validateJobSpec", "Job", workload(pod="restartPolicy: Never,", selector="parallelism: -1"), "spec.parallelism"),
    ("validateJobSpec", "Job", workload(pod="restartPolicy: Never,", selector="completions: -1"), "spec.completions"),
    ("validateJobSpec", "Job", workload(pod="restartPolicy: Never,", selector="backoffLimit: -1"), "spec.backoffLimit"),
    ("validateJobSpec", "Job", workload(pod="restartPolicy: Never,", selector="completionMode: Other"),
     "spec.completionMode"),
    ("validateJobSpec", "Job", workload(pod="restartPolicy: Never,", selector="completionMode: Indexed"),
     "spec.completions"),
    ("validateJobSpec", "Job", workload(pod="restartPolicy: Never,", selector="backoffLimitPerIndex: 1"),
     "spec.backoffLimitPerIndex"),
    ("validateJobSpec", "Job", workload(pod="restartPolicy: OnFailure,", selector="completions: 2"), None),
    ("ValidatePodTemplateSpec", "Deployment", workload(pod="tolerations: [{value: a}],"),
     "spec.template.spec.tolerations[0].operator"),
]  # fmt: skip

OBJECTS = [*NAMES, *NODES, *POLICIES, *STORAGE, *WORKLOADS]
