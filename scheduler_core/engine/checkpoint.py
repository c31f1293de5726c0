"""The simulation's own part of a keyframe, which no event holds: to values that msgspec encodes, and back.

Objects are not stored: they follow from the inputs carried out so far, or were created during the run and lie in the
state that the keyframe holds. Of each pod, only the fields that the run itself changed are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress, count, repeat
from operator import attrgetter, is_not
from typing import Any

import msgspec

from scheduler_core.api import objects as k8s
from scheduler_core.api.devices import ServedResource
from scheduler_core.columns.cluster import object_key
from scheduler_core.engine.inputs import InputChange, RunInputs, other_objects, placed, start_pods, switched_off
from scheduler_core.engine.scheduler import Binding
from scheduler_core.engine.simulation import Due, MakeFrameworks, Simulation
from scheduler_core.engine.world import MADE, ObjectSource
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.waiting_pod import WaitingPodRecord
from scheduler_core.queue.snapshot import SavedObject, SavedPod, load_object, save_object
from scheduler_core.recording.keyframes import AtStart, as_of_start, decode_keyframe, since_start
from scheduler_core.recording.objects import decode_object, object_id
from scheduler_core.recording.recorder import Recorder
from scheduler_core.recording.state import placements_at_start
from scheduler_core.workloads.timeline import TimelineEntry

_CHANGED_BY_RUN = ("uid", "node_name", "phase", "start_time", "nominated_node_name", "deletion_timestamp", "preempted")
_encode = msgspec.msgpack.Encoder().encode
_pod_of = attrgetter("pod")
_own: Callable[[k8s.Pod], tuple[Any, ...]] = attrgetter(*_CHANGED_BY_RUN)


def dump(simulation: Simulation) -> dict[str, Any]:
    """The engine's part of a keyframe, taken between two steps. Drops attempts that later changes made irrelevant."""
    changes = simulation.world.changes
    simulation.tried = {key: at for key, at in simulation.tried.items() if at == changes}
    return {
        "now": simulation.now(),
        "cycle": simulation.context.cycle,
        "busy_until": simulation.busy_until,
        "next_start": simulation.evaluation.next_start,
        "serial": simulation.serial,
        "heap": [list(msgspec.structs.astuple(due)) for due in simulation.heap],
        "started": simulation.started,
        "finished": simulation.finished,
        "step_seq": simulation.step_seq,
        "changes": changes,
        "tried": simulation.tried,
        "position": simulation.timeline_position,
        "timeline_at_change": simulation.timeline_at_change,
        "firsts": simulation.world.firsts,
        **({"removed": list(simulation.world.removed)} if simulation.world.removed else {}),
        "aftermath": simulation.aftermath.dump(),
        **_dump_pods(simulation),
        **_dump_placements(simulation),
        "table": _dump_table(simulation),
        **_dump_ports(simulation),
        **({"node_orders": orders} if (orders := simulation.context.cluster.node_orders()) else {}),
        "queue": simulation.queue.dump(),
        "bindings": [_dump_binding(b) for b in simulation.bindings.values()],
        "waiting": [[_dump_binding(b), r.deadlines] for b, r in _waiting(simulation)],
        "plugins": {name: _dump_plugins(f.plugins) for name, f in simulation.frameworks.items()},
    }


def restore(inputs: RunInputs, keyframe: bytes, make_frameworks: MakeFrameworks) -> Simulation:
    """The simulation as it was at the keyframe. Raises RecordingError or msgspec.ValidationError for a bad keyframe."""
    pods = {pod.key: pod for pod in start_pods(inputs)}
    start = placements_at_start(placed(pods))
    decoded = decode_keyframe(keyframe, start=start)
    if decoded.engine is None:
        return Simulation(inputs, make_frameworks, start=pods)  # the initial keyframe: nothing has happened yet
    data: dict[str, Any] = decoded.engine
    recorder = Recorder.from_keyframe(decoded, start=start)
    n_changes = len(data["timeline_at_change"])
    simulation = Simulation(inputs, make_frameworks, recorder, start=pods, n_changes=n_changes)
    simulation.context.reasons = simulation.recorder.reasons
    _restore_clock(simulation, data)
    _restore_objects(simulation, data, decoded.state.made)
    brought = (entry.object for entry in _inputs_in_order(simulation) if entry.action == "put")
    workload = k8s.Workload | k8s.WorkloadSelector
    simulation.aftermath.load(
        data["aftermath"],
        (obj for obj in brought if isinstance(obj, k8s.Pod)),
        ((e.action == "put", e.object) for e in _inputs_in_order(simulation) if isinstance(e.object, workload)),
        (_made(name, encoded) for name, encoded in decoded.state.made.items() if _kind(name) in k8s.WORKLOAD_KINDS),
    )
    for name, states in data["plugins"].items():
        for plugin, state in states.items():
            simulation.frameworks[name].plugins[plugin].load(state)
    simulation.queue.load(data["queue"], simulation.world.pods)  # sorted by a plugin, whose state is restored by now
    _restore_bindings(simulation, data)
    if simulation.policies.decided == "hold":
        simulation.decided.load({*simulation.bindings, *simulation.scheduler.waiting})
    return simulation


def _restore_clock(simulation: Simulation, data: dict[str, Any]) -> None:
    simulation.context.now, simulation.context.cycle = data["now"], data["cycle"]
    simulation.busy_until, simulation.serial = data["busy_until"], data["serial"]
    simulation.evaluation.next_start = data["next_start"]
    simulation.heap = [Due(*entry) for entry in data["heap"]]
    simulation.started, simulation.finished = data["started"], data["finished"]
    simulation.step_seq = data.get("step_seq", simulation.recorder.head_seq)  # older keyframes do not say
    simulation.world.changes, simulation.tried = data["changes"], data["tried"]
    simulation.timeline_position = data["position"]
    simulation.timeline_at_change = data["timeline_at_change"]
    simulation.switched_off = switched_off(simulation.inputs, simulation.timeline_at_change)
    simulation.next_change = simulation.find_next_change()
    simulation.world.firsts = data["firsts"]


def _restore_objects(simulation: Simulation, data: dict[str, Any], made: Mapping[str, bytes]) -> None:
    """Restore nodes on their rows, listers, and pods with their versions and placements, all in their former order."""
    world, cluster = simulation.world, simulation.context.cluster
    nodes, others = _objects_at(simulation)
    world.removed = {(kind, key): None for kind, key in data.get("removed", ())}  # noqa: C420 - keyframes have lists
    for (kind_of, key), obj in others.items():
        if (kind_of.__name__, key) not in world.removed:
            cluster.listers.put(obj)
    for name, encoded in made.items():
        if _kind(name) not in ("Pod", "Node", *k8s.WORKLOAD_KINDS):
            cluster.listers.put(_made(name, encoded))
    cluster.table.adopt(data["table"], nodes)
    start = simulation.start_pods
    changed: dict[str, k8s.Pod] = {}
    n_own = len(_CHANGED_BY_RUN)
    for key, source, *own in data["pods"]:
        if source is not None:
            world.sources[key] = ObjectSource(*source)
        pod = _pod_as_it_came(simulation, key, made)
        pod = msgspec.structs.replace(pod, **dict(zip(_CHANGED_BY_RUN, own[:n_own], strict=True)))
        changed[key] = _with_claims(pod, *own[n_own:])
    # a keyframe without "gone" and "left" has all pods and placements
    world.pods.update(as_of_start(start, changed, data.get("gone", start)))
    at_start = simulation.start_nodes
    objects = {key: saved for key, _, saved in data["placements"] if saved is not None}
    moved: dict[str, str] = {key: node for key, node, _ in data["placements"]}
    for key, node in as_of_start(at_start, moved, data.get("left", at_start)).items():
        saved = objects.get(key)
        pod = world.pods[key] if saved is None else load_object(msgspec.convert(saved, SavedObject))
        cluster.put_pod(cluster.info(pod), node)
    cluster.set_node_orders(data.get("node_orders", {}))
    for node, ports in data.get("freed_ports", {}).items():
        cluster.freed_ports[node] = {(address, protocol, number) for address, protocol, number in ports}


def _kind(object_name: str) -> str:
    return object_name.partition("/")[0]


def _made(object_name: str, encoded: bytes) -> Any:
    return decode_object(_kind(object_name), encoded)


def _claims_of(pod: k8s.Pod) -> tuple[Any, ...]:
    """What the status says of the pod's claims: the names of those that were made, by entry, and what serves extended
    resources."""
    return [entry.generated for entry in pod.resource_claims], pod.extended_claim, pod.extended_requests


def _with_claims(pod: k8s.Pod, names: list[str | None] | None = None, extended: str = "", served: Any = ()) -> k8s.Pod:
    if names is None:
        return pod
    entries = zip(pod.resource_claims, names, strict=True)
    return msgspec.structs.replace(
        pod,
        resource_claims=tuple([msgspec.structs.replace(entry, generated=name) for entry, name in entries]),
        extended_claim=extended,
        extended_requests=msgspec.convert(served, tuple[ServedResource, ...]),
    )


def _pod_as_it_came(simulation: Simulation, key: str, made: Mapping[str, bytes]) -> k8s.Pod:
    """The pod as its source has it, before the run itself changed it."""
    source, inputs = simulation.world.sources.get(key), simulation.inputs
    if source is None:
        return simulation.start_pods[key]
    if source == MADE:
        pod: k8s.Pod = decode_object("Pod", made[object_id("Pod", key)])
        return pod
    entries: Sequence[Any] = inputs.timeline.entries if source.kind == "timeline" else inputs.changes
    entry_pod: k8s.Pod = entries[source.position].object
    return entry_pod


def _inputs_in_order(simulation: Simulation) -> Iterator[TimelineEntry | InputChange]:
    """Entries of the timeline and changes of objects in the order in which they were carried out."""
    inputs, off, begin = simulation.inputs, simulation.switched_off, 0
    entries = inputs.timeline.entries
    for change, position in zip(inputs.changes, simulation.timeline_at_change, strict=False):
        yield from (entries[i] for i in range(begin, position) if i not in off)
        if change.action in ("put", "delete"):
            yield change
        begin = position
    yield from (entries[i] for i in range(begin, simulation.timeline_position) if i not in off)


def _objects_at(simulation: Simulation) -> tuple[dict[str, k8s.Node], dict[tuple[type, str], Any]]:
    """Nodes by name, and the other objects, as of the inputs carried out so far."""
    objects = simulation.inputs.objects
    nodes = {node.name: node for node in objects.nodes}
    others = {(type(obj), object_key(obj)): obj for obj in other_objects(objects)}
    for entry in _inputs_in_order(simulation):
        obj = entry.object
        if isinstance(obj, k8s.Workload):
            continue
        target: dict[Any, Any] = nodes if isinstance(obj, k8s.Node) else others
        key = obj.name if isinstance(obj, k8s.Node) else (type(obj), object_key(obj))
        if entry.action == "put" and not isinstance(obj, k8s.Pod):
            target[key] = obj
        else:
            target.pop(key, None)
    return nodes, others


def _restore_bindings(simulation: Simulation, data: dict[str, Any]) -> None:
    for entry in data["bindings"]:
        binding = _load_binding(simulation, entry)
        simulation.bindings[binding.info.key] = binding
    for entry, deadlines in data["waiting"]:
        binding = _load_binding(simulation, entry)
        key = binding.info.key
        simulation.scheduler.waiting[key] = binding
        simulation.context.waiting[key] = WaitingPodRecord(
            binding.info, binding.node, binding.cycle.number, deadlines, simulation.context.current_cause
        )


def _dump_table(simulation: Simulation) -> msgspec.Raw:
    """The node table's layout, encoded; reused from the last keyframe if no node changed since."""
    table, saved = simulation.context.cluster.table, simulation.saved_table
    if saved is None or saved[0] != table.static_generation:
        saved = simulation.saved_table = (table.static_generation, msgspec.Raw(_encode(table.layout())))
    return saved[1]


def _dump_ports(simulation: Simulation) -> dict[str, Any]:
    """Host ports that count as free though a pod holds them, by node; few runs have any."""
    freed = simulation.context.cluster.freed_ports
    return {"freed_ports": {node: sorted(ports) for node, ports in sorted(freed.items())}} if freed else {}


def _dump_pods(simulation: Simulation) -> dict[str, Any]:
    """Pods that are not as at the start (key, source or None, what the run changed; encoded again only if that is new
    since the last keyframe), and those of the start that are no more."""
    sources, saved, entries = simulation.world.sources, simulation.saved_pods, simulation.saved_entries
    others, gone = since_start(simulation.world.pods, simulation.pods_at_start, is_not)
    new, dropped = since_start(others, AtStart(saved), is_not)
    for key in dropped:
        del saved[key], entries[key]
    saved.update(new)
    for key, pod in new.items():
        claimed = _claims_of(pod) if pod.resource_claims or pod.extended_claim else ()
        entries[key] = msgspec.Raw(_encode((key, sources.get(key), *_own(pod), *claimed)))
    return {"pods": list(entries.values()), "gone": gone}


def _dump_placements(simulation: Simulation) -> dict[str, Any]:
    """Placements that are not as at the start (pod, node, and the pod's object where an assumed pod was changed or
    deleted since it was tried), and pods whose placement of the start ended."""
    pods, infos = simulation.world.pods, simulation.context.cluster.pods
    others, left = since_start(simulation.context.cluster.placements, simulation.nodes_at_start)
    entries: list[tuple[str, str, Any]] = list(zip(others, others.values(), repeat(None)))
    placed = map(_pod_of, map(infos.__getitem__, others))
    for i in compress(count(), map(is_not, map(pods.get, others), placed)):
        key, node, _ = entries[i]
        entries[i] = key, node, save_object(infos[key].pod)
    return {"placements": entries, "left": left}


def _waiting(simulation: Simulation) -> list[tuple[Binding, WaitingPodRecord]]:
    records = simulation.context.waiting
    return [(binding, records[key]) for key, binding in simulation.scheduler.waiting.items()]


def _dump_binding(binding: Binding) -> dict[str, Any]:
    return {
        "queued": msgspec.to_builtins(SavedPod.of(binding.queued)),
        "node": binding.node,
        "profile": binding.framework.name,
        "cycle": binding.cycle.number,
        "extra": binding.cycle.extra,
        "origin": binding.origin,
        **({"pre_bind": binding.pre_bind} if binding.pre_bind >= 0 else {}),
    }


def _load_binding(simulation: Simulation, data: dict[str, Any]) -> Binding:
    cycle = CycleState(data["cycle"])
    cycle.extra = data["extra"]
    saved = msgspec.convert(data["queued"], SavedPod)
    info = simulation.context.cluster.pods[saved.key]
    queued = simulation.queue.get(saved.key) or saved.restored(info.pod)
    framework, pre_bind = simulation.frameworks[data["profile"]], data.get("pre_bind", -1)
    return Binding(queued, info, data["node"], framework, cycle, data["origin"], pre_bind)


def _dump_plugins(plugins: dict[str, Any]) -> dict[str, Any]:
    states = {name: plugin.dump() for name, plugin in plugins.items()}
    return {name: state for name, state in states.items() if state is not None}
