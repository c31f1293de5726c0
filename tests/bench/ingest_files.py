"""Cluster files as ``kubectl get -o json`` and ``-o yaml`` write them, made from a seed: nodes, pods, services.

Pods come from Deployments, StatefulSets, DaemonSets and Jobs of which each has its own template; a pod has what the API
server, the controllers, the scheduler and the kubelet add: owner, managedFields, the token volume of its own name, the
IP annotation of the network, conditions and container statuses.
"""

from __future__ import annotations

import json
import re
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

Manifest = dict[str, Any]
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_TIME = "2025-03-{:02d}T{:02d}:{:02d}:{:02d}Z"
_PLAIN = re.compile(r"(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z_./][\w./@-]*", re.IGNORECASE)
_TOLERATIONS = [
    {"key": f"node.kubernetes.io/{why}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    for why in ("not-ready", "unreachable")
]
_TOKEN_SOURCES = [
    {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
    {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
    {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}]}},
]


class Files(NamedTuple):
    """The files written, and how many objects they hold."""

    paths: list[Path]
    nodes: int
    pods: int
    others: int


class _Template(NamedTuple):
    """What the pods of one workload have in common."""

    kind: str
    name: str
    namespace: str
    owner: Manifest
    labels: Manifest
    spec: Manifest
    fields: Manifest


def write_files(folder: Path, n_nodes: int, n_pods: int, form: str = "json", seed: int = 1) -> Files:
    """Write nodes, pods and the rest into the folder; ``form`` is json (one line), kubectl (indented) or yaml."""
    random = Random(seed)
    n_templates = max(1, n_pods // 60)
    namespaces = [f"team-{i}" for i in range(max(1, n_templates // 20))]
    templates = [_template(i, random, namespaces) for i in range(n_templates)]
    lists: dict[str, Iterable[Manifest]] = {
        "nodes": (_node(i, random) for i in range(n_nodes)),
        "pods": (_pod(templates[i % n_templates], i, n_nodes, random) for i in range(n_pods)),
        "others": list(_others(namespaces, templates)),
    }
    write = _WRITERS[form]
    paths = [folder / f"{name}.{'yaml' if form == 'yaml' else 'json'}" for name in lists]
    for path, items in zip(paths, lists.values(), strict=True):
        with path.open("w", encoding="utf-8") as file:
            file.writelines(write(items))
    return Files(paths, n_nodes, n_pods, len(list(lists["others"])))


def _hex(random: Random, digits: int) -> str:
    return f"{random.getrandbits(4 * digits):0{digits}x}"


def _uid(random: Random) -> str:
    return "-".join(_hex(random, n) for n in (8, 4, 4, 4, 12))


def _word(random: Random, length: int) -> str:
    return "".join(random.choices(_LETTERS, k=length))


def _time(random: Random) -> str:
    return _TIME.format(random.randint(1, 28), random.randrange(24), random.randrange(60), random.randrange(60))


def _managed(manager: str, time: str, fields: Manifest, subresource: str = "") -> Manifest:
    entry = {
        "manager": manager,
        "operation": "Update",
        "apiVersion": "v1",
        "time": time,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    return {**entry, "subresource": subresource} if subresource else entry


def _fields_of(value: Manifest) -> Manifest:
    """The field set that owns these keys."""
    return {f"f:{key}": _fields_of(inner) if isinstance(inner, dict) else {} for key, inner in value.items()}


# ---------------------------------------------------------------- pods


def _template(index: int, random: Random, namespaces: list[str]) -> _Template:
    kind = random.choices(("ReplicaSet", "StatefulSet", "DaemonSet", "Job"), (70, 12, 8, 10))[0]
    app, code = f"app-{index}", _word(random, 9)
    name = f"{app}-{code}" if kind == "ReplicaSet" else app
    labels = {"app.kubernetes.io/name": app, "app.kubernetes.io/instance": f"{app}-live", "tier": random.choice("abc")}
    if kind == "ReplicaSet":
        labels["pod-template-hash"] = code
    group = "batch/v1" if kind == "Job" else "apps/v1"
    owner = {"apiVersion": group, "kind": kind, "name": name, "uid": _uid(random), "controller": True}
    containers = [_container(app, n, random) for n in range(random.choices((1, 2, 3), (75, 20, 5))[0])]
    spec: Manifest = {"containers": containers}
    if random.random() < 0.1:
        spec["initContainers"] = [{**_container(app, 9, random), "name": "init"}]
    spec |= {
        "restartPolicy": "OnFailure" if kind == "Job" else "Always",
        "terminationGracePeriodSeconds": random.choice((30, 30, 60)),
        "dnsPolicy": "ClusterFirst",
        "serviceAccountName": app,
        "securityContext": {},
        "schedulerName": "default-scheduler",
        "tolerations": _TOLERATIONS,
        "priority": 0,
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
        **_placement(app, random),
    }
    names: dict[str, dict[str, dict[str, Any]]] = {f'k:{{"name":"{c["name"]}"}}': {"f:image": {}} for c in containers}
    fields = {
        "f:metadata": {"f:generateName": {}, "f:labels": {}},
        "f:spec": {"f:containers": names, "f:schedulerName": {}},
    }
    return _Template(kind, name, random.choice(namespaces), owner, labels, spec, fields)


def _container(app: str, number: int, random: Random) -> Manifest:
    resources = {"cpu": f"{random.choice((50, 100, 250, 500))}m", "memory": f"{random.choice((64, 128, 256, 512))}Mi"}
    env = [{"name": f"{key}_URL", "value": f"http://{key.lower()}.svc:80"} for key in ("QUEUE", "STORE")]
    return {
        "name": app if number == 0 else f"sidecar-{number}",
        "image": f"registry.example.com/{app}/{number}:v1.{random.randrange(40)}.{random.randrange(9)}",
        "ports": [{"name": "http", "containerPort": 8080 + number, "protocol": "TCP"}],
        "env": env[: random.randint(0, 1)],
        "resources": {"requests": resources, "limits": {"memory": "1Gi"}},
        "imagePullPolicy": "IfNotPresent",
    }


def _placement(app: str, random: Random) -> Manifest:
    """Where the template's pods want to be: an affinity, a spread, or nothing."""
    selector = {"matchLabels": {"app.kubernetes.io/name": app}}
    choice = random.random()
    if choice < 0.25:
        term = {"labelSelector": selector, "topologyKey": "kubernetes.io/hostname"}
        weighted = [{"weight": 100, "podAffinityTerm": term}]
        return {"affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": weighted}}}
    if choice < 0.45:
        constraint = {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"}
        return {"topologySpreadConstraints": [{**constraint, "labelSelector": selector}]}
    return {"nodeSelector": {"kubernetes.io/os": "linux"}} if choice < 0.6 else {}


def _pod(template: _Template, index: int, n_nodes: int, random: Random) -> Manifest:
    is_bound, time, token = random.random() < 0.96, _time(random), f"kube-api-access-{_word(random, 5)}"
    mount = {"name": token, "readOnly": True, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}
    spec = {
        "volumes": [{"name": token, "projected": {"sources": _TOKEN_SOURCES, "defaultMode": 420}}],
        **template.spec,
        "containers": [{**container, "volumeMounts": [mount]} for container in template.spec["containers"]],
    }
    if is_bound:
        spec["nodeName"] = _node_name(random.randrange(n_nodes))
    ip = f"10.{random.randrange(64)}.{random.randrange(256)}.{random.randrange(256)}"
    ordinal = f"{template.name}-{index}" if template.kind == "StatefulSet" else ""
    metadata = {
        "name": ordinal or f"{template.name}-{_word(random, 5)}{index % 7}",
        "generateName": f"{template.name}-",
        "namespace": template.namespace,
        "uid": _uid(random),
        "resourceVersion": str(random.randrange(10**9)),
        "creationTimestamp": time,
        "labels": {**template.labels, "statefulset.kubernetes.io/pod-name": ordinal} if ordinal else template.labels,
        "annotations": {"cni.projectcalico.org/podIP": f"{ip}/32", "prometheus.io/scrape": "true"},
        "ownerReferences": [template.owner],
        "managedFields": [_managed("kube-controller-manager", time, template.fields)],
    }
    status = _running(spec, ip, random) if is_bound else _waiting(random)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def _condition(kind: str, status: str, time: str, **more: str) -> Manifest:
    return {"type": kind, "status": status, "lastTransitionTime": time, **more}


def _running(spec: Manifest, ip: str, random: Random) -> Manifest:
    time = _time(random)
    kinds = ("Initialized", "Ready", "PodScheduled")
    statuses = [
        {
            "name": container["name"],
            "state": {"running": {"startedAt": time}},
            "lastState": {},
            "ready": True,
            "restartCount": random.randrange(3),
            "image": container["image"],
            "containerID": f"containerd://{_hex(random, 64)}",
            "started": True,
        }
        for container in spec["containers"]
    ]
    return {
        "phase": "Running",
        "conditions": [_condition(kind, "True", time) for kind in kinds],
        "hostIP": f"192.168.{random.randrange(256)}.{random.randrange(256)}",
        "podIP": ip,
        "podIPs": [{"ip": ip}],
        "startTime": time,
        "containerStatuses": statuses,
        "qosClass": "Burstable",
    }


def _waiting(random: Random) -> Manifest:
    text = f"0/5000 nodes are available: {random.randrange(5000)} Insufficient cpu."
    condition = _condition("PodScheduled", "False", _time(random), reason="Unschedulable", message=text)
    return {"phase": "Pending", "conditions": [condition], "qosClass": "Burstable"}


# ---------------------------------------------------------------- nodes and others


def _node_name(index: int) -> str:
    return f"ip-10-{index >> 8}-{index & 255}-7.eu-west-1.compute.internal"


def _node(index: int, random: Random) -> Manifest:
    name, zone, time = _node_name(index), "abc"[index % 3], _time(random)
    size = random.choice((4, 8, 16, 32))
    labels = {
        "beta.kubernetes.io/arch": "amd64",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        "kubernetes.io/hostname": name,
        "node.kubernetes.io/instance-type": f"m6i.{size}",
        "topology.kubernetes.io/region": "eu-west-1",
        "topology.kubernetes.io/zone": f"eu-west-1{zone}",
        "example.com/pool": f"pool-{random.randrange(6)}",
    }
    annotations = {
        "csi.volume.kubernetes.io/nodeid": json.dumps({"ebs.csi.aws.com": f"i-{_hex(random, 17)}"}),
        "node.alpha.kubernetes.io/ttl": "0",
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
    }
    capacity = {
        "cpu": str(size),
        "ephemeral-storage": "104845292Ki",
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
        "memory": f"{4 * size * 1024 * 1024 - random.randrange(2000)}Ki",
        "pods": "110",
    }
    spec: Manifest = {
        "podCIDR": f"10.{index >> 8}.{index & 255}.0/24",
        "providerID": f"aws:///eu-west-1{zone}/i-{index}",
    }
    if random.random() < 0.1:
        spec["taints"] = [{"key": "dedicated", "value": "batch", "effect": "NoSchedule"}]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "uid": _uid(random),
            "resourceVersion": str(random.randrange(10**9)),
            "creationTimestamp": time,
            "labels": labels,
            "annotations": annotations,
            "managedFields": [_managed("kubelet", time, {"f:metadata": {"f:labels": _fields_of(labels)}})],
        },
        "spec": spec,
        "status": _node_status(name, capacity, time, random),
    }


def _node_status(name: str, capacity: Manifest, time: str, random: Random) -> Manifest:
    images = [random.randrange(400) for _ in range(20)]
    info = {"architecture": "amd64", "kubeletVersion": "v1.32.3", "machineID": _hex(random, 32)}
    pressures = ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
    return {
        "capacity": capacity,
        "allocatable": {**capacity, "ephemeral-storage": "96626364666"},
        "conditions": [
            {**_condition(kind, str(kind == "Ready"), time), "reason": f"Kubelet{kind}", "message": "so it is"}
            for kind in pressures
        ],
        "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}, {"type": "Hostname", "address": name}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "nodeInfo": info,
        "images": [
            {
                "names": [f"registry.example.com/image-{i}@sha256:{i:064x}", f"registry.example.com/image-{i}:v1"],
                "sizeBytes": 10_000_000 + 1_000 * i,
            }
            for i in images
        ],
    }


def _others(namespaces: list[str], templates: list[_Template]) -> Iterator[Manifest]:
    for name in namespaces:
        metadata: Manifest = {"name": name, "labels": {"kubernetes.io/metadata.name": name}}
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
    for template in templates:
        selector = {"app.kubernetes.io/name": template.labels["app.kubernetes.io/name"]}
        metadata = {"name": template.name, "namespace": template.namespace}
        yield {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"selector": selector}}


# ---------------------------------------------------------------- forms


def _json(items: Iterable[Manifest]) -> Iterator[str]:
    yield '{"apiVersion":"v1","items":['
    for i, item in enumerate(items):
        yield ("," if i else "") + json.dumps(item, separators=(",", ":"))
    yield '],"kind":"List","metadata":{"resourceVersion":""}}\n'


def _kubectl(items: Iterable[Manifest]) -> Iterator[str]:
    """As kubectl prints: indented by four, without managedFields."""
    yield '{\n    "apiVersion": "v1",\n    "items": [\n'
    for i, item in enumerate(items):
        item["metadata"].pop("managedFields", None)
        text = json.dumps(item, indent=4).replace("\n", "\n        ")
        yield ("," if i else "") + "        " + text + "\n"
    yield '    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n'


def _yaml(items: Iterable[Manifest]) -> Iterator[str]:
    yield "apiVersion: v1\nkind: List\nitems:\n"
    for item in items:
        yield from _block(item, "  ", "- ")


def _block(value: Any, indent: str, first: str) -> Iterator[str]:
    """The lines of a mapping in a list; the first line begins with a dash."""
    for n, (key, inner) in enumerate(value.items()):
        yield from _entry(f"{indent if n else indent[:-2] + first}{_scalar(key)}:", inner, indent)


def _entry(head: str, value: Any, indent: str) -> Iterator[str]:
    if value and isinstance(value, dict):
        yield head + "\n"
        for key, inner in value.items():
            yield from _entry(f"{indent}  {_scalar(key)}:", inner, indent + "  ")
    elif value and isinstance(value, list):
        yield head + "\n"
        for inner in value:
            if isinstance(inner, dict):
                yield from _block(inner, indent + "  ", "- ")
            else:
                yield f"{indent}- {_scalar(inner)}\n"
    else:
        yield f"{head} {_scalar(value)}\n"


def _scalar(value: Any) -> str:
    return value if isinstance(value, str) and _PLAIN.fullmatch(value) else json.dumps(value)


_WRITERS: dict[str, Callable[[Iterable[Manifest]], Iterator[str]]] = {"json": _json, "kubectl": _kubectl, "yaml": _yaml}
