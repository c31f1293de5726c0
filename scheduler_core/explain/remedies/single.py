"""Tries a single remedy and gives the engine's full decision, for the page that shows it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from scheduler_core.engine.branches.whole_objects import WholeObjectChange
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.remedies.candidates.candidate import RemedyCandidate
from scheduler_core.explain.remedies.model import Remedy
from scheduler_core.explain.remedies.search import Trying
from scheduler_core.framework.contracts.verdicts import MAX_NODE_SCORE


class NodeTotal(msgspec.Struct, frozen=True):
    """A node with its weighted total."""

    node: str
    total: int


class RemedyTrial(msgspec.Struct, frozen=True, kw_only=True):
    """What an attempt of ``pod`` decides with and without a remedy on the state after ``seq`` events.

    ``remedy`` None: no remedy of that text is made up for the state, or time ended before it was. Without it
    ``n_fit_before`` nodes of ``n_nodes`` fit, and the attempt ended with ``failure_before``. ``chosen`` is the node
    found with its total, of at most ``most`` by the plugins that scored, ``next`` the best node with a lower one; both
    None where nodes were not scored, as where a single one fits.
    """

    pod: str
    seq: int
    n_nodes: int = 0
    n_fit_before: int = 0
    failure_before: str = ""
    remedy: Remedy | None = None
    chosen: NodeTotal | None = None
    next: NodeTotal | None = None
    most: int = 0
    changes: tuple[WholeObjectChange, ...] = ()
    """What a branch begins with that leaves the run at this state with the remedy."""


class SingleRemedy(msgspec.Struct, frozen=True):
    """The trial and the changes of the remedy, to be made; None where there is no such remedy."""

    trial: RemedyTrial
    changes: Changes | None = None


def single_remedy(trials: Trials, pod: str, text: str, out_of_time: Callable[[], bool] = lambda: False) -> SingleRemedy:
    """Try the remedy of this text, and no other. Raises KeyError where the state has no such pod."""
    trying = Trying(trials, pod)
    base = trying.base
    before = RemedyTrial(
        pod=pod,
        seq=trials.seq,
        n_nodes=trials.simulation.context.cluster.n_nodes,
        n_fit_before=0 if base is None else len(base.feasible),
        failure_before=trying.failure,
    )
    made = _made_up(trying, text, out_of_time)
    if made is None:
        return SingleRemedy(before)
    candidate, trial = made
    chosen, following = _best(trial)
    return SingleRemedy(
        msgspec.structs.replace(
            before,
            remedy=trying.remedy(candidate, trial),
            chosen=chosen,
            next=following,
            changes=object_changes(trials, candidate.changes),
            most=sum(plugin.weight for plugin in trial.scores.plugins) * MAX_NODE_SCORE if trial.scores else 0,
        ),
        candidate.changes,
    )


def object_changes(trials: Trials, changes: Changes) -> tuple[WholeObjectChange, ...]:
    """The objects that the changes of a trial put or delete. A remedy changes nothing else."""
    put = [*changes.nodes, *changes.objects, *([] if changes.pod is None else [changes.pod]), *changes.siblings]
    gone = [trials.simulation.world.pods[key] for key in changes.gone]
    return (*(WholeObjectChange.of("delete", pod) for pod in gone), *(WholeObjectChange.of("put", one) for one in put))


def _made_up(trying: Trying, text: str, out_of_time: Callable[[], bool]) -> tuple[RemedyCandidate, Trial] | None:
    """The candidate of the text with its attempt; those that take several steps are looked for where no single step
    is it."""
    for candidate in trying.candidates():
        if candidate.remedy.text == text:
            return candidate, trying.attempt(candidate)
    return next((step for step in trying.steps(out_of_time) if step[0].remedy.text == text), None)


def _best(trial: Trial) -> tuple[NodeTotal | None, NodeTotal | None]:
    """The node chosen and the best one below it."""
    totals = {node: total for node in trial.feasible if (total := trial.total(node)) is not None}
    if trial.node not in totals:
        return None, None
    best = totals[trial.node]
    below = [(-total, node) for node, total in totals.items() if total < best]
    following = min(below, default=None)
    return NodeTotal(trial.node, best), None if following is None else NodeTotal(following[1], -following[0])
