"""What may keep the pod off nodes: each barrier asks something of the pod and has some nodes fail it, others not.

A barrier of a zone is given one node for each zone: what is done to it counts for all nodes of the zone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from scheduler_core.api import objects as k8s
from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.taints import Toleration
from scheduler_core.testing.builders import make_taint
from tests.scheduler_core.explain.diagnosis.draft import GPU, HOSTNAME, ZONE, Draft, DraftNode, labelled

Nodes = Sequence[DraftNode]
Barrier = Callable[[Draft, Nodes, Nodes], None]
"""Is given the draft, the nodes that are to refuse the pod, and those that are not."""
CONTROL_PLANE, POOL = "node-role.kubernetes.io/control-plane:NoSchedule", "gpu=yes:NoSchedule"
CORDON = "node.kubernetes.io/unschedulable:NoSchedule"
CONDITIONS = ("node.kubernetes.io/disk-pressure:NoSchedule", "node.kubernetes.io/not-ready:NoExecute")
LOCAL = "local"
"""The claim whose volume is on hosts."""
TAINTS = ("sick=yes:NoExecute", "dedicated=batch:NoSchedule", "old:NoSchedule", CONTROL_PLANE, POOL, *CONDITIONS)


# --- what nodes say of themselves ------------------------------------------------------------------------------------
def taint(text: str) -> Barrier:
    """A taint; a pod that runs on a node of the pool tolerates its taint, in most clusters."""

    def put(draft: Draft, barred: Nodes, free: Nodes) -> None:
        one = make_taint(text)
        for node in barred:
            node.taints.append(text)
        if draft.draw.random() < 0.25:  # a toleration that is near
            effect = {"NoSchedule": "NoExecute", "NoExecute": "NoSchedule"}[one.effect]
            near = (Toleration(one.key, "Equal", f"{one.value}x"), Toleration(one.key, "Exists", "", effect))
            draft.tolerations.append(draft.draw.choice(near))
        if text == POOL and barred and draft.draw.random() < 0.7:
            mine = Toleration(one.key, "Equal", one.value, one.effect)
            draft.place(draft.draw.choice(barred), tolerations=(mine,))

    return put


def cordon(draft: Draft, barred: Nodes, free: Nodes) -> None:
    """Cordoned nodes, with the taint that the node controller adds, or without."""
    with_taint = draft.draw.random() < 0.5
    for node in barred:
        node.unschedulable = True
        if with_taint:
            node.taints.append(CORDON)


def selector(key: str, value: str) -> Barrier:
    """A key of the nodeSelector, which refusing nodes lack or have with another value."""

    def put(draft: Draft, barred: Nodes, free: Nodes) -> None:
        draft.node_selector[key] = value
        for node in free:
            node.labels[key] = value
        for node in barred:
            if draft.draw.random() < 0.5:
                node.labels[key] = f"not-{value}"

    return put


def host_selector(draft: Draft, barred: Nodes, free: Nodes) -> None:
    """A nodeSelector by hostname, whatever refuses elsewhere: the one node that it means, or none that is there."""
    names = [node.name for node in (free or barred)]
    draft.node_selector[HOSTNAME] = draft.draw.choice(names) if draft.draw.random() < 0.8 else "gone-host"


def requirement(key: str) -> Barrier:
    """A requirement of the one term of the node affinity, with any operator."""

    def put(draft: Draft, barred: Nodes, free: Nodes) -> None:
        operator = draft.draw.choice(("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
        values = {"In": ("2", "3"), "NotIn": ("7",), "Gt": ("1",), "Lt": ("4",)}.get(operator, ())
        draft.requirements.append(Requirement(key, operator, values))
        for node in free:
            if operator != "DoesNotExist":
                node.labels[key] = "2"
        for node in barred:
            if operator in ("NotIn", "DoesNotExist"):
                node.labels[key] = "7"
            elif operator != "Exists" and draft.draw.random() < 0.5:
                node.labels[key] = {"In": "7", "Gt": "0", "Lt": "9"}[operator]

    return put


def named(draft: Draft, barred: Nodes, free: Nodes) -> None:
    """A requirement on metadata.name, as DaemonSets have it."""
    names = [node.name for node in (free or barred)]
    draft.field_requirements.append(Requirement("metadata.name", "In", (draft.draw.choice(names),)))


# --- room ------------------------------------------------------------------------------------------------------------
def cpu(draft: Draft, barred: Nodes, free: Nodes) -> None:
    """Refusing nodes are too small, or their pods leave too little."""
    draft.requests["cpu"] = draft.draw.choice(("2", "3"))
    for node in barred:
        node.cpu = draft.draw.choice(("1", "4"))
        if node.cpu == "4":
            draft.place(node, cpu="2500m")


def memory(draft: Draft, barred: Nodes, free: Nodes) -> None:
    """As cpu."""
    draft.requests["memory"] = "4Gi"
    for node in barred:
        node.memory = draft.draw.choice(("2Gi", "8Gi"))
        if node.memory == "8Gi":
            draft.place(node, memory="5Gi")


def gpu(draft: Draft, barred: Nodes, free: Nodes) -> None:
    """Refusing nodes offer none, or too few, or their pods have them; in some clusters all refuse for one reason."""
    draft.requests[GPU] = "2"
    for node in free:
        node.gpu = "4"
    alike = draft.draw.choice(("", "1", "2", None, None))
    for node in barred:
        node.gpu = draft.draw.choice(("", "1", "2")) if alike is None else alike
        if node.gpu == "2":
            draft.place(node, extended={GPU: "1"})


def full(draft: Draft, barred: Nodes, free: Nodes) -> None:
    """Refusing nodes take no more pods."""
    for node in barred:
        node.pods = "full"


def port(number: int) -> Barrier:
    """A host port, which a pod on each refusing node holds."""

    def put(draft: Draft, barred: Nodes, free: Nodes) -> None:
        address = draft.draw.choice(("", "", "", "10.0.0.1"))
        draft.ports.append(k8s.ContainerPort(number, number, address))
        for node in barred:
            held = k8s.ContainerPort(number, number, draft.draw.choice(("", address)))
            draft.place(node, containers=(k8s.Container("main", ports=(held,)),))

    return put


# --- other pods ------------------------------------------------------------------------------------------------------
def spread(key: str) -> Barrier:
    """A hard spread constraint, which allows no more pods in the domains of the refusing nodes."""

    def put(draft: Draft, barred: Nodes, free: Nodes) -> None:
        label, skew = f"crowd-{key[0]}", draft.draw.choice((1, 1, 2))
        fewest = draft.draw.random() < 0.15
        if draft.draw.random() < 0.8:
            draft.labels[label] = "yes"
        draft.spread.append(
            k8s.TopologySpreadConstraint(
                topology_key=key,
                max_skew=skew,
                label_selector=labelled(label, "yes"),
                min_domains=len(barred) + len(free) + 1 if fewest else None,
                node_taints_policy=draft.draw.choice(("Ignore", "Ignore", "Honor")),
                node_affinity_policy=draft.draw.choice(("Honor", "Honor", "Ignore")),
            )
        )
        for node in [*barred, *(free if fewest else ())]:
            for _ in range(skew + 1):
                draft.place(node, labels={label: "yes"})

    return put


def rival(key: str) -> Barrier:
    """Anti-affinity of the pod to pods that are in the domains of the refusing nodes."""

    def put(draft: Draft, barred: Nodes, free: Nodes) -> None:
        label = f"rival-{key[0]}"
        draft.apart.append(k8s.PodAffinityTerm(key, labelled(label, "yes")))
        for node in barred:
            draft.place(node, labels={label: "yes"})

    return put


def shy(key: str) -> Barrier:
    """Pods in the domains of the refusing nodes with an anti-affinity to the pod."""

    def put(draft: Draft, barred: Nodes, free: Nodes) -> None:
        term = k8s.PodAffinityTerm(key, labelled("app", "new"))
        for node in barred:
            draft.place(node, affinity=k8s.Affinity(anti_required=(term,)))

    return put


def friend(key: str) -> Barrier:
    """Affinity of the pod to pods that are in the domains of the other nodes only."""

    def put(draft: Draft, barred: Nodes, free: Nodes) -> None:
        label = f"friend-{key[0]}"
        draft.near.append(k8s.PodAffinityTerm(key, labelled(label, "yes")))
        for node in free:
            draft.place(node, labels={label: "yes"})

    return put


# --- volumes ---------------------------------------------------------------------------------------------------------
def disk(key: str, name: str) -> Barrier:
    """A claim whose volume only the other nodes reach; volumes in zones may say theirs by a label, too."""

    def put(draft: Draft, barred: Nodes, free: Nodes) -> None:
        values = [one.name if key == HOSTNAME else one.zone for one in free] or ["elsewhere"]
        values = values if key == HOSTNAME else [draft.draw.choice(values)]
        labels = {ZONE: values[0]} if key == ZONE and draft.draw.random() < 0.4 else {}
        _bound(draft, name, ("ReadWriteOnce",), labels, _within(key, values))

    return put


def delayed_disk(draft: Draft, barred: Nodes, free: Nodes) -> None:
    """A claim that waits for the pod, and a volume for it that the other zones reach."""
    zones = [one.zone for one in free]
    draft.objects.append(
        k8s.StorageClass(
            name="local", provisioner="kubernetes.io/no-provisioner", volume_binding_mode="WaitForFirstConsumer"
        )
    )
    draft.objects.append(_claim("scratch", "local"))
    if zones:
        volume = _volume("pv-scratch", "local", ("ReadWriteOnce",), {}, _within(ZONE, zones))
        draft.objects.append(msgspec.structs.replace(volume, phase="Available"))
    draft.claims.append("scratch")


def missing_claim(draft: Draft, barred: Nodes, free: Nodes) -> None:
    """A claim that does not exist, which refuses the pod as a whole."""
    draft.claims.append("missing")


def unbound_claim(draft: Draft, barred: Nodes, free: Nodes) -> None:
    """A claim that is bound at once and is not, which refuses the pod as a whole."""
    draft.objects += [k8s.StorageClass(name="fast", provisioner="csi.example.com"), _claim("unbound", "fast")]
    draft.claims.append("unbound")


def used_claim(draft: Draft, barred: Nodes, free: Nodes) -> None:
    """A claim for one pod at a time, which another pod has: on every node."""
    _bound(draft, "single", ("ReadWriteOncePod",), {}, None)
    volume = k8s.Volume(name="v", claim_name="single")
    draft.place(draft.draw.choice([*barred, *free]), volumes=(volume,))


def _bound(
    draft: Draft, name: str, modes: tuple[str, ...], labels: dict[str, str], within: NodeSelector | None
) -> None:
    """A claim of the pod and its volume."""
    claim = _claim(name, "manual", modes)
    annotations = {"pv.kubernetes.io/bind-completed": "yes"}
    draft.objects.append(
        msgspec.structs.replace(claim, annotations=annotations, volume_name=f"pv-{name}", phase="Bound")
    )
    draft.objects.append(_volume(f"pv-{name}", "manual", modes, labels, within))
    draft.claims.append(name)


def _claim(name: str, storage_class: str, modes: tuple[str, ...] = ("ReadWriteOnce",)) -> k8s.PersistentVolumeClaim:
    return k8s.PersistentVolumeClaim(
        name=name, uid=f"uid-{name}", storage_class_name=storage_class, access_modes=modes, requested_bytes=1 << 30
    )


def _volume(
    name: str, storage_class: str, modes: tuple[str, ...], labels: dict[str, str], within: NodeSelector | None
) -> k8s.PersistentVolume:
    return k8s.PersistentVolume(
        name=name,
        labels=labels,
        storage_class_name=storage_class,
        capacity_bytes=1 << 30,
        access_modes=modes,
        node_affinity=within,
        phase="Bound",
        source="local",
    )


def _within(key: str, values: Sequence[str]) -> NodeSelector:
    return NodeSelector((NodeSelectorTerm((Requirement(key, "In", tuple(values)),)),))
