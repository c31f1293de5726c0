"""Whether the engine agrees with the real scheduler about a whole cluster as it was dumped.

>>> result = load_cluster([source])                                       # doctest: +SKIP
>>> reports = scheduler_reports(raw_pods(result.manifests), scheduler_events(result.events))  # doctest: +SKIP
>>> figures = agreement(RunInputs(objects=result.objects), reports)       # doctest: +SKIP
>>> figures.n_agree, figures.n_compared                                   # doctest: +SKIP
(28, 30)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import Any

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.engine.simulation import Simulation
from scheduler_core.engine.trials.rescheduling import rescheduling
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.agreement.bound_pods import BoundPods
from scheduler_core.explain.agreement.events import PreemptedPods, SchedulerEvent
from scheduler_core.explain.agreement.model import Agreement, BoundPod, Order, PendingPod
from scheduler_core.explain.agreement.scheduler_reports import SchedulerReport
from scheduler_core.explain.agreement.waiting import of_their_time, pending_pod
from scheduler_core.explain.doubt import AnswerDoubt
from scheduler_core.explain.doubts.answer import doubts_of_pods
from scheduler_core.extenders.calls import ExtenderSource
from scheduler_core.manifests import Manifest
from scheduler_core.profiles.build import build_frameworks

Progress = Callable[[int, int], None]
"""Called with how many pods are decided, of how many; repeatedly with all of them while likely causes are tried."""
NO_REPORT = SchedulerReport()
_MAX_GONE = 20


def agreement(
    inputs: RunInputs,
    reports: Mapping[str, SchedulerReport] | None = None,
    events: Iterable[SchedulerEvent] = (),
    order: Order = "snapshot",
    progress: Progress = lambda done, of: None,
    extenders: ExtenderSource | None = None,
) -> Agreement:
    """Schedule every bound pod again, and every pending pod once, on the cluster of the inputs.

    ``reports``: what the real scheduler said of each pod of the dump. Pods without an entry were made for workloads and
    are left out; with None all pods are taken, and none has a report. ``events`` say who was preempted for whom. Of
    the inputs, objects, configuration and policies count; ``extenders`` answers for those of the configuration. Raises
    ProfileError for a configuration that cannot work.
    """
    started = perf_counter()
    trials = session(inputs, extenders)
    pods = [pod for pod in trials.simulation.world.pods.values() if reports is None or pod.key in reports]
    pending, bound = [p for p in pods if not p.node_name], [p for p in pods if p.node_name]
    preempted = PreemptedPods(events)
    waiting: list[PendingPod] = []
    for pod in pending:
        one = pending_pod(trials, pod, (reports or {}).get(pod.key, NO_REPORT))
        waiting.append(msgspec.structs.replace(one, victims=preempted.by(pod)))
        progress(len(waiting), len(pods))
    waiting = of_their_time(
        trials,
        waiting,
        reports or {},
        lambda names: session(without_nodes(inputs, names), extenders),
        lambda: progress(len(waiting), len(pods)),
    )
    decided = _bound(trials, bound, order, lambda done: progress(len(waiting) + done, len(pods)))
    gone = preempted.not_among(trials.simulation.world.pods)
    return Agreement(
        bound=tuple(decided),
        pending=tuple(waiting),
        standings=Counter(pod.standing for pod in decided),
        messages=Counter(pod.standing for pod in waiting),
        order=order,
        n_nodes=trials.simulation.context.cluster.n_nodes,
        scored=BoundPods(trials).scored(),
        n_decided=sum(pod.agrees or pod.differs for pod in decided) + sum(pod.is_tried for pod in waiting),
        seconds=perf_counter() - started,
        gone=tuple(gone[:_MAX_GONE]),
        n_gone=len(gone),
        n_finished=sum(pod.is_terminal and (reports is None or pod.key in reports) for pod in inputs.objects.pods),
        doubts=_doubts(inputs, pods),
    )


def _doubts(inputs: RunInputs, pods: Sequence[Pod]) -> tuple[AnswerDoubt, ...]:
    """What may make the real scheduler decide otherwise; how many pods there are is a fact here."""
    return tuple(one for one in doubts_of_pods(inputs, pods, waits=True) if one.concerns != "counts")


def session(inputs: RunInputs, extenders: ExtenderSource | None = None) -> Trials:
    """A simulation of the cluster as the inputs have it: nothing is scheduled yet, pending pods are queued."""
    policies = msgspec.structs.replace(inputs.policies, owners="ignore", node_search="all")
    inputs = msgspec.structs.replace(inputs, schedule="pending", policies=policies, changes=())
    simulation = Simulation(inputs, lambda config, run: build_frameworks(config, run, None, extenders))
    simulation.step()
    return Trials(simulation)


def without_nodes(inputs: RunInputs, names: Collection[str]) -> RunInputs:
    """The inputs without these nodes; pods that are bound to them stay."""
    nodes = [node for node in inputs.objects.nodes if node.name not in names]
    return msgspec.structs.replace(inputs, objects=msgspec.structs.replace(inputs.objects, nodes=nodes))


def raw_pods(manifests: Iterable[Manifest]) -> Iterator[dict[str, Any]]:
    """The pods as written, decoded one at a time."""
    return (manifest.raw for manifest in manifests if manifest.kind == "Pod")


def _bound(trials: Trials, pods: Sequence[Pod], order: Order, tell: Callable[[int], None]) -> list[BoundPod]:
    decider = BoundPods(trials)
    with rescheduling(trials) as rescheduler:
        if order == "snapshot":
            decided = decider.each_against_all_others(rescheduler, pods, tell)
        else:
            ordered = sorted(pods, key=lambda pod: pod.creation_timestamp or 0.0) if order == "created" else pods
            decided = decider.in_order(rescheduler, ordered, tell)
        return decider.with_causes(rescheduler, decided, pods, tell, snapshot=order == "snapshot")
