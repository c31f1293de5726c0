"""Several pods tried one after the other on a restored state, each with those before it on their nodes.

That is what a plugin that binds pods together waits for, so an answer about a gang is tried by it. ``later_us`` of
virtual time pass before, since such a plugin turns a rejected gang away for a while.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack

from scheduler_core.api.objects import Pod
from scheduler_core.engine.trials.changes import Changes, applied
from scheduler_core.engine.trials.trial import Trials

LATER_US = 3_600 * 1_000_000


def placed_together(trials: Trials, pods: Iterable[Pod], changes: Changes) -> dict[str, str]:
    """{pod: node} of those that found one, in order; ``changes`` but for its pod hold for all of them.

    The state is as before afterwards. Raises KeyError for a pod whose profile is none of the run's.
    """
    several, simulation = list(pods), trials.simulation
    if not several:
        return {}
    cluster, nodes_of = simulation.context.cluster, dict[str, str]()
    later = Trials(simulation, trials.now + LATER_US)
    with ExitStack() as stack:
        stack.enter_context(applied(simulation, several[0], Changes(
            nodes=changes.nodes, gone=changes.gone, objects=changes.objects
        )))  # fmt: skip
        arrivals = cluster.arrivals(cluster.table.row_of)
        stack.callback(cluster.return_to, arrivals)
        for pod in several:  # plugins may count pods that are not placed yet
            if pod.key not in simulation.world.pods:
                simulation.world.pods[pod.key] = pod
                stack.callback(simulation.world.pods.pop, pod.key)
        for pod in several:
            trial = later.attempt_pod(pod, Changes(pod=pod))
            if trial.node and trial.node in cluster.table.row_of:
                info = cluster.info(pod)
                cluster.put_pod(info, trial.node)
                stack.callback(cluster.drop_pod, info.key)
                nodes_of[pod.key] = trial.node
    return nodes_of
