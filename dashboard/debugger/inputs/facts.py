"""Sizes and places of pods and nodes, from the run's inputs. Cached per inputs of a run.

Pods that the run itself created are in its state: `Facts.pod` looks there first.
"""

from __future__ import annotations

import logging
import threading
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from django.db import connection

from dashboard.clusters.revisions.object_rows import ZONE_LABELS
from dashboard.common.lru_cache import LruCache
from dashboard.common.processes.gc_tuning import freeze_gc
from dashboard.debugger.inputs.changed_objects import put_by_changes
from dashboard.runs.inputs import load_inputs
from dashboard.runs.models import changes_key
from scheduler_core.api import objects as k8s
from scheduler_core.api.resources import pod_requests
from scheduler_core.recording.objects import decode_object, object_id
from scheduler_core.simulate import run_epoch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from dashboard.debugger.inputs.layout import LastUsage
    from dashboard.runs.models import Run
    from scheduler_core.recording.state import RunState

    Int64 = NDArray[np.int64]

log = logging.getLogger(__name__)

KEPT = 4
KEPT_MADE = 4096
KEPT_GROUPINGS = 32
# Above this sum over all pods, sums of nodes use exact integers.
OVERFLOW = 2.0**56
# Larger inputs are read in the background: the page opens without sizes and gets them with its map.
QUICK_OBJECTS = 1_500


@dataclass(frozen=True, slots=True)
class PodFacts:
    """Requests (cpu in thousandths, memory in bytes), other facts for pages, and the pod itself."""

    cpu: int
    memory: int
    priority: int
    owner: str
    selector: str
    gates: tuple[str, ...]
    others: tuple[tuple[str, int], ...]
    object: k8s.Pod

    @property
    def requests(self) -> dict[str, int]:
        """Return {resource: amount} of what it requests, without zeros."""
        amounts = {"cpu": self.cpu, "memory": self.memory} | dict(self.others)
        return {name: amount for name, amount in amounts.items() if amount}

    @property
    def brief_selector(self) -> str:
        """Return its nodeSelector with the keys' prefixes left out: "gpu-card-model=T4"."""
        return ", ".join(f"{key.rpartition('/')[2]}={value}" for key, value in self.object.node_selector.items())


@dataclass(frozen=True, slots=True)
class NodeAllocatable:
    """Allocatable (cpu in thousandths, memory in bytes, pods), zone, and the node itself."""

    cpu: int
    memory: int
    pods: int
    zone: str
    object: k8s.Node


T = TypeVar("T")


@dataclass
class History(Generic[T]):
    """Objects by key at the start, and their versions from timeline and changes: {key: [(virtual microseconds,
    object)]}.
    """

    start: dict[str, T] = field(default_factory=dict)
    later: dict[str, list[tuple[int, T]]] = field(default_factory=dict)

    def get(self, key: str, at: int) -> T | None:
        """Return the object as of virtual time `at` (microseconds), None for one that no input has."""
        versions = self.later.get(key)
        if versions:
            i = bisect_right(versions, at, key=lambda version: version[0])
            if i:
                return versions[i - 1][1]
        return self.start.get(key)

    def put(self, key: str, at: int, version: T) -> None:
        """Add a version after those of the same time."""
        versions = self.later.setdefault(key, [])
        versions.insert(bisect_right(versions, at, key=lambda one: one[0]), (at, version))


@dataclass(frozen=True)
class Sizes:
    """Requests of the initial pods: `number` of a pod is its column in `amounts`, int64[resources, pods + 1].

    Rows are those of `Facts.resources`; each pod requests one of "pods". The last column, -1, belongs to no pod and is
    0.
    """

    number: dict[str, int]
    amounts: Int64

    @cached_property
    def may_overflow(self) -> bool:
        """Whether a node's sum of requests could exceed int64, with a margin for pods that the run creates."""
        return float(self.amounts.sum(axis=1, dtype=np.float64).max(initial=0)) > OVERFLOW


@dataclass
class Facts:
    """Pods by namespace/name and nodes by name; `epoch` is the wall time (seconds) of virtual time 0.

    `layouts` and `groupings` keep what layout.py and grouping.py derive from a set of nodes, `last_usage` what
    node_usage.py worked out last.
    """

    pods: History[PodFacts]
    nodes: History[NodeAllocatable]
    epoch: float
    layouts: LruCache[Any] = field(default_factory=lambda: LruCache(KEPT))
    groupings: LruCache[Any] = field(default_factory=lambda: LruCache(KEPT_GROUPINGS))
    last_usage: LastUsage | None = None

    @cached_property
    def requested_resources(self) -> frozenset[str]:
        """The resources that some pod of the inputs requests."""
        later = (pod for versions in self.pods.later.values() for _, pod in versions)
        return frozenset(name for pod in (*self.pods.start.values(), *later) for name, _ in pod.others) | {
            "cpu",
            "memory",
            "pods",
        }

    @cached_property
    def resources(self) -> tuple[str, ...]:
        """What pods of the inputs request or nodes have: cpu, memory, then by name; the row order of all amounts.

        A pod made during the run may request something else, but then nothing that a node has.
        """
        later = (node for versions in self.nodes.later.values() for _, node in versions)
        given = {name for node in (*self.nodes.start.values(), *later) for name in node.object.allocatable}
        return ("cpu", "memory", *sorted((self.requested_resources | given) - {"cpu", "memory"}))

    @cached_property
    def resource_rows(self) -> dict[str, int]:
        """{resource: its row in arrays of amounts}."""
        return {name: i for i, name in enumerate(self.resources)}

    def column(self, pod: PodFacts | None) -> list[int]:
        """Return the pod's amounts by row, all zero for a pod that no input knows."""
        amounts = [0] * len(self.resources)
        if pod is None:
            return amounts
        for name, amount in (("cpu", pod.cpu), ("memory", pod.memory), *pod.others, ("pods", 1)):
            if name in self.resource_rows:
                amounts[self.resource_rows[name]] = amount
        return amounts

    @cached_property
    def sizes(self) -> Sizes:
        """The requests of the start's pods in columns."""
        start = self.pods.start
        columns = [self.column(pod) for pod in start.values()]
        amounts = np.array([*columns, [0] * len(self.resources)], dtype=np.int64)
        return Sizes({key: i for i, key in enumerate(start)}, np.ascontiguousarray(amounts.T))

    @cached_property
    def _node_times(self) -> list[int]:
        return sorted(at for versions in self.nodes.later.values() for at, _ in versions)

    def pod(self, key: str, state: RunState) -> PodFacts | None:
        """Return the pod as of the state: one that the run made, else that of the inputs; None for an unknown one."""
        made = made_pod(key, state.made)
        return self.pods.get(key, state.at) if made is None else made

    def node_versions(self, at: int) -> int:
        """Return how many versions of nodes the inputs brought until `at`: if the number is equal, all
        nodes are equal.
        """
        return bisect_right(self._node_times, at)


def facts_of(run: Run) -> Facts:
    """Return the facts of the run's inputs; the first call for large inputs takes seconds."""
    entry = _entry(run)
    with entry.lock:
        if entry.facts is None:
            entry.facts = _load(run)
            freeze_gc()
        return entry.facts


def facts_kept(run: Run) -> Facts | None:
    """Return the facts if this process has cached them, else None."""
    return _entry(run).facts


def facts_if_ready(run: Run) -> Facts | None:
    """Return the facts, or None after starting to read them in the background, if that takes long."""
    entry = _entry(run)
    if entry.facts is not None:
        return entry.facts
    counts = run.revision.counts
    if counts.get("Pod", 0) + counts.get("Node", 0) <= QUICK_OBJECTS:
        return facts_of(run)
    if not entry.lock.locked():
        threading.Thread(target=_load_aside, args=(run,), name=f"facts-{run.pk}", daemon=True).start()
    return None


class _FactsEntry:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.facts: Facts | None = None


_kept: LruCache[_FactsEntry] = LruCache(KEPT)


def _entry(run: Run) -> _FactsEntry:
    timeline = run.timeline_revision.sha256 if run.timeline_revision else ""
    return _kept.get((run.revision.sha256, timeline, run.schedule, changes_key(run)), _FactsEntry)


def _load_aside(run: Run) -> None:
    try:
        facts_of(run)
    except Exception:
        # The map requests them again and then shows the error; here it is only logged.
        log.exception("the sizes of run %s could not be read", run.pk)
    finally:
        connection.close()


def _load(run: Run) -> Facts:
    inputs = load_inputs(run)
    pods: History[PodFacts] = History({f"{p.namespace}/{p.name}": _pod(p) for p in inputs.objects.pods})
    nodes: History[NodeAllocatable] = History({n.name: _node(n) for n in inputs.objects.nodes})
    by_timeline = ((entry.at, entry.object) for entry in inputs.timeline.entries if entry.action == "put")
    for at, obj in (*by_timeline, *put_by_changes(run, inputs)):
        if isinstance(obj, k8s.Pod):
            pods.put(f"{obj.namespace}/{obj.name}", at, _pod(obj))
        elif isinstance(obj, k8s.Node):
            nodes.put(obj.name, at, _node(obj))
    return Facts(pods, nodes, run_epoch(inputs))


def _pod(pod: k8s.Pod) -> PodFacts:
    requests = pod_requests(pod)
    owner = next((o for o in pod.owner_references if o.controller), None)
    others = tuple((name, value) for name, value in sorted(requests.items()) if name not in ("cpu", "memory"))
    return PodFacts(
        cpu=requests.get("cpu", 0),
        memory=requests.get("memory", 0),
        priority=pod.priority,
        owner=f"{owner.kind} {owner.name}" if owner else "",
        selector=", ".join(f"{key}={value}" for key, value in pod.node_selector.items()),
        gates=pod.scheduling_gates,
        others=tuple(pair for pair in others if pair[1]),
        object=pod,
    )


def made_pod(key: str, made: Mapping[str, bytes]) -> PodFacts | None:
    """Return a pod that the run made, of a state's `made`; None for one that it did not make."""
    encoded = made.get(object_id("Pod", key)) if made else None
    return None if encoded is None else _decoded(encoded)


@lru_cache(maxsize=KEPT_MADE)
def _decoded(encoded: bytes) -> PodFacts:
    return _pod(decode_object("Pod", encoded))


def _node(node: k8s.Node) -> NodeAllocatable:
    zone = next((node.labels[label] for label in ZONE_LABELS if node.labels.get(label)), "")
    return NodeAllocatable(
        cpu=node.allocatable.get("cpu", 0),
        memory=node.allocatable.get("memory", 0),
        pods=node.allocatable.get("pods", 0),
        zone=zone,
        object=node,
    )
