"""Schedules bound pods again: how the real node ranks among the nodes that fit, and why it may be another one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Pod
from scheduler_core.controllers.owned import is_static
from scheduler_core.engine.trials.rescheduling import Rescheduler
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.agreement.causes import Causes
from scheduler_core.explain.agreement.model import BesidePoints, BoundPod, NodeRefusal, Standing
from scheduler_core.framework.runtime.filter_phase import nodes_to_find

_MAX_NAMED = 8
Tell = Callable[[int], None]
"""Called with how many pods were decided so far."""


class BoundPods:
    """Finds the standing of each bound pod of a state; each method leaves the state as it was."""

    def __init__(self, trials: Trials) -> None:
        self._trials = trials
        simulation = trials.simulation
        self._cluster = simulation.context.cluster
        self._frameworks = simulation.frameworks

    def scored(self, pod: Pod | None = None) -> int | None:
        """How many fitting nodes end the search of a real scheduler (of the pod's profile), None where it takes all."""
        frameworks = self._frameworks
        framework = frameworks[pod.scheduler_name] if pod is not None else next(iter(frameworks.values()))
        n_nodes = self._cluster.n_nodes
        enough_nodes = nodes_to_find(n_nodes, framework.percentage_of_nodes_to_score)
        return enough_nodes if enough_nodes < n_nodes else None

    def not_compared(self, pod: Pod) -> Standing | None:
        """Why a bound pod is not scheduled again, None if it is."""
        if is_static(pod):
            return "static"
        if pod.node_name not in self._cluster.table.row_of:
            return "no_node"
        return None if pod.scheduler_name in self._frameworks else "other_scheduler"

    def each_against_all_others(self, rescheduler: Rescheduler, pods: Sequence[Pod], tell: Tell) -> list[BoundPod]:
        """Schedule each pod on the state that all other pods make."""
        decided: list[BoundPod] = []
        for pod in pods:
            standing = self.not_compared(pod)
            if standing is None:
                rescheduler.take_off(pod.key)
                decided.append(self.standing_of(pod, rescheduler.attempt(pod.key)))
                rescheduler.put_back(pod.key)
            else:
                decided.append(_without(pod, standing))
            tell(len(decided))
        return decided

    def in_order(self, rescheduler: Rescheduler, pods: Sequence[Pod], tell: Tell) -> list[BoundPod]:
        """Schedule the pods in this order, each on the state of those before it, and then put it on its real node."""
        for pod in pods:
            rescheduler.take_off(pod.key)
        decided: list[BoundPod] = []
        for pod in pods:
            standing = self.not_compared(pod)
            bound_pod = _without(pod, standing) if standing else self.standing_of(pod, rescheduler.attempt(pod.key))
            rescheduler.put_back(pod.key)
            decided.append(bound_pod)
            tell(len(decided))
        return decided

    def with_causes(
        self, rescheduler: Rescheduler, decided: list[BoundPod], pods: Sequence[Pod], tell: Tell, *, snapshot: bool
    ) -> list[BoundPod]:
        """The same pods, with likely causes for those that differ; on a ``snapshot`` each cause is tried."""
        return Causes(self._trials, rescheduler, self.standing_of, lambda: tell(len(decided))).of_all(
            decided, pods, snapshot=snapshot
        )

    def standing_of(self, pod: Pod, trial: Trial) -> BoundPod:
        """Where the pod's node stands in the trial."""
        outcome = trial.outcome
        row = self._cluster.table.row_of[pod.node_name]
        if outcome is None or trial.errors:
            if trial.refused_whole is None:
                return _without(pod, "undecided", trial.failure)
            return self._refused(pod, trial)
        if not bool(np.any(outcome.feasible == row)):
            return self._refused(pod, trial)
        n_fitting = len(outcome.feasible)
        if trial.scores is None:
            return _bound(pod, "only_one", best=(trial.node,), n_best=1, n_fitting=n_fitting, rank=1)
        total, totals = int(trial.scores.totals[row]), trial.scores.totals[outcome.feasible]
        best, rank = int(totals.max()), 1 + int(np.count_nonzero(totals > total))
        standing: Standing = "lower" if rank > 1 else "same" if len(trial.tied) == 1 else "tied"
        return _bound(
            pod,
            standing,
            best=trial.tied[:_MAX_NAMED],
            n_best=len(trial.tied),
            n_fitting=n_fitting,
            rank=rank,
            total=total,
            gap=best - total,
            lead=_lead(totals, best) if standing == "same" else None,
            points=_beside(trial, pod.node_name, trial.tied[0]) if rank > 1 else (),
        )

    def _refused(self, pod: Pod, trial: Trial) -> BoundPod:
        whole = trial.refused_whole
        statuses = [whole] if whole is not None else trial.refusals(pod.node_name)
        tied = trial.tied
        return _bound(
            pod,
            "refused",
            best=tied[:_MAX_NAMED],
            n_best=len(tied),
            n_fitting=0 if trial.outcome is None else len(trial.outcome.feasible),
            refusals=tuple(NodeRefusal(status.plugin, tuple(status.reasons)) for status in statuses),
            failure=trial.failure,
        )


def _bound(pod: Pod, standing: Standing, **fields: Any) -> BoundPod:
    return BoundPod(
        pod=pod.key, node=pod.node_name, standing=standing, uid=pod.uid, created=pod.creation_timestamp, **fields
    )


def _without(pod: Pod, standing: Standing, failure: str = "") -> BoundPod:
    """A pod that is not compared."""
    return _bound(pod, standing, failure=failure)


def _lead(totals: NDArray[Any], best: int) -> int | None:
    """Points from the best total, which one node has, to the next one."""
    others = totals[totals < best]
    return best - int(others.max()) if len(others) else None


def _beside(trial: Trial, real: str, ours: str) -> tuple[BesidePoints, ...]:
    pairs = zip(trial.points(real), trial.points(ours), strict=True)
    return tuple(BesidePoints(a.plugin, a.weight, a.weighted, b.weighted) for a, b in pairs)
