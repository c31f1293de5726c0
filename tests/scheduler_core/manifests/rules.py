"""What the API server of 1.34 refuses and admits, of the kinds and fields that are read: one row a rule.

A row is (upstream function, snippet, field) where the snippet is refused at that field, None for one that is admitted.
``PODS`` are lines of a pod's spec, its container ``app`` included where the row names no containers; ``OBJECTS`` are
whole objects without apiVersion, which follows from the kind.
"""

from __future__ import annotations

APP = "containers: [{name: app, image: app:1}]"


def app(resources):
    return "containers: [{name: app, image: app:1, resources: %s}]" % resources  # noqa: UP031 (braces are YAML)


def ports(text, more=""):
    return f"containers: [{{name: app, image: app:1, ports: [{text}]}}{more}]"


def volume(text):
    return f"volumes: [{{name: v, {text}}}]\n{APP}"


C0 = "spec.containers[0]"
P0, P1 = f"{C0}.ports[0]", f"{C0}.ports[1]"
V0, V1 = "spec.volumes[0]", "spec.volumes[1]"
R0 = f"{C0}.resources"
CLAIM = "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}"

RESOURCES = [
    ("validateContainerResourceName", app("{requests: {gpu: 1}}"), f"{R0}.requests.gpu"),
    ("validateContainerResourceName", app("{requests: {pods: 1}}"), f"{R0}.requests.pods"),
    ("validateContainerResourceName", app("{requests: {storage: 1Gi}}"), f"{R0}.requests.storage"),
    ("validateContainerResourceName", app("{requests: {attachable-volumes-csi: 1}}"),
     f"{R0}.requests.attachable-volumes-csi"),
    ("validateContainerResourceName", app("{limits: {requests.example.com/gpu: 1}}"),
     f"{R0}.limits[requests.example.com/gpu]"),
    ("validateContainerResourceName", app("{limits: {example.com/a b: 1}}"), f"{R0}.limits[example.com/a b]"),
    ("validateContainerResourceName", app("{requests: {kubernetes.io/batch-cpu: 1}}"), None),
    ("validateContainerResourceName", app("{requests: {ephemeral-storage: 1Gi}}"), None),
    ("ValidateResourceQuantityValue", app("{limits: {example.com/gpu: '1.5'}}"), f"{R0}.limits[example.com/gpu]"),
    ("ValidateResourceQuantityValue", app("{limits: {example.com/gpu: 1500m}}"), f"{R0}.limits[example.com/gpu]"),
    ("ValidateResourceQuantityValue", app("{limits: {example.com/gpu: 1500e-3}}"), f"{R0}.limits[example.com/gpu]"),
    ("ValidateResourceQuantityValue", app("{limits: {example.com/gpu: 1n}}"), f"{R0}.limits[example.com/gpu]"),
    ("ValidateResourceQuantityValue", app("{limits: {example.com/gpu: 2000m}}"), None),
    ("ValidateResourceQuantityValue", app("{limits: {example.com/gpu: 1k}}"), None),
    ("ValidateResourceQuantityValue", app("{requests: {cpu: -1}}"), f"{R0}.requests.cpu"),
    ("ValidateResourceQuantityValue", app("{requests: {memory: '1.5'}}"), None),
    ("validateResourceRequirements", app("{requests: {example.com/gpu: 1}}"), f"{R0}.limits[example.com/gpu]"),
    ("validateResourceRequirements", app("{requests: {example.com/gpu: 1}, limits: {example.com/gpu: 2}}"),
     f"{R0}.requests[example.com/gpu]"),
    ("validateResourceRequirements", app("{requests: {example.com/gpu: 2}, limits: {example.com/gpu: 2}}"), None),
    ("validateResourceRequirements", app("{requests: {cpu: 2}, limits: {cpu: 1}}"), f"{R0}.requests.cpu"),
    ("validateResourceRequirements", app("{requests: {cpu: 1}, limits: {cpu: 2}}"), None),
    ("validateResourceRequirements", app("{requests: {hugepages-2Mi: 2Mi, cpu: 1}}"), f"{R0}.limits.hugepages-2Mi"),
    ("validateResourceRequirements", app("{limits: {hugepages-2Mi: 2Mi}}"), R0),
    ("validateResourceRequirements", app("{limits: {hugepages-2Mi: 4Mi, cpu: 1}}"), None),
    ("validateResourceQuantityHugePageValue", app("{limits: {hugepages-2Mi: 3Mi, cpu: 1}}"),
     f"{R0}.limits.hugepages-2Mi"),
    ("IsHugePageResourceValueDivisible", app("{limits: {hugepages-big: 1, cpu: 1}}"), f"{R0}.limits.hugepages-big"),
    ("validateOverhead", f"overhead: {{gpu: 1}}\n{APP}", "spec.overhead.gpu"),
    ("validateOverhead", f"overhead: {{cpu: 250m, memory: 64Mi}}\n{APP}", None),
    ("validatePodResourceName", f"resources: {{limits: {{example.com/gpu: 1}}}}\n{APP}",
     "spec.resources.limits[example.com/gpu]"),
    ("validatePodResourceName", f"resources: {{requests: {{ephemeral-storage: 1Gi}}}}\n{APP}",
     "spec.resources.requests.ephemeral-storage"),
    ("validatePodResources", f"resources: {{claims: [{{name: a}}]}}\n{APP}", "spec.resources.claims"),
    ("validatePodResourceRequirements", f"resources: {{requests: {{cpu: 2}}, limits: {{cpu: 1}}}}\n{APP}",
     "spec.resources.requests.cpu"),
    ("validatePodResourceConsistency", "resources: {requests: {cpu: 1}}\n" + app("{requests: {cpu: 2}}"),
     "spec.resources.requests.cpu"),
    ("validatePodResourceConsistency",
     "resources: {limits: {cpu: 1}}\n" + app("{limits: {cpu: 2}, requests: {cpu: 1}}"),
     "spec.resources.limits.cpu"),
    ("validatePodResourceConsistency", "resources: {requests: {cpu: 2}}\n" + app("{requests: {cpu: 2}}"), None),
    ("SetDefaults_PodSpec, then validatePodResourceRequirements",
     "resources: {limits: {cpu: 1}}\n" + app("{requests: {cpu: 2}}"), "spec.resources.requests.cpu"),
]  # fmt: skip

CONTAINERS = [
    ("validateContainers", "containers: []", "spec.containers"),
    ("validateContainerCommon", "containers: [{name: App, image: a}]", f"{C0}.name"),
    ("validateContainerCommon", "containers: [{name: a.b, image: a}]", f"{C0}.name"),
    ("validateContainerCommon", f"containers: [{{name: {'a' * 64}, image: a}}]", f"{C0}.name"),
    ("validateContainerCommon", f"containers: [{{name: {'a' * 63}, image: a}}]", None),
    ("validateContainersOnlyForPod", "containers: [{name: a, image: ' a'}]", f"{C0}.image"),
    ("validateContainers", "containers: [{name: a, image: a}, {name: a, image: a}]", "spec.containers[1].name"),
    ("validateInitContainers", f"initContainers: [{{name: app, image: a}}]\n{APP}", "spec.initContainers[0].name"),
    ("validateInitContainers", f"initContainers: [{{name: i, image: a}}, {{name: i, image: a}}]\n{APP}",
     "spec.initContainers[1].name"),
    ("validateContainers", "containers: [{name: a, image: a, restartPolicy: Always}]", f"{C0}.restartPolicy"),
    ("validateInitContainerRestartPolicy", f"initContainers: [{{name: i, image: a, restartPolicy: Never}}]\n{APP}",
     "spec.initContainers[0].restartPolicy"),
    ("validateInitContainerRestartPolicy", f"initContainers: [{{name: i, image: a, restartPolicy: Always}}]\n{APP}",
     None),
    ("validateContainerPorts", ports("{containerPort: 0}"), f"{P0}.containerPort"),
    ("validateContainerPorts", ports("{containerPort: 65536}"), f"{P0}.containerPort"),
    ("validateContainerPorts", ports("{hostPort: 80}"), f"{P0}.containerPort"),
    ("validateContainerPorts", ports("{containerPort: 80, hostPort: -1}"), f"{P0}.hostPort"),
    ("validateContainerPorts", ports("{containerPort: 80, hostPort: 65536}"), f"{P0}.hostPort"),
    ("validateContainerPorts", ports("{containerPort: 80, protocol: tcp}"), f"{P0}.protocol"),
    ("validateContainerPorts", ports("{containerPort: 80, protocol: SCTP}"), None),
    ("validateContainerPorts", ports("{containerPort: 80, name: HTTP}"), f"{P0}.name"),
    ("validateContainerPorts", ports("{containerPort: 80, name: '80'}"), f"{P0}.name"),
    ("validateContainerPorts", ports("{containerPort: 80, name: a--b}"), f"{P0}.name"),
    ("validateContainerPorts", ports(f"{{containerPort: 80, name: {'a' * 16}}}"), f"{P0}.name"),
    ("validateContainerPorts", ports("{containerPort: 80, name: a}, {containerPort: 81, name: a}"), f"{P1}.name"),
    ("validateContainerPorts", ports("{containerPort: 80}, {containerPort: 80}"), None),
    ("checkHostPortConflicts", ports("{containerPort: 80, hostPort: 80}, {containerPort: 81, hostPort: 80}"),
     f"{P1}.hostPort"),
    ("checkHostPortConflicts", ports("{containerPort: 80, hostPort: 80}",
     ", {name: b, image: b, ports: [{containerPort: 81, hostPort: 80}]}"), "spec.containers[1].ports[0].hostPort"),
    ("AccumulateUniqueHostPorts",
     ports("{containerPort: 80, hostPort: 80}, {containerPort: 80, hostPort: 80, protocol: UDP}"), None),
    ("AccumulateUniqueHostPorts", ports(
        "{containerPort: 80, hostPort: 80, hostIP: 1.1.1.1}, {containerPort: 80, hostPort: 80, hostIP: 1.1.1.2}"),
     None),
    ("validateInitContainers", "initContainers: [{name: i, image: a, ports: [{containerPort: 8, hostPort: 8}]}]\n"
     + ports("{containerPort: 8, hostPort: 8}"), None),
    ("validatePodHostNetworkDeps", "hostNetwork: true\n" + ports("{containerPort: 80, hostPort: 81}"),
     f"{P0}.hostPort"),
    ("validatePodHostNetworkDeps", "hostNetwork: true\n" + ports("{containerPort: 80}"), None),
]  # fmt: skip

SPECS = [
    ("ValidateVolumes", f"volumes: [{{name: a}}, {{name: a}}]\n{APP}", f"{V1}.name"),
    ("ValidateVolumes", f"volumes: [{{name: A}}]\n{APP}", f"{V0}.name"),
    ("ValidateVolumes", f"volumes: [{{emptyDir: {{}}}}]\n{APP}", f"{V0}.name"),
    ("SetDefaults_Volume", f"volumes: [{{name: a}}]\n{APP}", None),
    ("validateVolumeSource", volume("emptyDir: {}, hostPath: {path: /a}"), f"{V0}.hostPath"),
    ("validatePersistentClaimVolumeSource", volume("persistentVolumeClaim: {}"),
     f"{V0}.persistentVolumeClaim.claimName"),
    ("validateGCEPersistentDiskVolumeSource", volume("gcePersistentDisk: {}"), f"{V0}.gcePersistentDisk.pdName"),
    ("validateGCEPersistentDiskVolumeSource", volume("gcePersistentDisk: {pdName: d, partition: 256}"),
     f"{V0}.gcePersistentDisk.partition"),
    ("validateAWSElasticBlockStoreVolumeSource", volume("awsElasticBlockStore: {}"),
     f"{V0}.awsElasticBlockStore.volumeID"),
    ("validateAzureDisk", volume("azureDisk: {diskName: d}"), f"{V0}.azureDisk.diskURI"),
    ("validateAzureDisk", volume("azureDisk: {diskName: d, diskURI: u, cachingMode: Some}"),
     f"{V0}.azureDisk.cachingMode"),
    ("validateCinderVolumeSource", volume("cinder: {}"), f"{V0}.cinder.volumeID"),
    ("validateVsphereVolumeSource", volume("vsphereVolume: {}"), f"{V0}.vsphereVolume.volumePath"),
    ("validateRBDVolumeSource", volume("rbd: {monitors: [a]}"), f"{V0}.rbd.image"),
    ("validateISCSIVolumeSource", volume("iscsi: {targetPortal: a, iqn: b, lun: 0}"), f"{V0}.iscsi.iqn"),
    ("validateISCSIVolumeSource", volume("iscsi: {targetPortal: a, iqn: iqn.2001-04.com.example:a, lun: 256}"),
     f"{V0}.iscsi.lun"),
    ("validateHostPathVolumeSource", volume("hostPath: {}"), f"{V0}.hostPath.path"),
    ("validateNFSVolumeSource", volume("nfs: {server: a}"), f"{V0}.nfs.path"),
    ("validateCSIVolumeSource", volume("csi: {}"), f"{V0}.csi.driver"),
    ("ValidateCSIDriverName", volume("csi: {driver: a_b}"), f"{V0}.csi.driver"),
    ("validateEphemeralVolumeSource", volume("ephemeral: {}"), f"{V0}.ephemeral.volumeClaimTemplate"),
    ("validateEphemeralVolumeSource",
     volume("ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce]}}}"),
     f"{V0}.ephemeral.volumeClaimTemplate.spec.resources.requests.storage"),
    ("validateEphemeralVolumeSource", volume(f"ephemeral: {{volumeClaimTemplate: {{{CLAIM}}}}}"), None),
    ("validateSchedulingGates", f"schedulingGates: [{{name: a}}, {{name: a}}]\n{APP}", "spec.schedulingGates[1].name"),
    ("validateSchedulingGates", f"schedulingGates: [{{name: a b}}]\n{APP}", "spec.schedulingGates[0].name"),
    ("validateSchedulingGates", f"schedulingGates: [{{name: example.com/a}}]\n{APP}", None),
    ("ValidatePodCreate", f"schedulingGates: [{{name: a}}]\nnodeName: n\n{APP}", "spec.nodeName"),
    ("validatePodResourceClaim", f"resourceClaims: [{{name: a}}]\n{APP}", "spec.resourceClaims[0]"),
    ("validatePodResourceClaim",
     f"resourceClaims: [{{name: a, resourceClaimName: b, resourceClaimTemplateName: c}}]\n{APP}",
     "spec.resourceClaims[0]"),
    ("validatePodResourceClaims",
     f"resourceClaims: [{{name: a, resourceClaimName: b}}, {{name: a, resourceClaimName: c}}]\n{APP}",
     "spec.resourceClaims[1].name"),
    ("validatePodResourceClaim", f"resourceClaims: [{{name: a, resourceClaimName: B}}]\n{APP}",
     "spec.resourceClaims[0].resourceClaimName"),
    ("ValidateTolerations", f"tolerations: [{{key: a, value: 'b c'}}]\n{APP}", "spec.tolerations[0].value"),
    ("ValidateTolerations", f"tolerations: [{{key: a b, operator: Exists}}]\n{APP}", "spec.tolerations[0].key"),
    ("ValidateTolerations", f"tolerations: [{{operator: Exists}}]\n{APP}", None),
    ("ValidateTolerations", f"tolerations: [{{key: a, operator: Exists, tolerationSeconds: 5}}]\n{APP}",
     "spec.tolerations[0].effect"),
    ("ValidateLabels", f"nodeSelector: {{a: 'b c'}}\n{APP}", "spec.nodeSelector.a"),
    ("ValidateNodeName", f"nodeName: A\n{APP}", "spec.nodeName"),
    ("ValidatePriorityClassName", f"priorityClassName: A\n{APP}", "spec.priorityClassName"),
    ("validateRestartPolicy", f"restartPolicy: Sometimes\n{APP}", "spec.restartPolicy"),
    ("ValidateNodeFieldSelectorRequirement",
     "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
     "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [A]}]}]}}}\n" + APP,
     "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].values[0]"),
    ("validateMatchLabelKeysInTopologySpread", "topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, "
     "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchExpressions: [{key: a, operator: Exists}]}, "
     f"matchLabelKeys: [a]}}]\n{APP}", "spec.topologySpreadConstraints[0].matchLabelKeys[0]"),
    ("ValidatePodSpec", f"terminationGracePeriodSeconds: -5\n{APP}", None),
]  # fmt: skip

PODS = [*RESOURCES, *CONTAINERS, *SPECS]
