"""Runs over generated clusters, recorded, and the state that each of their cycles found, for oracles."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from scheduler_core.api import objects as k8s
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import Policies, RunInputs, RunSession
from scheduler_core.testing.generated import NAMESPACES, sample
from tests.scheduler_core.crowded import for_one_pod

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scheduler_core.engine.simulation import Simulation
    from scheduler_core.recording.frames.frame import Frame
    from scheduler_core.recording.state import RunState


class CycleMet(NamedTuple):
    """A cycle with the engine's state before it, the folded state and the frame that it recorded."""

    number: int
    pod: k8s.Pod
    simulation: Simulation
    state: RunState
    frame: Frame | None


class Cluster(NamedTuple):
    """What an oracle sees: nodes, the placed pods of each by its name, nominated pods of each, other objects."""

    nodes: dict[str, k8s.Node]
    pods: dict[str, list[k8s.Pod]]
    nominated: dict[str, list[k8s.Pod]]
    inputs: RunInputs


def generated_inputs(seed: int) -> RunInputs:
    """Nodes, placed pods and pods to schedule with everything that plugins look at; later ones preempt earlier ones."""
    drawn = sample(seed, n_nodes=10, n_pods=14)
    placed = [pod for pods in drawn.placed.values() for pod in pods]
    waiting = [msgspec.structs.replace(pod, priority=pod.priority * (1 + i % 3)) for i, pod in enumerate(drawn.pods)]
    objects = k8s.ClusterObjects(nodes=list(drawn.nodes), pods=[*placed, *waiting])
    fields = {k8s.Namespace: objects.namespaces, k8s.WorkloadSelector: objects.workload_selectors}
    fields |= {k8s.PodDisruptionBudget: objects.pod_disruption_budgets, k8s.StorageClass: objects.storage_classes}
    fields |= {k8s.PersistentVolumeClaim: objects.persistent_volume_claims}
    fields |= {k8s.PersistentVolume: objects.persistent_volumes, k8s.CSINode: objects.csi_nodes}
    fields |= {k8s.ResourceClaim: objects.resource_claims, k8s.ElasticQuota: objects.elastic_quotas}
    claims = [k8s.ResourceClaim(name="claim", namespace=namespace) for namespace in NAMESPACES]
    for obj in (*map(for_one_pod, drawn.objects), *claims):
        fields[type(obj)].append(obj)
    return RunInputs(objects=objects, seed=seed, policies=Policies(), max_cycles=40)


def recorded(inputs: RunInputs) -> RecordingReader:
    """The run carried out to its end."""
    session = RunSession.start(inputs)
    store = MemoryStore(session.initial_keyframe())
    session.advance()
    store.add(session.cut_chunk())
    return RecordingReader(store)


def cycles_of(inputs: RunInputs) -> Iterator[CycleMet]:
    """Every cycle of the run, each with the state that it found; ``simulation`` goes on afterwards."""
    reader = recorded(inputs)
    session = RunSession.start(inputs)
    for number in range(1, reader.last_cycle() + 1):
        started = reader.cycle_span(number)[0]
        session.advance_to(started - 1)
        pod = session.simulation.world.pods[reader.event(started).pod]
        yield CycleMet(number, pod, session.simulation, reader.state_at(started - 1), reader.frame(number))


def cluster_of(met: CycleMet) -> Cluster:
    """The objects as the folded state has them: the inputs, moved by what was recorded."""
    inputs = met.simulation.inputs
    pod_of = {pod.key: pod for pod in inputs.objects.pods}
    nodes = {node.name: node for node in inputs.objects.nodes}
    pods: dict[str, list[k8s.Pod]] = {name: [] for name in nodes}
    for key, placement in met.state.placements.items():
        leaving = pod_of[key].deletion_timestamp or (1.0 if key in met.state.terminating else None)
        pods[placement.node].append(msgspec.structs.replace(pod_of[key], deletion_timestamp=leaving))
    nominated: dict[str, list[k8s.Pod]] = {}
    for key, node in met.state.nominations.items():
        if key != met.pod.key and pod_of[key].priority >= met.pod.priority:
            nominated.setdefault(node, []).append(pod_of[key])
    return Cluster(nodes, pods, nominated, inputs)
