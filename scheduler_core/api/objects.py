"""The Kubernetes objects that scheduling looks at, typed, in Kubernetes words, with canonical integers.

Resources are ``{name: int}``: cpu in thousandths of a core, everything else in whole units (bytes, counts).
Times are seconds since the Unix epoch (float) where they come from the cluster; None where absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from scheduler_core.api.devices import (
    Allocation,
    ClaimSpec,
    Consumer,
    DeviceClass,
    DeviceStatus,
    ResourceClaimTemplate,
    ResourceSlice,
    ServedResource,
)
from scheduler_core.api.labels import Labels, LabelSelector, NodeSelector, NodeSelectorTerm
from scheduler_core.api.rollouts import ExitRule, Rollout, SetRevision
from scheduler_core.api.unplayed import RefusedCreation

Resources = Mapping[str, int]

DEFAULT_SCHEDULER = "default-scheduler"


class OwnerReference(msgspec.Struct, frozen=True, gc=False):
    """The owner of an object; ``controller`` marks the managing one. ``api_version`` is "" where it is not given."""

    kind: str
    name: str
    uid: str = ""
    controller: bool = False
    api_version: str = ""


class Taint(msgspec.Struct, frozen=True, gc=False):
    """A node taint; effect is NoSchedule, PreferNoSchedule or NoExecute."""

    key: str
    value: str = ""
    effect: str = "NoSchedule"


class Toleration(msgspec.Struct, frozen=True, gc=False):
    """A pod toleration; an empty key with Exists tolerates everything, an empty effect all effects."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""

    def tolerates(self, taint: Taint) -> bool:
        """Whether the taint is tolerated (core/v1 toleration.go ToleratesTaint)."""
        if self.effect and self.effect != taint.effect:
            return False
        if self.key and self.key != taint.key:
            return False
        return self.operator == "Exists" or (self.operator in ("", "Equal") and self.value == taint.value)


class ContainerImage(msgspec.Struct, frozen=True, gc=False):
    """An image present on a node under all its names, with its size in bytes."""

    names: tuple[str, ...]
    size_bytes: int = 0


class NodeCondition(msgspec.Struct, frozen=True, gc=False):
    """A condition that the node's status reports; scheduling reads none, explanations do."""

    type: str
    status: str
    reason: str = ""
    message: str = ""


class Node(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A node; ``allocatable`` has the canonical integers, ``pods`` among them. ``conditions`` are those that say that
    something is wrong: Ready that is not True, and others that are not False."""

    name: str
    uid: str = ""
    labels: Labels = msgspec.field(default_factory=dict)
    annotations: Labels = msgspec.field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    allocatable: Resources = msgspec.field(default_factory=dict)
    capacity: Resources = msgspec.field(default_factory=dict)
    images: tuple[ContainerImage, ...] = ()
    declared_features: tuple[str, ...] = ()
    conditions: tuple[NodeCondition, ...] = ()
    creation_timestamp: float | None = None


class ContainerPort(msgspec.Struct, frozen=True, gc=False):
    """A port of a container; host_port 0 means none."""

    container_port: int = 0
    host_port: int = 0
    host_ip: str = ""
    protocol: str = "TCP"


class Container(msgspec.Struct, frozen=True, gc=False):
    """A container; ``restart_policy`` Always makes an init container a sidecar."""

    name: str
    image: str = ""
    requests: Resources = msgspec.field(default_factory=dict)
    limits: Resources = msgspec.field(default_factory=dict)
    ports: tuple[ContainerPort, ...] = ()
    restart_policy: str = ""


class PreferredSchedulingTerm(msgspec.Struct, frozen=True, gc=False):
    """A preferred node affinity term with weight 1..100."""

    weight: int
    preference: NodeSelectorTerm


class PodAffinityTerm(msgspec.Struct, frozen=True, gc=False):
    """A pod (anti-)affinity term; matchLabelKeys are already merged into the selector.

    ``namespace_selector`` None with no ``namespaces`` means the pod's own namespace.
    """

    topology_key: str
    label_selector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()
    namespace_selector: LabelSelector | None = None


class WeightedPodAffinityTerm(msgspec.Struct, frozen=True, gc=False):
    """A preferred pod (anti-)affinity term with weight 1..100."""

    weight: int
    term: PodAffinityTerm


class Affinity(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """All affinity of a pod, flat; node_required None means no required node affinity."""

    node_required: NodeSelector | None = None
    node_preferred: tuple[PreferredSchedulingTerm, ...] = ()
    pod_required: tuple[PodAffinityTerm, ...] = ()
    pod_preferred: tuple[WeightedPodAffinityTerm, ...] = ()
    anti_required: tuple[PodAffinityTerm, ...] = ()
    anti_preferred: tuple[WeightedPodAffinityTerm, ...] = ()


class TopologySpreadConstraint(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A topology spread constraint; matchLabelKeys are already merged into the selector."""

    topology_key: str
    max_skew: int = 1
    when_unsatisfiable: str = "DoNotSchedule"
    label_selector: LabelSelector | None = None
    min_domains: int | None = None
    node_affinity_policy: str = "Honor"
    node_taints_policy: str = "Ignore"


class Volume(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A pod volume: a claim, an ephemeral claim, or a disk named inline.

    ``source`` is the field name of any other source (emptyDir, gcePersistentDisk, ...), ``attributes`` its
    identifying fields (pdName, volumeID, readOnly, driver, ...) as text.
    """

    name: str
    claim_name: str = ""
    claim_read_only: bool = False
    ephemeral: bool = False
    source: str = ""
    attributes: Labels = msgspec.field(default_factory=dict)


class PodResourceClaim(msgspec.Struct, frozen=True, gc=False):
    """A pod's entry for a resource claim: the claim's name, or the template that one is generated from for this pod.

    ``generated`` is the name that the pod's status gives to the generated claim: None while it gives none, "" where
    none is needed.
    """

    name: str
    claim_name: str = ""
    template_name: str = ""
    generated: str | None = None


class Pod(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A pod with the fields that scheduling reads; ``key`` is namespace/name.

    ``preempted``: a scheduler chose it as a victim (condition DisruptionTarget, reason PreemptionByScheduler).
    ``allocated_requests``: what each container, then each init container, counts with where the status reports
    resources (in-place resize); None where it does not.
    """

    name: str
    namespace: str = "default"
    uid: str = ""
    labels: Labels = msgspec.field(default_factory=dict)
    annotations: Labels = msgspec.field(default_factory=dict)
    owner_references: tuple[OwnerReference, ...] = ()
    creation_timestamp: float | None = None
    deletion_timestamp: float | None = None
    node_name: str = ""
    scheduler_name: str = DEFAULT_SCHEDULER
    priority: int = 0
    priority_class_name: str = ""
    preemption_policy: str = "PreemptLowerPriority"
    node_selector: Labels = msgspec.field(default_factory=dict)
    affinity: Affinity | None = None
    tolerations: tuple[Toleration, ...] = ()
    topology_spread_constraints: tuple[TopologySpreadConstraint, ...] = ()
    scheduling_gates: tuple[str, ...] = ()
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    overhead: Resources = msgspec.field(default_factory=dict)
    pod_requests: Resources | None = None
    pod_limits: Resources | None = None
    host_network: bool = False
    features: tuple[str, ...] = ()
    volumes: tuple[Volume, ...] = ()
    resource_claims: tuple[PodResourceClaim, ...] = ()
    termination_grace_period_seconds: int = 30
    nominated_node_name: str = ""
    phase: str = "Pending"
    start_time: float | None = None
    preempted: bool = False
    allocated_requests: tuple[Resources, ...] | None = None
    extended_claim: str = ""
    extended_requests: tuple[ServedResource, ...] = ()

    @property
    def key(self) -> str:
        """namespace/name."""
        return f"{self.namespace}/{self.name}"

    @property
    def is_terminal(self) -> bool:
        """Whether the pod ran to its end: the scheduler does not see such pods."""
        return self.phase in ("Succeeded", "Failed")


class Namespace(msgspec.Struct, frozen=True, gc=False):
    """A namespace with its labels (kubernetes.io/metadata.name among them)."""

    name: str
    labels: Labels = msgspec.field(default_factory=dict)


class PriorityClass(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A priority class."""

    name: str
    value: int
    global_default: bool = False
    preemption_policy: str = "PreemptLowerPriority"
    description: str = ""


class PodDisruptionBudget(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A budget; ``disruptions_allowed`` None means to compute it from the spec and the pods.

    ``min_available`` and ``max_unavailable`` are whole numbers ("2") or percentages ("50%") as text.
    """

    name: str
    namespace: str = "default"
    selector: LabelSelector | None = None
    min_available: str | None = None
    max_unavailable: str | None = None
    disruptions_allowed: int | None = None
    disrupted_pods: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """namespace/name."""
        return f"{self.namespace}/{self.name}"


class WorkloadSelector(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A Service, ReplicationController, ReplicaSet or StatefulSet as default spreading sees it."""

    kind: str
    name: str
    namespace: str = "default"
    selector: LabelSelector | None = None

    @property
    def key(self) -> str:
        """kind/namespace/name."""
        return f"{self.kind}/{self.namespace}/{self.name}"


class PersistentVolumeClaim(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A claim; ``bound`` says that binding was completed (annotation bind-completed)."""

    name: str
    namespace: str = "default"
    uid: str = ""
    annotations: Labels = msgspec.field(default_factory=dict)
    labels: Labels = msgspec.field(default_factory=dict)
    storage_class_name: str | None = None
    volume_name: str = ""
    volume_mode: str = "Filesystem"
    access_modes: tuple[str, ...] = ()
    selector: LabelSelector | None = None
    requested_bytes: int = 0
    phase: str = "Pending"
    deletion_timestamp: float | None = None
    owner_references: tuple[OwnerReference, ...] = ()
    attributes_class_name: str = ""

    @property
    def key(self) -> str:
        """namespace/name."""
        return f"{self.namespace}/{self.name}"


class PersistentVolume(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A volume; ``claim_ref`` is (namespace, name, uid) of the claim it is bound or reserved to."""

    name: str
    labels: Labels = msgspec.field(default_factory=dict)
    annotations: Labels = msgspec.field(default_factory=dict)
    storage_class_name: str = ""
    capacity_bytes: int = 0
    volume_mode: str = "Filesystem"
    access_modes: tuple[str, ...] = ()
    claim_ref: tuple[str, str, str] | None = None
    node_affinity: NodeSelector | None = None
    phase: str = "Available"
    source: str = ""
    attributes: Labels = msgspec.field(default_factory=dict)
    deletion_timestamp: float | None = None
    attributes_class_name: str = ""


class TopologySelectorTerm(msgspec.Struct, frozen=True, gc=False):
    """One of a storage class's allowedTopologies: (key, values) pairs that must all hold."""

    requirements: tuple[tuple[str, tuple[str, ...]], ...] = ()


class StorageClass(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A storage class."""

    name: str
    provisioner: str = ""
    volume_binding_mode: str = "Immediate"
    allowed_topologies: tuple[TopologySelectorTerm, ...] = ()
    is_default: bool = False


class CSIDriverOnNode(msgspec.Struct, frozen=True, gc=False):
    """A driver of a CSINode; ``count`` None means no limit reported."""

    name: str
    node_id: str = ""
    topology_keys: tuple[str, ...] = ()
    count: int | None = None


class CSINode(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The drivers of a node and the in-tree plugins migrated to CSI on it."""

    name: str
    drivers: tuple[CSIDriverOnNode, ...] = ()
    migrated_plugins: tuple[str, ...] = ()


class CSIDriver(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A CSI driver; storage_capacity says that CSIStorageCapacity objects are to be heeded."""

    name: str
    storage_capacity: bool = False
    attach_required: bool = True


class CSIStorageCapacity(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Capacity of a storage class in a topology segment, in bytes; None where not reported."""

    name: str
    namespace: str = "default"
    storage_class_name: str = ""
    node_topology: LabelSelector | None = None
    capacity_bytes: int | None = None
    maximum_volume_size_bytes: int | None = None


class VolumeAttachment(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A volume attached to a node by a CSI driver."""

    name: str
    attacher: str = ""
    node_name: str = ""
    persistent_volume_name: str = ""
    attached: bool = False


class ResourceClaim(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A claim for devices: what it asks for, what it got, and who uses it. ``for_extended_resources``: the scheduler
    made it for a pod that asks for extended resources."""

    name: str
    namespace: str = "default"
    uid: str = ""
    owner_references: tuple[OwnerReference, ...] = ()
    deletion_timestamp: float | None = None
    spec: ClaimSpec = ClaimSpec()
    allocation: Allocation | None = None
    reserved_for: tuple[Consumer, ...] = ()
    device_status: tuple[DeviceStatus, ...] = ()
    for_extended_resources: bool = False

    @property
    def key(self) -> str:
        """namespace/name."""
        return f"{self.namespace}/{self.name}"

    @property
    def status(self) -> tuple[object, ...]:
        """Everything that is status, to be compared."""
        return self.allocation, self.reserved_for, self.device_status


class PodGroup(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A group of pods to be placed together (scheduling.x-k8s.io PodGroup)."""

    name: str
    namespace: str = "default"
    min_member: int = 1
    schedule_timeout_seconds: int | None = None

    @property
    def key(self) -> str:
        """namespace/name."""
        return f"{self.namespace}/{self.name}"


class ElasticQuota(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What the pods of a namespace may use in all (scheduling.x-k8s.io ElasticQuota).

    ``min`` is guaranteed and may be lent to others while unused, ``max`` is the upper bound; None: not given.
    """

    name: str
    namespace: str = "default"
    min: Resources | None = None
    max: Resources | None = None

    @property
    def key(self) -> str:
        """namespace/name."""
        return f"{self.namespace}/{self.name}"


class JobSpec(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What a Job asks for, and what its status says is done.

    ``completions`` None: done as soon as one pod succeeded. ``is_indexed``: each pod has an index below completions;
    ``completed_indexes`` are intervals (first, last) of those that are done. ``on_disruption`` is the action of
    podFailurePolicy for a pod with the condition DisruptionTarget: Count, Ignore or FailJob. ``replaces_failed_only``:
    a pod is replaced when it has ended, not as soon as it terminates. ``is_over``: suspended, complete or failed.
    More than ``limit_per_index`` failures fail an index (None: indexes do not fail), more than
    ``most_failed_indexes`` of them the Job; it fails ``deadline_seconds`` after its start too. ``rules`` are those of
    podFailurePolicy about exit codes.
    """

    completions: int | None = None
    parallelism: int = 1
    backoff_limit: int = 6
    is_indexed: bool = False
    on_disruption: str = "Count"
    replaces_failed_only: bool = False
    succeeded: int = 0
    failed: int = 0
    completed_indexes: tuple[tuple[int, int], ...] = ()
    is_over: bool = False
    is_suspended: bool = False
    limit_per_index: int | None = None
    most_failed_indexes: int | None = None
    deadline_seconds: int | None = None
    rules: tuple[ExitRule, ...] = ()


class Workload(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What keeps pods alive: a ReplicaSet, ReplicationController, StatefulSet, DaemonSet or Job, or the Deployment of
    ReplicaSets (``ClusterObjects.deployments``).

    ``owner`` is the Deployment (or other object) that the set belongs to. ``template`` is a pod without name, node and
    owner, after admission. ``replicas`` counts for sets of replicas; ordinals of a StatefulSet begin at
    ``first_ordinal``, and ``is_parallel`` is its podManagementPolicy. ``claims`` are names of claim templates,
    ``added`` of pods of a StatefulSet that the input does not hold.
    ``is_implied``: only its pods are known, so that count and template are theirs; then a DaemonSet wants its
    ``nodes`` only. ``n_refused`` pods beyond ``replicas`` are wanted that admission refused, as ``refusal`` says.
    ``owner_replicas`` is what the owner wants in all where several sets are its, None elsewhere.
    ``template_hash`` is equal for equal templates; only runs that play rollouts read it, ``rollout`` and ``revision``.
    """

    kind: str
    name: str
    namespace: str = "default"
    uid: str = ""
    owner: OwnerReference | None = None
    replicas: int = 1
    template: Pod
    claims: tuple[str, ...] = ()
    first_ordinal: int = 0
    is_parallel: bool = False
    added: tuple[str, ...] = ()
    job: JobSpec | None = None
    is_implied: bool = False
    nodes: tuple[str, ...] = ()
    n_refused: int = 0
    refusal: RefusedCreation | None = None
    owner_replicas: int | None = None
    template_hash: str = ""
    rollout: Rollout | None = None
    revision: SetRevision | None = None

    @property
    def key(self) -> str:
        """kind/namespace/name."""
        return f"{self.kind}/{self.namespace}/{self.name}"

    @property
    def title(self) -> str:
        """How people call it: "Deployment shop/web" for the ReplicaSet of a Deployment, else by its own kind."""
        kind, name = (self.owner.kind, self.owner.name) if self.owner else (self.kind, self.name)
        return f"{kind} {self.namespace}/{name}"


KubernetesObject = (
    Pod
    | Node
    | Namespace
    | PriorityClass
    | PodDisruptionBudget
    | WorkloadSelector
    | PersistentVolumeClaim
    | PersistentVolume
    | StorageClass
    | CSINode
    | CSIDriver
    | CSIStorageCapacity
    | VolumeAttachment
    | ResourceClaim
    | ResourceClaimTemplate
    | ResourceSlice
    | DeviceClass
    | PodGroup
    | ElasticQuota
)

WORKLOAD_KINDS = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job")

KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(KubernetesObject)}
"""The structs by their kind, for reading objects that were written out beside it."""


class ClusterObjects(msgspec.Struct, kw_only=True):
    """Everything a cluster file holds, by kind, in file order; defaults and admission already applied.

    ``pods`` holds bound and pending pods alike. Workloads (Deployment, ...) are expanded to pods already and
    appear in ``workload_selectors`` as far as default spreading looks at them; ``workloads`` are what keeps their pods
    alive, ``deployments`` the Deployments as written, which only runs that play rollouts look at.
    """

    nodes: list[Node] = msgspec.field(default_factory=list)
    pods: list[Pod] = msgspec.field(default_factory=list)
    namespaces: list[Namespace] = msgspec.field(default_factory=list)
    priority_classes: list[PriorityClass] = msgspec.field(default_factory=list)
    pod_disruption_budgets: list[PodDisruptionBudget] = msgspec.field(default_factory=list)
    workload_selectors: list[WorkloadSelector] = msgspec.field(default_factory=list)
    persistent_volumes: list[PersistentVolume] = msgspec.field(default_factory=list)
    persistent_volume_claims: list[PersistentVolumeClaim] = msgspec.field(default_factory=list)
    storage_classes: list[StorageClass] = msgspec.field(default_factory=list)
    csi_nodes: list[CSINode] = msgspec.field(default_factory=list)
    csi_drivers: list[CSIDriver] = msgspec.field(default_factory=list)
    csi_storage_capacities: list[CSIStorageCapacity] = msgspec.field(default_factory=list)
    volume_attachments: list[VolumeAttachment] = msgspec.field(default_factory=list)
    resource_claims: list[ResourceClaim] = msgspec.field(default_factory=list)
    resource_claim_templates: list[ResourceClaimTemplate] = msgspec.field(default_factory=list)
    resource_slices: list[ResourceSlice] = msgspec.field(default_factory=list)
    device_classes: list[DeviceClass] = msgspec.field(default_factory=list)
    pod_groups: list[PodGroup] = msgspec.field(default_factory=list)
    elastic_quotas: list[ElasticQuota] = msgspec.field(default_factory=list)
    workloads: list[Workload] = msgspec.field(default_factory=list)
    deployments: list[Workload] = msgspec.field(default_factory=list)
