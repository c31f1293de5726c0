"""Generated clusters for questions of capacity, and their answers by a loop of whole plain runs.

The loop shares nothing with the product but the engine: it writes the pods of DaemonSets, of new nodes and of nodes
that leave by itself, and reads what a run ends with.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from scheduler_core.api.config import PluginRef, PluginSet, Profile, SchedulerConfiguration
from scheduler_core.manifests import load_manifests
from scheduler_core.simulate import Policies, RunInputs, RunSession

if TYPE_CHECKING:
    from collections.abc import Iterable

Raw = dict[str, Any]
ZONES = ("a", "b", "c")
WITHOUT_PREEMPTION = SchedulerConfiguration(
    profiles=(Profile(plugins={"postFilter": PluginSet(disabled=(PluginRef("*"),))}),)
)
PLAIN = Policies(owners="ignore", draw="smallest", terminating="stay")


def generated(seed: int) -> list[Raw]:
    """Nodes in zones, some tainted; placed and waiting pods of ReplicaSets with selectors, spreading, affinities and
    bound volumes; a DaemonSet; budgets."""
    draw = Random(seed)
    nodes = [_node(draw, f"n{i}") for i in range(draw.randint(3, 7))]
    agent = {"cpu": f"{draw.choice((100, 300))}m"}
    raws: list[Raw] = [*nodes, _daemon_set(agent), *_volumes()]
    raws += [_daemon_pod(node, agent) for node in nodes if not _taints(node)]
    free = {node["metadata"]["name"]: int(node["status"]["allocatable"]["cpu"]) * 1000 - 300 for node in nodes}
    for number in range(draw.randint(4, 14)):
        name = f"placed-{number}"
        node, cpu = draw.choice(nodes)["metadata"]["name"], draw.choice((300, 700, 1500))
        if free[node] >= cpu:
            free[node] -= cpu
            raws.append(_pod(draw, name, cpu, node))
    raws += [_pod(draw, f"waiting-{number}", draw.choice((500, 1500, 2500, 6500)), "") for number in range(7)]
    raws.append(_budget("some", draw.choice(("app-0", "app-1")), draw.randint(0, 2)))
    return raws


def _node(draw: Random, name: str) -> Raw:
    zone = draw.choice(ZONES)
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": zone, "pool": draw.choice(("x", "y"))}
    taints = [{"key": "kept", "value": "yes", "effect": "NoSchedule"}] if draw.random() < 0.2 else []
    amounts = {"cpu": str(draw.choice((2, 4, 8))), "memory": "32Gi", "pods": "20"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
            "spec": {"taints": taints}, "status": {"allocatable": amounts}}  # fmt: skip


def _taints(node: Raw) -> list[Raw]:
    taints: list[Raw] = node["spec"]["taints"]
    return taints


def _daemon_set(requests: Raw) -> Raw:
    spec = {"containers": [{"name": "main", "image": "agent", "resources": {"requests": requests}}]}
    template = {"metadata": {"labels": {"app": "agent"}}, "spec": spec}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent"},
            "spec": {"selector": {"matchLabels": {"app": "agent"}}, "template": template}}  # fmt: skip


def _daemon_pod(node: Raw, requests: Raw) -> Raw:
    name = node["metadata"]["name"]
    meta = {"name": f"agent-on-{name}", "uid": f"agent-{name}", "labels": {"app": "agent"},
            "ownerReferences": [_owner("DaemonSet", "agent")]}  # fmt: skip
    spec = {"nodeName": name, "containers": [{"name": "main", "image": "agent", "resources": {"requests": requests}}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}


def _owner(kind: str, name: str) -> Raw:
    return {"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": name, "controller": True}


def _volumes() -> list[Raw]:
    """A bound volume of each zone."""
    raws: list[Raw] = []
    for zone in ZONES:
        term = {"matchExpressions": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}]}
        ref = {"kind": "PersistentVolumeClaim", "namespace": "default", "name": f"data-{zone}", "uid": f"u-{zone}"}
        raws.append({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"disk-{zone}"},
            "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"], "claimRef": ref,
                     "csi": {"driver": "d", "volumeHandle": zone},
                     "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}},
        })  # fmt: skip
        raws.append({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": f"data-{zone}", "uid": f"u-{zone}",
                         "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
            "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}},
                     "volumeName": f"disk-{zone}"},
        })  # fmt: skip
    return raws


def _pod(draw: Random, name: str, cpu: int, node: str) -> Raw:
    app = f"app-{draw.randrange(3)}"
    spec: Raw = {"containers": [{"name": "main", "image": "app", "resources": {"requests": {"cpu": f"{cpu}m"}}}]}
    if node:
        spec["nodeName"] = node
    spec["priority"] = draw.choice((0, 0, 10))
    if draw.random() < 0.3:
        spec["tolerations"] = [{"key": "kept", "operator": "Exists"}]
    kind = draw.random()
    if kind < 0.15:
        spec["nodeSelector"] = {"pool": draw.choice(("x", "y"))}
    elif kind < 0.35:
        spec["topologySpreadConstraints"] = [{
            "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "labelSelector": {"matchLabels": {"app": app}},
            "whenUnsatisfiable": draw.choice(("DoNotSchedule", "ScheduleAnyway")),
        }]  # fmt: skip
    elif kind < 0.5:
        spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": app}}}]}}  # fmt: skip
    elif kind < 0.65:
        spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": f"data-{draw.choice(ZONES)}"}}]
    meta: Raw = {"name": name, "uid": name, "labels": {"app": app}}
    if draw.random() < 0.8:
        meta["ownerReferences"] = [_owner("ReplicaSet", app)]
    if draw.random() < 0.08:
        meta["annotations"] = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}


def _budget(name: str, app: str, allowed: int) -> Raw:
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name},
            "spec": {"maxUnavailable": allowed, "selector": {"matchLabels": {"app": app}}},
            "status": {"disruptionsAllowed": allowed, "currentHealthy": 3, "desiredHealthy": 3 - allowed,
                       "expectedPods": 3}}  # fmt: skip


# --- whole plain runs ----------------------------------------------------------------------------------------------
def inputs_of(raws: Iterable[Raw]) -> RunInputs:
    """The inputs of a plain run of these manifests, without preemption."""
    result = load_manifests(list(raws))
    assert not result.errors, result.errors[0].text()
    return RunInputs(
        objects=result.objects, configuration=WITHOUT_PREEMPTION, policies=PLAIN, schedule="pending", max_cycles=10_000
    )


def nodes_of(raws: Iterable[Raw]) -> dict[str, str]:
    """{pod: node} at the end of a whole run, "" for one that waits."""
    session = RunSession.start(inputs_of(raws))
    session.advance()
    return {pod.name: pod.node_name for pod in session.simulation.world.pods.values()}


def name_of(raw: Raw) -> str:
    """The name of a manifest's object."""
    return str(raw["metadata"]["name"])


def like(node: Raw, number: int, agent: Raw) -> list[Raw]:
    """One more node like this one, with its pod of the DaemonSet."""
    name = f"more-{number}"
    labels = {**node["metadata"]["labels"], "kubernetes.io/hostname": name}
    more = {**node, "metadata": {"name": name, "labels": labels}}
    return [more] if _taints(node) else [more, _daemon_pod(more, agent)]


def fewest(raws: list[Raw], node: Raw) -> tuple[int, set[str]]:
    """How many nodes like this one let as many run of what waits as any number, and which pods these are."""
    agent = next(raw for raw in raws if raw["kind"] == "DaemonSet")
    requests = agent["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"]
    base = nodes_of(raws)
    waiting = [name for name in base if name.startswith("waiting")]
    asked = [name for name in waiting if not base[name]]
    best: tuple[int, set[str]] = (0, set())
    for count in range(1, len(waiting) + 1 if asked else 0):
        more = [one for number in range(1, count + 1) for one in like(node, number, requests)]
        ends = nodes_of([*raws, *more])
        run = {name for name in asked if ends[name]}
        if len(run) > len(best[1]):
            best = count, run
    return best


def is_needed(raws: list[Raw], name: str) -> bool:
    """Whether the node is needed: a pod of it may not go, or finds no node without it."""
    on_node = [raw for raw in raws if raw["kind"] == "Pod" and raw["spec"].get("nodeName") == name]
    moving = [raw for raw in on_node if not name_of(raw).startswith("agent")]
    if any("annotations" in raw["metadata"] or "ownerReferences" not in raw["metadata"] for raw in moving):
        return True
    for budget in (raw for raw in raws if raw["kind"] == "PodDisruptionBudget"):
        labels = budget["spec"]["selector"]["matchLabels"]
        guarded = [raw for raw in moving if raw["metadata"]["labels"] == labels]
        if len(guarded) > budget["status"]["disruptionsAllowed"]:
            return True
    placed = [raw for raw in raws if raw["kind"] != "Pod" or raw["spec"].get("nodeName")]
    left = [raw for raw in placed if raw not in on_node and not (raw["kind"] == "Node" and name_of(raw) == name)]
    free = [{**raw, "spec": {key: value for key, value in raw["spec"].items() if key != "nodeName"}} for raw in moving]
    ends = nodes_of([*left, *free])
    return not all(ends[name_of(raw)] for raw in moving)
