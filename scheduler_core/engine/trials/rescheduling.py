"""Schedules placed pods again, one after another, on one restored state, so that the engine's caches stay warm."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.columns.pods import PodInfo
from scheduler_core.engine.trials.changes import UNCHANGED, Changes
from scheduler_core.engine.trials.trial import Trial, Trials


class Rescheduler:
    """Takes placed pods off their nodes, tries them, and puts them back; made by ``rescheduling``.

    While a pod is taken off, it is not part of the state. A pod that was put back is the last on its node; only
    preemption reads that order, and does not run here. At the end the order is restored.
    """

    def __init__(self, trials: Trials) -> None:
        self._trials = trials
        self._world, self._cluster = trials.simulation.world, trials.simulation.context.cluster
        self._off: dict[str, tuple[Pod, PodInfo, str]] = {}

    def take_off(self, key: str) -> None:
        """Take the pod off its node. Raises KeyError where it has none."""
        node = self._cluster.placements[key]
        self._off[key] = self._world.pods.pop(key), self._cluster.drop_pod(key), node

    def put_back(self, key: str, node: str = "") -> None:
        """Put the pod on its node again, or for a while on another one. Raises KeyError where it is not off."""
        pod, info, own = self._off.pop(key)
        self._world.pods[key] = pod
        self._cluster.put_pod(info, node or own)

    def put_all_back(self) -> None:
        """Put every pod that is off on its node again."""
        for key in list(self._off):
            self.put_back(key)

    def pod(self, key: str) -> Pod:
        """The pod that is off, with the node that it had. Raises KeyError where it is not off."""
        return self._off[key][0]

    def attempt(self, key: str, changes: Changes = UNCHANGED) -> Trial:
        """Try a pod that is off, as if it had not been bound. Raises KeyError where it is not off."""
        pod = self._off[key][0]
        return self._trials.attempt_pod(msgspec.structs.replace(pod, node_name="", phase="Pending"), changes)


@contextmanager
def rescheduling(trials: Trials) -> Iterator[Rescheduler]:
    """A Rescheduler on the state of these trials; nothing else may be tried meanwhile. PostFilter does not run."""
    simulation = trials.simulation
    cluster, world = simulation.context.cluster, simulation.world
    arrivals, order = cluster.arrivals(set(cluster.placements.values())), list(world.pods)
    points = {name: framework.points for name, framework in simulation.frameworks.items()}
    rescheduler = Rescheduler(trials)
    try:
        for name, framework in simulation.frameworks.items():
            framework.points = msgspec.structs.replace(points[name], post_filter=[])
        yield rescheduler
    finally:
        for name, framework in simulation.frameworks.items():
            framework.points = points[name]
        rescheduler.put_all_back()
        cluster.return_to(arrivals)
        _reorder(world.pods, order)


def _reorder(pods: dict[str, Pod], order: Iterable[str]) -> None:
    entries = [(key, pods[key]) for key in order]
    pods.clear()
    pods.update(entries)
