"""Valid inputs to mutate: small clusters of every kind that is read, configurations, timelines; made from a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

Raw = dict[str, Any]
ZONES = ("z1", "z2", "z3")
APPS = ("web", "db", "job")
GPU = "example.com/gpu"
HOST = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"


def meta(name: str, **more: Any) -> Raw:
    return {"name": name, **more}


def node(random: Random, i: int) -> Raw:
    allocatable = {"cpu": random.choice(("1", "2", "4000m")), "memory": random.choice(("2Gi", "4Gi")), "pods": "8"}
    if random.random() < 0.4:
        allocatable[GPU] = "2"
    spec: Raw = {}
    if random.random() < 0.2:
        spec["taints"] = [
            {"key": "dedicated", "value": "a", "effect": random.choice(("NoSchedule", "PreferNoSchedule"))}
        ]
    labels = {HOST: f"n{i}", ZONE: random.choice(ZONES), "disk": random.choice(("ssd", "hdd"))}
    images = [{"names": ["app:1"], "sizeBytes": random.choice((0, 50_000_000, 900_000_000))}]
    body = {"allocatable": allocatable, "images": images}
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta(f"n{i}", labels=labels), "spec": spec, "status": body}


def container(random: Random, name: str = "app") -> Raw:
    requests: Raw = {}
    if random.random() < 0.9:
        requests["cpu"] = random.choice(("100m", "500m", "1", "1500m"))
    if random.random() < 0.6:
        requests["memory"] = random.choice(("64Mi", "512Mi", "1Gi"))
    resources: Raw = {"requests": requests}
    if random.random() < 0.15:
        resources["limits"] = {GPU: "1"}
    raw_container: Raw = {"name": name, "image": "app:1", "resources": resources}
    if random.random() < 0.15:
        raw_container["ports"] = [{"containerPort": 80, "hostPort": random.choice((80, 81))}]
    return raw_container


def selector(random: Random) -> Raw:
    return {"matchLabels": {"app": random.choice(APPS)}}


def affinity(random: Random) -> Raw:
    term = {"labelSelector": selector(random), "topologyKey": random.choice((HOST, ZONE))}
    pair = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    soft = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 50, "podAffinityTerm": term}]}
    expression = {"key": "disk", "operator": "In", "values": ["ssd"]}
    hard = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    return random.choice((
        {"podAntiAffinity": pair},
        {"podAffinity": soft},
        {"podAntiAffinity": soft},
        {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": hard}},
        {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 10, "preference": {"matchExpressions": [expression]}}]}},
    ))  # fmt: skip


def pod_spec(random: Random) -> Raw:
    spec: Raw = {"containers": [container(random)]}
    if random.random() < 0.3:
        spec["affinity"] = affinity(random)
    if random.random() < 0.3:
        spec["topologySpreadConstraints"] = [{
            "maxSkew": random.choice((1, 2)), "topologyKey": random.choice((HOST, ZONE)),
            "whenUnsatisfiable": random.choice(("DoNotSchedule", "ScheduleAnyway")), "labelSelector": selector(random),
        }]  # fmt: skip
    if random.random() < 0.3:
        spec["tolerations"] = [{"key": "dedicated", "operator": random.choice(("Exists", "Equal")), "effect": ""}]
        spec["tolerations"][0].pop("effect")
    if random.random() < 0.3:
        spec["priorityClassName"] = random.choice(("high", "low"))
    if random.random() < 0.15:
        spec["initContainers"] = [{**container(random, "init"), "restartPolicy": "Always"}]
    if random.random() < 0.15:
        spec["volumes"] = [
            {"name": "data", "persistentVolumeClaim": {"claimName": random.choice(("data-0", "data-1"))}}
        ]
    return spec


def pod(random: Random, name: str, n_nodes: int) -> Raw:
    spec = pod_spec(random)
    if random.random() < 0.3:
        spec["nodeName"] = f"n{random.randrange(n_nodes)}"
    raw: Raw = {"apiVersion": "v1", "kind": "Pod", "metadata": meta(name, labels={"app": random.choice(APPS)})}
    raw["spec"] = spec
    if random.random() < 0.05:
        raw["spec"]["schedulingGates"] = [{"name": "example.com/wait"}]
        spec.pop("nodeName", None)
    return raw


def workload(random: Random, kind: str) -> Raw:
    labels = {"app": f"of-{kind.lower()}"}
    spec: Raw = {"template": {"metadata": {"labels": labels}, "spec": pod_spec(random)}}
    if kind == "Job":
        spec.update(parallelism=2, completions=3)
        spec["template"]["spec"]["restartPolicy"] = "Never"
        return {"apiVersion": "batch/v1", "kind": kind, "metadata": meta("job"), "spec": spec}
    spec["selector"] = {"matchLabels": labels}
    if kind != "DaemonSet":
        spec["replicas"] = random.randint(0, 3)
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": meta(kind.lower()), "spec": spec}


def storage(random: Random) -> list[Raw]:
    mode = random.choice(("WaitForFirstConsumer", "Immediate"))
    amount = {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast"}
    where = {"nodeSelectorTerms": [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["z1"]}]}]}
    return [
        {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": meta("fast"),
            "provisioner": "csi.example.com",
         "volumeBindingMode": mode},
        *({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta(f"data-{i}"),
           "spec": {**amount, "resources": {"requests": {"storage": "1Gi"}}}} for i in range(2)),
        {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": meta("pv-0"),
         "spec": {**amount, "capacity": {"storage": "2Gi"}, "csi": {"driver": "csi.example.com", "volumeHandle": "h"},
                  "nodeAffinity": {"required": where}}},
        {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": meta("n0"),
         "spec": {"drivers": [{"name": "csi.example.com", "nodeID": "n0", "allocatable": {"count": 2}}]}},
    ]  # fmt: skip


def cluster(random: Random) -> list[Raw]:
    """Nodes, pods and most of the other kinds."""
    n_nodes = random.randint(1, 6)
    raws = [node(random, i) for i in range(n_nodes)]
    for name, value in (("high", 100), ("low", 5)):
        raws.append(
            {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": meta(name), "value": value}
        )
    raws.append({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta("budget"),
                 "spec": {"maxUnavailable": random.choice((1, "50%")), "selector": selector(random)}})  # fmt: skip
    raws += storage(random)
    raws += [workload(random, kind) for kind in random.sample(("Deployment", "StatefulSet", "DaemonSet", "Job"), 1)]
    raws += [pod(random, f"p{i}", n_nodes) for i in range(random.randint(3, 12))]
    return raws


def configuration(random: Random) -> Raw:
    """A KubeSchedulerConfiguration."""
    plugins = {"score": {"enabled": [{"name": "NodeResourcesFit", "weight": random.randint(1, 10)}]}}
    plugins["score"]["disabled"] = [{"name": "NodeResourcesFit"}]
    strategy = {"type": random.choice(("LeastAllocated", "MostAllocated")), "resources": [{"name": "cpu", "weight": 1}]}
    args = [{"name": "NodeResourcesFit", "args": {"scoringStrategy": strategy}},
            {"name": "PodTopologySpread", "args": {"defaultingType": "List", "defaultConstraints": []}},
            {"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": random.randint(0, 100)}},
            {"name": "DefaultPreemption", "args": {"minCandidateNodesPercentage": 10}}]  # fmt: skip
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "podInitialBackoffSeconds": 1,
        "profiles": [{"schedulerName": "default-scheduler", "plugins": plugins, "pluginConfig": args}],
    }


def timeline(random: Random, raws: list[Raw]) -> Raw:
    """What happens to the cluster: pods and nodes that come, change and go."""
    entries = []
    for i in range(random.randint(0, 6)):
        some = random.choice(raws)
        changed = random.choice((
            {"action": "add", "object": pod(random, f"late-{i}", 2)},
            {"action": "add", "object": node(random, 90 + i)},
            {"action": "update", "object": node(random, 0)},
            {"action": "delete", "object": {k: some[k] for k in ("apiVersion", "kind", "metadata")}},
        ))  # fmt: skip
        if changed["action"] == "delete" and some["kind"] not in ("Node", "Namespace"):
            changed = {"action": "delete", "object": some}
        entries.append({"at": random.choice((0, "1s", "1500ms", "2m", 7.5)), **changed})
    return {"entries": entries}
