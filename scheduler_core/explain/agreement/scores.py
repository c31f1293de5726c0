"""Scores that a real scheduler logged beside ours, score by score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.engine.trials.rescheduling import Rescheduler, rescheduling
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.agreement.answer import session
from scheduler_core.explain.agreement.logs import LogProblem, RealScores, Scores
from scheduler_core.extenders.calls import ExtenderSource
from scheduler_core.framework.runtime.filter_phase import nodes_to_find

_MAX_ROWS = 200
"""At most this many differing scores of one pod are reported."""


class ScoreRow(msgspec.Struct, frozen=True):
    """A score (normalised, times weight) that the real scheduler logged, and ours; None where the node does not fit."""

    node: str
    plugin: str
    real: int
    ours: int | None


class PodScores(msgspec.Struct, frozen=True, kw_only=True):
    """``n_equal`` of ``n_scores`` are the same; ``rows`` are the first that differ. ``unknown``: why nothing of the pod
    was compared, "" where it was."""

    pod: str
    n_scores: int
    n_equal: int = 0
    rows: tuple[ScoreRow, ...] = ()
    unknown: str = ""

    @property
    def agrees(self) -> bool:
        """Whether every score is the same."""
        return not self.unknown and self.n_equal == self.n_scores


class ScoreAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """Score by score, by pod; ``problems`` are lines that could not be read. ``n_absent``: how many pods a log binds
    that are not in the input, so that they take no room."""

    pods: tuple[PodScores, ...] = ()
    problems: tuple[LogProblem, ...] = ()
    n_problems: int = 0
    n_absent: int = 0

    @property
    def n_scores(self) -> int:
        """Scores that were compared."""
        return sum(pod.n_scores for pod in self.pods if not pod.unknown)

    @property
    def n_equal(self) -> int:
        """Those that are the same."""
        return sum(pod.n_equal for pod in self.pods)


def score_agreement(inputs: RunInputs, real: RealScores, extenders: ExtenderSource | None = None) -> ScoreAgreement:
    """Each pod decided again on the state of all others, its scores beside the reported ones; ``extenders`` answers for
    those of the configuration. Raises ProfileError."""
    trials = session(inputs, extenders)
    with rescheduling(trials) as rescheduler:
        pods = tuple(_against_the_rest(trials, rescheduler, key, scores) for key, scores in real.of.items())
    return ScoreAgreement(pods=pods, problems=tuple(real.problems.first), n_problems=real.problems.count)


def _against_the_rest(trials: Trials, rescheduler: Rescheduler, key: str, scores: Scores) -> PodScores:
    if trials.simulation.context.cluster.node_of(key) is None:
        return scores_of_waiting(trials, key, scores)
    rescheduler.take_off(key)
    compared = scores_of_bound(trials, rescheduler, key, scores)
    rescheduler.put_back(key)
    return compared


def scores_of_waiting(trials: Trials, key: str, scores: Scores) -> PodScores:
    """The scores of a pod that has no node beside ours."""
    pod = trials.simulation.world.pods.get(key)
    unknown = "the pod is not in the input" if pod is None else _unknown(trials, pod)
    return _not_compared(key, scores, unknown) if unknown else _compared(key, scores, trials.attempt(key))


def scores_of_bound(trials: Trials, rescheduler: Rescheduler, key: str, scores: Scores) -> PodScores:
    """The scores of a pod that is taken off its node beside ours."""
    pod = rescheduler.pod(key)
    if unknown := _unknown(trials, pod):
        return _not_compared(key, scores, unknown)
    compared = _compared(key, scores, rescheduler.attempt(key))
    if compared.agrees or compared.unknown or not _is_sampled(trials, pod, scores):
        return compared
    return _compared(key, scores, rescheduler.attempt(key, Changes(sample=tuple(scores))))


def _is_sampled(trials: Trials, pod: Pod, scores: Scores) -> bool:
    """Whether the real search ended with these nodes, though more may fit; normalising depends on which they are."""
    n_nodes = trials.simulation.context.cluster.n_nodes
    percentage = trials.simulation.frameworks[pod.scheduler_name].percentage_of_nodes_to_score
    enough_nodes = nodes_to_find(n_nodes, percentage)
    return enough_nodes < n_nodes and len(scores) >= enough_nodes


def _not_compared(key: str, scores: Scores, unknown: str) -> PodScores:
    return PodScores(pod=key, n_scores=sum(map(len, scores.values())), unknown=unknown)


def _compared(key: str, scores: Scores, trial: Trial) -> PodScores:
    if len(trial.feasible) == 1:
        return _not_compared(key, scores, f"only {trial.node} fits here, so nothing is scored")
    rows = list(_rows(trial, scores))
    differing = [row for row in rows if row.real != row.ours]
    return PodScores(pod=key, n_scores=len(rows), n_equal=len(rows) - len(differing), rows=tuple(differing[:_MAX_ROWS]))


def _unknown(trials: Trials, pod: Pod) -> str:
    if pod.scheduler_name not in trials.simulation.frameworks:
        return f"no profile is named {pod.scheduler_name}"
    return "its scheduling gates keep it from being tried" if pod.scheduling_gates and not pod.node_name else ""


def _rows(trial: Trial, scores: Mapping[str, Mapping[str, int]]) -> Iterator[ScoreRow]:
    """A plugin that skips the pod gives 0 points; older releases log those too."""
    for node, plugins in scores.items():
        ours = {points.plugin: points.weighted for points in trial.points(node)} if trial.fits(node) else None
        for plugin, real in plugins.items():
            yield ScoreRow(node, plugin, real, None if ours is None else ours.get(plugin, 0))
