"""What goes into a controller's decision and what comes out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec

from scheduler_core.api.objects import Node, Pod, Workload


class WorkloadProgress(msgspec.Struct, omit_defaults=True):
    """What is counted of a workload during a run, beside its pods; JSON-ready, for keyframes.

    ``made`` numbers the pods that were made, ``replaced`` those of them that took the place of another. Of a Job: pods
    that ``succeeded`` and ``failed``, the ``indexes`` that are complete, failures since the last success and the moment
    of the last (microseconds, -1: none), and why it makes no more pods. Where pods of an implied workload came by an
    input during the run, it wants ``extra_pods`` more than at the start, of a DaemonSet on these ``nodes``, of a
    StatefulSet the ordinals in ``indexes``.
    """

    made: int = 0
    replaced: int = 0
    succeeded: int = 0
    failed: int = 0
    indexes: list[int] = []
    failures_in_a_row: int = 0
    last_failure: int = -1
    over: str = ""
    extra_pods: int = msgspec.field(default=0, name="wanted")
    nodes: list[str] = []


class Situation(NamedTuple):
    """A workload's pods now. ``active`` and ``terminating`` count them; ``pods()`` are all, in order of arrival.

    ``on_nodes`` are the pods of a DaemonSet on (or meant for) the nodes to look at; ``nodes`` holds those of them that
    exist. ``lost`` are the pods that went since the last decision, ``is_taken`` tells names that are in use.
    ``now`` is virtual time in microseconds, ``wall_time`` the same moment in seconds since the Unix epoch.
    """

    active: int
    terminating: int
    pods: Callable[[], Collection[Pod]]
    now: int
    wall_time: float
    seed: int
    is_taken: Callable[[str], bool]
    lost: Sequence[Pod] = ()
    nodes: Mapping[str, Node] = {}
    on_nodes: Mapping[str, Sequence[Pod]] = {}


class Decision(msgspec.Struct):
    """Pods to make, (pod key, why) to remove, and when (microseconds) to decide again (None: after the next change).

    ``progress`` are the workload's counts with this decision carried out.
    """

    progress: WorkloadProgress
    make: list[Pod] = []
    remove: list[tuple[str, str]] = []
    again_at: int | None = None


def nothing(progress: WorkloadProgress) -> Decision:
    """Leave everything as it is."""
    return Decision(progress)


def desired_replicas(workload: Workload, progress: WorkloadProgress) -> int:
    """How many replicas the workload wants."""
    return workload.replicas + progress.extra_pods
