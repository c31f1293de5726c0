"""Bound pods decided anew: where the real node stands among the nodes that fit, and why it may be another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Pod
from scheduler_core.controllers.owned import is_static
from scheduler_core.engine.trials.anew import Anew
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.agreement.model import BesidePoints, BoundPod, CauseKind, LikelyCause, NodeRefusal, Standing
from scheduler_core.framework.runtime.filter_phase import nodes_to_find

_MAX_NAMED = 8
Tell = Callable[[int], None]
"""Is told how many pods were decided so far."""
_CAUSE_OF: dict[str, CauseKind] = {
    "NodeUnschedulable": "cordon",
    "TaintToleration": "taints",
    "NodeAffinity": "labels",
    "NodeName": "labels",
    "NodeResourcesFit": "room",
    "NodePorts": "room",
    "InterPodAffinity": "pods",
    "PodTopologySpread": "pods",
    "VolumeBinding": "volumes",
    "VolumeRestrictions": "volumes",
    "VolumeZone": "volumes",
    "NodeVolumeLimits": "volumes",
    "DynamicResources": "missing",
}
_MISSING = ("not found", "non-existent")


class BoundPods:
    """The bound pods of a state, each in its standing; the state is as before at the end of each method."""

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
        wanted = nodes_to_find(n_nodes, framework.percentage_of_nodes_to_score)
        return wanted if wanted < n_nodes else None

    def not_compared(self, pod: Pod) -> Standing | None:
        """Why a bound pod is not decided anew, None where it is."""
        if is_static(pod):
            return "static"
        if pod.node_name not in self._cluster.table.row_of:
            return "no_node"
        return None if pod.scheduler_name in self._frameworks else "other_scheduler"

    def each_against_the_rest(self, anew: Anew, pods: Sequence[Pod], tell: Tell) -> list[BoundPod]:
        """Each pod decided on the state of all others."""
        found: list[BoundPod] = []
        for pod in pods:
            standing = self.not_compared(pod)
            if standing is None:
                anew.take_off(pod.key)
                found.append(self._standing(pod, anew.attempt(pod.key)))
                anew.put_back(pod.key)
            else:
                found.append(_without(pod, standing))
            tell(len(found))
        return found

    def as_they_came(self, anew: Anew, pods: Sequence[Pod], tell: Tell) -> list[BoundPod]:
        """The pods decided in this order, each on the state of those before it, and put on its real node then."""
        for pod in pods:
            anew.take_off(pod.key)
        found: list[BoundPod] = []
        for pod in pods:
            standing = self.not_compared(pod)
            decided = _without(pod, standing) if standing else self._standing(pod, anew.attempt(pod.key))
            anew.put_back(pod.key)
            found.append(decided)
            tell(len(found))
        return found

    def with_causes(self, anew: Anew, found: list[BoundPod], pods: Sequence[Pod], *, snapshot: bool) -> list[BoundPod]:
        """The same, those that differ with their likely causes. On a ``snapshot`` each is decided again without all
        pods that were made after it: the youngest pods go first, so each goes once."""
        by_key = {pod.key: pod for pod in pods}
        older = dict(self._among_older(anew, found, pods)) if snapshot else {}
        return [
            msgspec.structs.replace(one, causes=tuple(self._causes(one, by_key[one.pod], older.get(one.pod))))
            if one.differs
            else one
            for one in found
        ]

    def _among_older(
        self, anew: Anew, found: Iterable[BoundPod], pods: Sequence[Pod]
    ) -> Iterator[tuple[str, tuple[int, BoundPod]]]:
        """(pod, (younger pods, its standing without them)) of those that differ and have younger ones."""
        differing = {one.pod for one in found if one.differs}
        dated = sorted((pod for pod in pods if pod.creation_timestamp is not None), key=_created, reverse=True)
        n_younger = 0
        for _, group in groupby(dated if differing else (), key=_created):
            same_age = list(group)
            for pod in same_age if n_younger else ():
                if pod.key in differing:
                    anew.take_off(pod.key)
                    yield pod.key, (n_younger, self._standing(pod, anew.attempt(pod.key)))
                    anew.put_back(pod.key)
            for pod in same_age:
                anew.take_off(pod.key)
            n_younger += len(same_age)
        anew.put_all_back()

    def _standing(self, pod: Pod, trial: Trial) -> BoundPod:
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
            lead=_lead_of(totals, best) if standing == "same" else None,
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

    def _causes(self, one: BoundPod, pod: Pod, older: tuple[int, BoundPod] | None) -> Iterator[LikelyCause]:
        if older is not None and older[1].agrees:
            yield LikelyCause("arrivals", tried=True, younger=older[0], lead=older[1].lead)
        scored = self.scored(pod)
        if one.standing == "lower" and scored is not None and one.n_fitting > scored:
            yield LikelyCause("sampling", scored=scored, fitting=one.n_fitting)
        kinds = dict.fromkeys(_cause_of(refusal) for refusal in one.refusals)
        yield from (LikelyCause(kind) for kind in kinds)
        if one.standing == "lower" and (older is None or not older[1].agrees):
            yield LikelyCause("unknown", younger=older[0] if older is not None else 0, tried=older is not None)


def _bound(pod: Pod, standing: Standing, **fields: Any) -> BoundPod:
    return BoundPod(
        pod=pod.key, node=pod.node_name, standing=standing, uid=pod.uid, created=pod.creation_timestamp, **fields
    )


def _without(pod: Pod, standing: Standing, failure: str = "") -> BoundPod:
    """A pod that is not compared."""
    return _bound(pod, standing, failure=failure)


def _lead_of(totals: NDArray[Any], best: int) -> int | None:
    """Points from the best total, which one node has, to the next one."""
    others = totals[totals < best]
    return best - int(others.max()) if len(others) else None


def _beside(trial: Trial, real: str, ours: str) -> tuple[BesidePoints, ...]:
    pairs = zip(trial.points(real), trial.points(ours), strict=True)
    return tuple(BesidePoints(a.plugin, a.weight, a.weighted, b.weighted) for a, b in pairs)


def _cause_of(refusal: NodeRefusal) -> CauseKind:
    if any(word in reason for reason in refusal.reasons for word in _MISSING):
        return "missing"
    return _CAUSE_OF.get(refusal.plugin, "unknown")


def _created(pod: Pod) -> float:
    return pod.creation_timestamp or 0.0
