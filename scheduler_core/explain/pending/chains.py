"""Who preempted whom, across cycles, as a small graph around some pods."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.outcomes.objects import RunObjects
from scheduler_core.explain.pending.model import PodNode, Preempted, PreemptionGraph
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import RecordingReader


def preemption_chains(reader: RecordingReader, inputs: RunInputs, pods: Collection[str], seq: int) -> PreemptionGraph:
    """Every preemption in the first ``seq`` events that is linked to one of the pods, by preemptors and victims in
    turn; pods by namespace/name, those that are not the first of their name with the uid after it."""
    decided = reader.select_events(0, seq, ev.PreemptionDecided)
    edges = [edge for number, event in decided for edge in _edges(number, event)]
    linked = _linked(edges, pods)
    linked_edges = tuple(edge for edge in edges if edge.preemptor in linked)
    if not linked_edges:
        return PreemptionGraph()
    victims = {edge.victim for edge in linked_edges}
    names = sorted({edge.preemptor for edge in linked_edges} | victims)
    priorities = _priorities(reader, inputs, linked_edges)
    return PreemptionGraph(tuple(PodNode(name, name in victims, priorities.get(name)) for name in names), linked_edges)


def _edges(seq: int, event: ev.PreemptionDecided) -> Iterable[Preempted]:
    chosen = event.nominated
    preemptor = _id(event, event.pod)
    for victim in chosen.victims if chosen is not None else ():
        yield Preempted(preemptor, _id(event, victim), event.nominated_node or "", event.cycle, seq)


def _priorities(reader: RecordingReader, inputs: RunInputs, edges: Sequence[Preempted]) -> dict[str, int]:
    """{pod: priority} at the moment of the preemption, when the pod is there; later a name may be another pod's."""
    objects, priorities, start = RunObjects(inputs), dict[str, int](), 0
    for edge in edges:
        objects.follow(reader, start, edge.seq)
        start = edge.seq
        for name in (edge.preemptor, edge.victim):
            pod = objects.pods.get(name.partition(" ")[0])
            if pod is not None:
                priorities[name] = pod.priority
    return priorities


def _id(event: ev.PreemptionDecided, pod: str) -> str:
    uid = event.pod_uid(pod)
    return f"{pod} {uid}" if uid else pod


def _linked(edges: Collection[Preempted], pods: Collection[str]) -> set[str]:
    """Pods that edges link to any of these, in either direction; a name stands for all pods of the name."""
    neighbours: dict[str, set[str]] = {}
    for edge in edges:
        neighbours.setdefault(edge.preemptor, set()).add(edge.victim)
        neighbours.setdefault(edge.victim, set()).add(edge.preemptor)
    names = set(pods)
    left = [name for name in neighbours if name.partition(" ")[0] in names]
    linked = set(left)
    while left:
        for other in neighbours[left.pop()] - linked:
            linked.add(other)
            left.append(other)
    return linked
