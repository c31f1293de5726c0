"""One attempt of a pod with other requests and weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scheduler_core.engine.trials.changes import Changes
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.rivals.model import RequestTrial, TriedNode
from scheduler_core.explain.rivals.requests import edited


def try_requests(
    trials: Trials, key: str, requests: Mapping[str, int], weights: Mapping[str, int], nodes: Sequence[str]
) -> RequestTrial:
    """The attempt of the pod (namespace/name) with these requests (canonical integers by resource) and weights of score
    plugins, on the state that its cycle found; of ``nodes`` those that the state has are reported one by one.

    Raises KeyError where the state has no such pod.
    """
    base = trials.attempt(key)
    pod, held = base.pod, list[str]()
    for resource, amount in sorted(requests.items()):
        changed = edited(pod, resource, amount)
        if changed is None:
            held.append(resource)
        else:
            pod = changed
    trial = trials.attempt(key, Changes(pod=pod if pod is not base.pod else None, weights=dict(weights)))
    return RequestTrial(
        requests=dict(sorted(requests.items())),
        weights=dict(sorted(weights.items())),
        winner=trial.node,
        tied=trial.tied,
        lead=_lead(trial),
        stays=bool(trial.tied) and trial.tied == base.tied,
        n_fit=len(trial.feasible),
        nodes=tuple(_tried(trial, name) for name in nodes if name in trial.row_of),
        failure=trial.failure,
        held=tuple(held),
        unanswered=trial.unanswered.any,
    )


def _lead(trial: Trial) -> int | None:
    if trial.scores is None:
        return None
    totals = trial.scores.totals[trial.scores.rows]
    rest = totals[totals < totals.max()]
    return int(totals.max() - rest.max()) if len(rest) else None


def _tried(trial: Trial, name: str) -> TriedNode:
    if trial.fits(name):
        return TriedNode(name, trial.total(name))
    refusals = trial.refusals(name)
    if not refusals:
        return TriedNode(name, None, "", "not looked at")
    return TriedNode(name, None, refusals[0].plugin, "; ".join(refusals[0].reasons))
