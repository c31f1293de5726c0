"""Which of the nodes that a cycle refused came nearest to taking its pod."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from scheduler_core.api.objects import Pod, Resources
from scheduler_core.api.resources import pod_requests
from scheduler_core.explain import NodeSituation, checked_requests, counts_against, nearest_misses
from scheduler_core.recording.events import CycleStarted
from scheduler_core.recording.vocabulary import NOT_VISITED

if TYPE_CHECKING:
    from dashboard.answers.answering.source import ObjectsAt, Source
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import NearMisses
    from scheduler_core.recording import Frame
    from scheduler_core.recording.state import RunState

SHOWN = 5


class Nearest(msgspec.Struct, frozen=True):
    """The names of the nodes, the smallest change first (see explain.nearest); none where the cycle found a node."""

    nodes: tuple[str, ...] = ()


def compute(source: Source, question: NearMisses, _limit: TimeLimit) -> Nearest:
    """Rank all nodes that the cycle refused; raises RecordingError for a cycle that is not recorded."""
    frame = source.read(lambda reader: reader.frame(question.cycle))
    if frame is None or len(frame.feasible()):
        return Nearest()
    first_seq = source.read(lambda reader: reader.cycle_span(question.cycle)[0])
    started = source.read(lambda reader: reader.event(first_seq))
    state = source.state(first_seq)
    objects = source.objects(state)
    pod = objects.pod(started.pod) if isinstance(started, CycleStarted) else None
    if pod is None:
        return Nearest()
    plugins = _refusing(frame, state)
    refused = [(found, plugins[found.node.name]) for found in _situations(objects, state, pod, plugins)]
    requests = checked_requests(pod, source.inputs.configuration)
    return Nearest(tuple(miss.situation.node.name for miss in nearest_misses(pod, refused, SHOWN, requests)))


def _refusing(frame: Frame, state: RunState) -> dict[str, tuple[str, ...]]:
    """{refused node: the plugins that refuse it}, those of the pass with nominated pods included."""
    refuses = frame.codes != 0
    for entry in frame.overlay:
        refuses[frame.filter_plugins.index(entry.plugin), entry.row] = True
    visited = frame.decisive != NOT_VISITED
    patterns: dict[bytes, tuple[str, ...]] = {}
    found = {}
    for name, row in state.nodes.items():
        if row < frame.n_rows and visited[row]:
            column = refuses[:, row]
            key = column.tobytes()
            if key not in patterns:
                patterns[key] = tuple(frame.filter_plugins[int(i)] for i in np.flatnonzero(column))
            if patterns[key]:
                found[name] = patterns[key]
    return found


def _situations(objects: ObjectsAt, state: RunState, pod: Pod, names: Iterable[str]) -> Iterable[NodeSituation]:
    """Yield the situation of each named node that the inputs know; one pass over all placements."""
    placed: dict[str, list[Pod | None]] = {name: [] for name in names}
    for key, placement in state.placements.items():
        if placement.node in placed:
            placed[placement.node].append(objects.pod(key))
    nominated: dict[str, list[Pod | None]] = {}
    for key, name in state.nominations.items():
        other = objects.pod(key) if key not in state.placements else None
        if other is not None and counts_against(pod, other):
            nominated.setdefault(name, []).append(other)
    for name, pods in placed.items():
        node, promised = objects.node(name), nominated.get(name, [])
        if node is not None:
            yield NodeSituation(node, _sums(pods), len(pods), _sums(promised), len(promised))


def _sums(pods: Iterable[Pod | None]) -> Resources:
    found: dict[str, int] = {}
    for pod in pods:
        for name, value in pod_requests(pod).items() if pod is not None else ():
            found[name] = found.get(name, 0) + value
    return found
