"""What all profiles of one run share: the cluster, the clock, the reason table, nominations, waiting pods, the seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Protocol

from scheduler_core.api.objects import Pod
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.behaviours import Behaviours
from scheduler_core.framework.contracts.plugin_errors import PluginError
from scheduler_core.framework.contracts.verdicts import ReasonTable
from scheduler_core.framework.contracts.waiting_pod import WaitingPodRecord

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

    ``nominated`` and ``nominated_nodes`` are handed in by the engine (they ask the queue's nominator), which also keeps
    ``pods``, all that are known by key. ``cycle`` is the number of the cycle in progress. ``draw_smallest`` makes every
    draw 0; ``reservoir`` has hosts of equal total replace each other one by one, which gives each the same chance.
    ``keeping`` False has every cycle ask every plugin about every node, which decides and records the same.
    ``cause`` is the seq of the recorded event whose consequences are being carried out, or NO_CAUSE.
    """

    def __init__(self, cluster: Cluster, seed: int = 0, *, draw_smallest: bool = False) -> None:
        self.cluster = cluster
        self.reasons = ReasonTable()
        self.seed = seed
        self.draw_smallest = draw_smallest
        self.reservoir = False
        self.preemption_candidates_all = False
        self.keeping = True
        self.behaviours = Behaviours()
        self.now = 0
        self.cycle = 0
        self.cause = NO_CAUSE
        self.waiting: dict[str, WaitingPodRecord] = {}
        self.to_activate: list[Pod] = []
        self.pods: dict[str, Pod] = {}
        self.nominated: Callable[[str], list[PodInfo]] = lambda node_name: []
        self.nominated_nodes: Callable[[], Iterable[str]] = lambda: ()
        self.nomination_log: Sequence[str] | None = None
        """Names the node of every nomination that came or went, in order; None where nobody keeps one."""
        self.on_plugin_error: Callable[[PluginError], None] = lambda error: None
        """Told every exception that a plugin raised, once, when it is known what it fails."""

    def current_cause(self) -> int:
        """``cause``, for those who ask later."""
        return self.cause

    def draw(self, purpose: str, n: int) -> int:
        """A number in [0, n) that depends on the seed, the cycle and the purpose alone; no state is kept."""
        if n <= 1 or self.draw_smallest:
            return 0
        if not self.reservoir or purpose != "host":
            return self._number(purpose, n)
        kept = 0
        for i in range(1, n):
            if self._number(f"{purpose}:{i}", i + 1) == 0:
                kept = i
        return kept

    def _number(self, purpose: str, n: int) -> int:
        digest = blake2b(f"{self.seed}:{self.cycle}:{purpose}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % n
