"""The definition of a comparison, event by event and without anything of the room that is tested."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from scheduler_core.engine.inputs import start_pods
from scheduler_core.recording import RecordingReader
from scheduler_core.recording import events as ev
from scheduler_core.recording.state import RunState, apply

if TYPE_CHECKING:
    from scheduler_core.simulate import RunInputs


def first_difference(a: RecordingReader, b: RecordingReader, end_a: int, end_b: int) -> int | None:
    """Read both from the beginning until something differs."""
    for seq in range(max(end_a, end_b)):
        if seq >= min(end_a, end_b) or (a.event(seq), a.cause(seq)) != (b.event(seq), b.cause(seq)):
            return seq
    return None


class _Pod:
    def __init__(self, name: str, uid: str = "", node: str = "") -> None:
        self.name, self.uid, self.node = name, uid, node
        self.came, self.bound, self.cause, self.is_gone, self.failed = -1, -1, "", False, ""


Ends = dict[tuple[str, str, int], tuple[str, str, int, str]]


def ends(inputs: RunInputs, reader: RecordingReader, end: int) -> Ends:
    """{(name, uid, number): (outcome, node, wait, eviction)} of every pod that the run had."""
    pods = [_Pod(pod.key, "", pod.node_name or "") for pod in start_pods(inputs)]
    newest = {pod.name: pod for pod in pods}
    of_cycle: dict[int, _Pod] = {}
    state = reader.state_at(0)
    for name, cause in state.terminating.items():
        newest[name].cause = cause
    for seq in range(end):
        event = reader.event(seq)
        apply(state, event)
        if isinstance(event, ev.ObjectChanged) and event.kind == "Pod":
            if event.action == "added":
                newest[event.key] = _Pod(event.key, event.uid)
                pods.append(newest[event.key])
            pod = newest[event.key]
            if event.action == "deleted":
                pod.is_gone, pod.cause = True, event.cause or pod.cause
            elif event.key in state.terminating:
                pod.cause = state.terminating[event.key]
        elif isinstance(event, ev.QueueMove) and event.target and newest[event.pod].uid == event.uid:
            if newest[event.pod].came < 0:
                newest[event.pod].came = event.at
        elif isinstance(event, ev.CycleStarted) and newest[event.pod].uid == event.uid:
            of_cycle[event.cycle] = newest[event.pod]
            of_cycle[event.cycle].failed = ""
        elif isinstance(event, ev.CycleFinished) and event.cycle in of_cycle:
            of_cycle[event.cycle].failed = "error" if event.outcome == "error" else ""
        elif isinstance(event, ev.Bound) and event.cycle in of_cycle:
            of_cycle[event.cycle].bound, of_cycle[event.cycle].node = event.at, event.node
        for pod in newest.values():
            if not pod.is_gone:
                placement = state.placements.get(pod.name)
                pod.node = placement.node if placement is not None else ""
    numbers: Counter[tuple[str, str]] = Counter()
    end_of_pod: Ends = {}
    for pod in pods:
        wait = pod.bound - pod.came if pod.bound >= 0 and pod.came >= 0 else -1
        evicted = pod.cause if pod.cause.startswith(("preempted by ", "lost with node ")) else ""
        end_of_pod[pod.name, pod.uid, numbers[pod.name, pod.uid]] = (_outcome(pod, state), pod.node, wait, evicted)
        numbers[pod.name, pod.uid] += 1
    return end_of_pod


def _outcome(pod: _Pod, state: RunState) -> str:
    if pod.cause.startswith("preempted by "):
        return "preempted"
    if pod.is_gone:
        if pod.cause.startswith("lost with node "):
            return "lost"
        return "completed" if pod.cause == "completed" else "deleted"
    if pod.name in state.placements and state.placements[pod.name].bound:
        return "bound"
    if pod.name in state.waiting:
        return "permit"
    if pod.failed:
        return "error"
    is_gated = pod.name in state.queue and state.queue[pod.name].lane == "gated"
    return "gated" if is_gated else "pending"
