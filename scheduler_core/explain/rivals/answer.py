"""The comparison of nodes in a recorded cycle, as the page and the command line ask for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.rivals.compare import compare
from scheduler_core.explain.rivals.flips import weight_ranges
from scheduler_core.explain.rivals.model import Rival, Rivalry, WhyNode
from scheduler_core.explain.rivals.requests import request_ranges
from scheduler_core.explain.sessions import differs
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.events import CycleStarted, HostSelected, ObjectChanged
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.recording.times import clock


def pod_of_cycle(reader: RecordingReader, cycle: int) -> str:
    """The pod (namespace/name) that the cycle tried; raises RecordingError for a cycle that is not recorded."""
    first = reader.cycle_span(cycle)[0]
    started = reader.event(first)
    if not isinstance(started, CycleStarted):
        raise RecordingError(f"event {first} does not start cycle {cycle}")
    return started.pod


def why_node(reader: RecordingReader, trials: Trials, cycle: int, nodes: Sequence[str]) -> Rivalry:
    """The nodes beside each other in the cycle, on the state that it found (``trials``, of ``sessions.at_cycle``).

    Nodes that the cycle did not have are listed too. Raises RecordingError for a cycle that is not recorded.
    """
    pod, first = pod_of_cycle(reader, cycle), reader.cycle_span(cycle)[0]
    absent = {name: why for name in nodes if (why := absence(reader, name, first))}
    there = [name for name in nodes if name not in absent]
    frame = reader.frame(cycle)
    rivalry = compare(trials, pod, there, frame, reader.node_names(cycle))
    by_name = {rival.node: rival for rival in rivalry.rivals}
    rivals = tuple(by_name[name] if name in by_name else Rival(name, None, 0, absent=absent[name]) for name in nodes)
    selected = next((e for _, e in reader.events(*reader.cycle_span(cycle)) if isinstance(e, HostSelected)), None)
    is_pair = len(nodes) > 1 and not absent.keys() & set(nodes[:2])
    return msgspec.structs.replace(
        rivalry,
        cycle=cycle,
        winner=selected.node if selected is not None else "",
        rivals=rivals,
        leads=rivalry.leads if is_pair else (),
        lead=rivalry.lead if is_pair else None,
        difference=differs(reader, cycle, trials.attempt(pod)),
    )


def node_choice(
    reader: RecordingReader, trials: Trials, cycle: int, nodes: Sequence[str], out_of_time: Callable[[], bool]
) -> WhyNode:
    """The comparison with the ranges of weights and requests; requests are tried until ``out_of_time``.

    One node alone is set beside the winner. Raises RecordingError for a cycle that is not recorded.
    """
    rivalry = why_node(reader, trials, cycle, nodes)
    if len(nodes) == 1 and rivalry.winner not in ("", nodes[0]):
        rivalry = why_node(reader, trials, cycle, (rivalry.winner, *nodes))
    frame = reader.frame(cycle)
    weights = weight_ranges(frame, reader.node_names(cycle)) if frame is not None else ()
    return WhyNode(rivalry, weights, request_ranges(trials, rivalry.pod, out_of_time))


def absence(reader: RecordingReader, node: str, seq: int) -> str:
    """Why the state after the first ``seq`` events does not have the node, "" where it has it."""
    if node in reader.state_at(seq).nodes:
        return ""
    gone, came = None, None
    for number, event in reader.select_events(0, reader.head_seq(), ObjectChanged):
        if event.kind == "Node" and event.key == node:
            if number < seq and event.action == "deleted":
                gone = (number, event.at)
            if number >= seq and event.action == "added" and came is None:
                came = (number, event.at)
    parts = [f"deleted at {clock(gone[1])} (seq {gone[0]:,})"] if gone else []
    if came:
        parts.append(f"{'again ' if gone else ''}added at {clock(came[1])} (seq {came[0]:,}), after this cycle")
    return f"did not exist then: {'; '.join(parts)}" if parts else "the run has no node of this name"
