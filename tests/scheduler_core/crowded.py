"""Recorded runs of crowded generated clusters, and the same state made from scratch for the plain engine."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec

from scheduler_core.api import objects as k8s
from scheduler_core.columns.cluster import object_key
from scheduler_core.columns.zones import zone_key
from scheduler_core.engine.simulation import Simulation
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.profiles.build import build_frameworks
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import Policies, RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.generated import DISKS, NAMESPACES, pod, sample
from tests.scheduler_core.as_manifests import reread

SECOND = 1_000_000


def crowded(seed: int, n_nodes: int = 12, n_pods: int = 40) -> RunInputs:
    """Pods of all kinds come to a small cluster for a minute, with priorities and budgets, and some go again."""
    draw, made = Random(seed), sample(seed, n_nodes=n_nodes, n_pods=0)
    placed = [_admissible(one) for pods in made.placed.values() for one in pods]
    entries = []
    for i in range(n_pods):
        at = draw.randrange(60) * SECOND
        one = msgspec.structs.replace(
            _admissible(pod(draw, f"pod-{i}")),
            priority=draw.choice((0, 10, 100, 1000)),
            preemption_policy=draw.choice(("Never", *["PreemptLowerPriority"] * 7)),
            termination_grace_period_seconds=draw.choice((1, 30)),
        )
        entries.append(TimelineEntry(at, "put", one))
        if draw.random() < 0.2:
            entries.append(TimelineEntry(at + draw.randrange(1, 30) * SECOND, "delete", one))
    objects: dict[str, list[Any]] = {}
    claims = [k8s.ResourceClaim(name="claim", namespace=namespace) for namespace in NAMESPACES]
    for one in (*map(for_one_pod, made.objects), *claims):
        objects.setdefault(FIELDS[type(one)], []).append(one)
    return RunInputs(
        objects=k8s.ClusterObjects(nodes=list(made.nodes), pods=placed, **objects),
        schedule="timeline",
        timeline=Timeline.of(sorted(entries, key=lambda entry: entry.at)),
        policies=Policies(
            victims=draw.choice(("grace", "at_once")), node_search=draw.choice(("all", "all", "configured"))
        ),
        seed=seed,
        max_virtual_us=400 * SECOND,
    )


def _admissible(one: k8s.Pod) -> k8s.Pod:
    """The pod without what no API server takes: a second constraint over the same key with the same consequence, gates
    of a pod that is bound."""
    constraints = {(c.topology_key, c.when_unsatisfiable): c for c in one.topology_spread_constraints}
    gates = () if one.node_name else one.scheduling_gates
    several = tuple(constraints.values())
    return msgspec.structs.replace(one, topology_spread_constraints=several, scheduling_gates=gates)


def for_one_pod(one: Any) -> Any:
    """The claims and volumes of all disks but the first for one pod at a time; other objects as they are."""
    if isinstance(one, (k8s.PersistentVolumeClaim, k8s.PersistentVolume)) and one.name.endswith(DISKS[1:]):
        return msgspec.structs.replace(one, access_modes=("ReadWriteOncePod",))
    return one


def recorded(inputs: RunInputs, every: int = 30) -> RecordingReader:
    """The whole run, with a keyframe after each so many cycles."""
    session = RunSession.start(inputs)
    store = MemoryStore(session.initial_keyframe())
    finished = False
    while not finished:
        finished = session.advance(max_cycles=every)
        if chunk := session.cut_chunk():
            store.add(chunk)
    return RecordingReader(store)


def pod_of(reader: RecordingReader, cycle: int) -> str:
    """Key of the pod that the cycle tried."""
    return str(reader.event(reader.cycle_span(cycle)[0]).pod)


def from_scratch(
    trials: Trials,
    key: str,
    *,
    edited: k8s.Pod | None = None,
    nodes: Any = (),
    gone: Any = (),
    objects: Any = (),
    by_manifests: bool = False,
) -> Trials:
    """The state with these changes as the inputs of a new run of the plain engine, before its first cycle.

    Only the pod waits there, besides those that nodes are promised to. Nothing is taken over but objects: nodes in the
    order in which the engine holds them, pods in order of arrival, other objects, and what plugins keep by themselves.
    ``by_manifests``: the objects are written as manifests and read again.
    """
    simulation = trials.simulation
    context, table = simulation.context, simulation.context.cluster.table
    own = {table.nodes[row].name: table.nodes[row] for row in table.order.tolist()}
    for node in nodes:
        if node.name in own and zone_key(own[node.name]) != zone_key(node):
            del own[node.name]  # a node that changes its zone comes last in the new one
        own[node.name] = node
    away = {key, *gone}
    placed = [
        msgspec.structs.replace(info.pod, node_name=context.cluster.node_of(name))
        for name, info in context.cluster.pods.items()
        if name not in away
    ]
    promised = [
        msgspec.structs.replace(one, nominated_node_name=node, scheduling_gates=())
        for node, several in simulation.queue.nominator
        for one in several
        if node and one.key not in away
    ]
    tried = trials.pod(key) if edited is None else edited
    others: dict[str, list[Any]] = {}
    object_of_key = {(type(one), object_key(one)): one for one in (*other_objects_of(simulation), *objects)}
    for one in object_of_key.values():
        others.setdefault(FIELDS[type(one)], []).append(one)
    there = k8s.ClusterObjects(nodes=list(own.values()), pods=[*placed, *promised, tried], **others)
    inputs = msgspec.structs.replace(
        simulation.inputs,
        objects=reread(there) if by_manifests else there,
        schedule="pending",
        timeline=Timeline(),
        changes=(),
    )
    fresh = Simulation(inputs, lambda config, run: build_frameworks(config, run), cached=False)
    fresh.step()
    fresh.evaluation.next_start = simulation.evaluation.next_start
    fresh.context.cycle = context.cycle
    for name, framework in simulation.frameworks.items():
        for plugin in framework.plugins.values():
            if (plugin_state := plugin.dump()) is not None:  # volumes assumed for pods that are being bound
                fresh.frameworks[name].plugins[plugin.name].load(plugin_state)
    return Trials(fresh, trials.now)


def other_objects_of(simulation: Simulation) -> list[Any]:
    listers = simulation.context.cluster.listers
    return [obj for kind in listers._by_type.values() for obj in kind.values()]


FIELDS = {
    type_: name
    for name, type_ in (
        ("namespaces", k8s.Namespace), ("priority_classes", k8s.PriorityClass),
        ("pod_disruption_budgets", k8s.PodDisruptionBudget), ("workload_selectors", k8s.WorkloadSelector),
        ("persistent_volumes", k8s.PersistentVolume), ("persistent_volume_claims", k8s.PersistentVolumeClaim),
        ("storage_classes", k8s.StorageClass), ("csi_nodes", k8s.CSINode), ("csi_drivers", k8s.CSIDriver),
        ("csi_storage_capacities", k8s.CSIStorageCapacity), ("volume_attachments", k8s.VolumeAttachment),
        ("resource_claims", k8s.ResourceClaim), ("pod_groups", k8s.PodGroup),
        ("elastic_quotas", k8s.ElasticQuota),
    )
}  # fmt: skip
