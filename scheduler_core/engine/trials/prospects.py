"""What becomes of a trial as far as extenders decide on it: whether they let the pod be bound, or have the node that
preemption makes room on.

The dry run of preemption does not ask the extenders that filter, so a nomination alone does not say that the pod will
get the node; and nothing checks the victims that an extender chooses.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.engine.trials.changes import Changes, applied
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.extenders.calls import missing_on_tape


class Prospect(msgspec.Struct, frozen=True):
    """``failure``: why the pod does not get the node of the trial after all, or why there is none; "" if it gets it.
    ``unanswered``: the request that is not on the tape, without whose answer neither is known."""

    failure: str = ""
    unanswered: str = ""


def find_prospect(trials: Trials, trial: Trial, changes: Changes, *, by_preemption: bool = False) -> Prospect:
    """What becomes of an attempt made with these changes; ``by_preemption``: where it chose victims, by another attempt
    without them. Without extenders the attempt itself says all, so that nothing more is tried."""
    chosen = trial.preemption.chosen if by_preemption and trial.preemption is not None else None
    if trial.unanswered.fitting:
        return Prospect(unanswered=trial.unanswered.fitting)
    if not trial.node and chosen is None:
        return Prospect(trial.failure)
    if trials.simulation.context.extenders is None:
        return Prospect()
    if trial.node or chosen is None:
        return _bound(trials, trial, changes)
    pod = msgspec.structs.replace(trial.pod, nominated_node_name=chosen.node)
    then = msgspec.structs.replace(changes, pod=pod, gone=tuple(dict.fromkeys((*changes.gone, *chosen.victims))))
    after = trials.attempt_pod(pod, then)
    if after.unanswered.fitting:
        return Prospect(unanswered=after.unanswered.fitting)
    if not after.node:
        return Prospect(f"preemption chooses {chosen.node}, but the attempt after it fails: {after.failure}")
    return _bound(trials, after, then)


def _bound(trials: Trials, trial: Trial, changes: Changes) -> Prospect:
    """Whether the extenders that bind pods let this one be bound to its node."""
    simulation = trials.simulation
    extenders, cluster = simulation.context.extenders, simulation.context.cluster
    assert extenders is not None
    with applied(simulation, trial.pod, changes):
        info = cluster.info(trial.pod)
        with _assumed(cluster, info, trial.node):
            calls = extenders.bind(info, trial.node, trial.cycle)
    for call in calls:
        if unanswered := missing_on_tape(call.error):
            return Prospect(unanswered=unanswered)
        if call.error and not call.ignored:
            return Prospect(f"it is not bound to {trial.node}: {call.error}")
    return Prospect()


@contextmanager
def _assumed(cluster: Cluster, info: PodInfo, node: str) -> Iterator[None]:
    """Have the pod on the node, where there is such a node, and take it off on leaving."""
    if node not in cluster.table.row_of:
        yield
        return
    arrivals = cluster.arrivals([node])
    cluster.put_pod(info, node)
    try:
        yield
    finally:
        cluster.drop_pod(info.key)
        cluster.return_to(arrivals)
