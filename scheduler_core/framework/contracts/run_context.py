"""What all profiles of one run share: the cluster, the clock, the reason table, nominations, waiting pods, the seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Any, Protocol

from scheduler_core.api.objects import Pod
from scheduler_core.columns.claims_in_flight import ClaimsInFlight
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.extending.hooks import Extenders
from scheduler_core.framework.contracts.plugin_errors import PluginError
from scheduler_core.framework.contracts.verdicts import ReasonTable
from scheduler_core.framework.contracts.waiting_pod import WaitingPod, WaitingPodRecord
from scheduler_core.versions.behaviours import Behaviours

NO_CAUSE = -1
"""The cause of an event that no recorded event caused: an input, or the start of the run."""


class HasCause(Protocol):
    """``cause`` is the seq of the recorded event whose consequences are being carried out, or NO_CAUSE."""

    cause: int


class Uncaused:
    """A HasCause where nothing is carried out: queues and recorders without an engine."""

    cause = NO_CAUSE


UNCAUSED = Uncaused()


class RunContext:
    """Shared state of a run, read by frameworks and plugins, written by the engine.

    ``now`` is virtual time in microseconds, ``epoch`` the wall time of its beginning in seconds since 1970; ``cycle``
    the number of the cycle in progress. ``pods`` are all that are
    known, pending and placed, by key. ``nominated_pods`` (pending pods nominated to the node of a name, in order of
    nomination) and ``nominated_nodes`` (names of such nodes) are handed in by the engine, from the queue's nominator.
    ``draw_smallest`` makes every draw 0; ``reservoir`` has hosts of equal total replace each other one by one, which
    gives each the same chance. ``preemption_candidates_all`` has preemption look at every potential node, not only
    until there are enough candidates. ``behaviours`` are those of the reference that its versions differ in.
    ``uses_caches`` False has every cycle ask every plugin about every node, which decides and records the same.
    ``cause`` is the seq of the recorded event whose consequences are being carried out, or NO_CAUSE.
    ``extenders`` are those of the configuration, None where it has none.
    """

    extenders: Extenders | None = None

    def __init__(self, cluster: Cluster, seed: int = 0, *, draw_smallest: bool = False) -> None:
        self.cluster = cluster
        self.reasons = ReasonTable()
        self.seed = seed
        self.draw_smallest = draw_smallest
        self.reservoir = False
        self.preemption_candidates_all = False
        self.uses_caches = True
        self.behaviours = Behaviours()
        self.now = 0
        self.epoch = 0.0
        self.cycle = 0
        self.cause = NO_CAUSE
        self.waiting: dict[str, WaitingPodRecord] = {}
        self.to_activate: list[Pod] = []
        self.claims_in_flight = ClaimsInFlight()
        self.pods: dict[str, Pod] = {}
        self.nominated_pods: Callable[[str], list[PodInfo]] = lambda node_name: []
        self.nominated_nodes: Callable[[], Iterable[str]] = lambda: ()
        self.nomination_log: Sequence[str] | None = None
        """Names the node of every nomination that came or went, in order; None where nobody keeps one."""
        self.write: Callable[[Any], None] = self.cluster.listers.put
        """Hands an object that a plugin changed or made to the API server (the engine's world, which records it)."""
        self.delete: Callable[[Any], None] = self.cluster.listers.drop
        """Has the API server delete an object."""
        self.on_plugin_error: Callable[[PluginError], None] = lambda error: None
        """Called with every exception that a plugin raised, once, when it is known what it fails."""

    def waiting_pods(self) -> list[WaitingPod]:
        """Pods held by Permit, in order of their arrival there."""
        return list(self.waiting.values())

    def waiting_pod(self, uid: str) -> WaitingPod | None:
        """The pod of this uid where Permit holds it, else None (framework GetWaitingPod)."""
        return next((waiting for waiting in self.waiting.values() if waiting.pod.pod.uid == uid), None)

    def activate(self, pods: Iterable[Pod]) -> None:
        """Ask the queue to move these pods to activeQ after this step (framework PodsToActivate)."""
        self.to_activate.extend(pods)

    def current_cause(self) -> int:
        """``cause``, for those who ask later."""
        return self.cause

    def draw(self, purpose: str, n: int) -> int:
        """A number in [0, n) that depends on the seed, the cycle and the purpose alone; no state is kept."""
        if n <= 1 or self.draw_smallest:
            return 0
        if not self.reservoir or purpose != "host":
            return self._number(purpose, n)
        index = 0
        for i in range(1, n):
            if self._number(f"{purpose}:{i}", i + 1) == 0:
                index = i
        return index

    def _number(self, purpose: str, n: int) -> int:
        digest = blake2b(f"{self.seed}:{self.cycle}:{purpose}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % n
