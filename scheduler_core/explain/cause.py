"""The cause of a pod's waiting at a cursor of a run, whatever stage it stands at."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.columns.cluster import Cluster
from scheduler_core.engine.assumed_pods import claims_waited_for
from scheduler_core.engine.inputs import RunInputs, settings_at
from scheduler_core.engine.trials.changes import UNCHANGED
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.diagnosis import stages
from scheduler_core.explain.diagnosis.diagnose import diagnose_trial
from scheduler_core.explain.diagnosis.gangs import after_backoff, find_gang, gang_cause
from scheduler_core.explain.diagnosis.model import Diagnosis, ObstacleSet
from scheduler_core.explain.doubts.answer import doubts_about
from scheduler_core.explain.doubts.evidence import with_evidence
from scheduler_core.explain.doubts.unprinted import unprinted_cause
from scheduler_core.explain.pending.history import AttemptHistory
from scheduler_core.explain.pending.model import PendingAttempt
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.framework.contracts.facts import Facts
from scheduler_core.framework.contracts.plugin import PreFilterPlugin
from scheduler_core.framework.plugin_helpers.volume_claims import claim_class, claim_provisioner
from scheduler_core.recording import events as ev


def diagnosis_at(trials: TrialsOf, history: AttemptHistory, shown: PendingAttempt | None) -> Diagnosis | None:
    """Why the pod has no node at the history's seq: by the attempt ``shown`` where it was tried, with what the input
    says of it. None for a pod that has one, is gone, or is not known."""
    diagnosis, pod = _played(trials, history, shown), history.object
    is_placed = history.pod in trials.reader.state_at(history.seq).placements
    if pod is None or (diagnosis is None and not is_placed):
        return diagnosis
    return beside_input(diagnosis, pod, trials.inputs, shown.message if shown is not None else "")


def beside_input(diagnosis: Diagnosis | None, pod: Pod, inputs: RunInputs, ours: str) -> Diagnosis | None:
    """The diagnosis of a pod, with what the input says of its cause, and the doubts about it. ``ours``: the message of
    the attempt.

    Without a ``diagnosis`` the pod is placed; then there is a cause where the real scheduler refused it by a rule that
    the input does not show."""
    played = diagnosis.cause if diagnosis is not None else None
    cause = unprinted_cause(pod, inputs, played, ours)
    if cause is None:
        return None
    doubts = doubts_about(inputs, pod, waits=True)
    if diagnosis is None:
        return Diagnosis(cause=cause, obstacles=cause.obstacles, doubts=doubts)
    if cause is played:
        cause = with_evidence(cause, pod, inputs)
    return msgspec.structs.replace(diagnosis, cause=cause, doubts=doubts)


def _played(trials: TrialsOf, history: AttemptHistory, shown: PendingAttempt | None) -> Diagnosis | None:
    """The cause by what is played."""
    state, pod = trials.reader.state_at(history.seq), history.object
    placement = state.placements.get(history.pod)
    if pod is None or (history.pod in state.gone and placement is None):
        return None
    if placement is not None and placement.of_input:
        return _decided(trials.at_seq(history.seq), pod, placement.node)
    if placement is not None and (placement.bound or history.pod not in state.waiting):
        return None
    entry = state.queue.get(history.pod)
    configuration, _ = settings_at(trials.inputs, history.seq)
    foreign = stages.other_scheduler(pod, configuration)
    if foreign is not None:
        return _beside_nodes(foreign)
    if entry is not None and entry.lane == "gated":
        return _gated(trials.at_seq(history.seq), pod)
    if shown is None:
        lane = entry.lane if entry is not None else ""
        waiting = stages.terminating(pod) if pod.deletion_timestamp is not None else stages.not_tried(pod, lane)
        return _beside_nodes(waiting)
    events = [event for _, event in trials.reader.events(shown.first_seq, history.seq)]
    return diagnosis_of_attempt(trials.at_cycle(shown.cycle), pod.key, events, shown.message)


def diagnosis_of_attempt(
    trials: Trials, pod: str, events: Sequence[ev.AnyEvent], message: str = ""
) -> Diagnosis | None:
    """Why an attempt of the pod (namespace/name) found no node, or why what it found came to nothing.

    ``trials`` are on the state that its cycle found, ``events`` what was recorded from its beginning on, ``message``
    what it ended with. Raises KeyError for a pod that the state does not have.
    """
    tried = trials.pod(pod)
    of_gang = find_gang(trials, tried)
    missing = None if of_gang is None else gang_cause(trials, of_gang, tried)
    with (trials if of_gang is None else after_backoff(trials)).under(tried, UNCHANGED) as base:
        refused = not base.is_scheduled and base.gated is None
        if missing is not None:
            return _beside_nodes(missing, diagnose_trial(trials, base) if refused and not base.refused_whole else None)
        later = stages.after_filter(tried, trials.cycle, events)
        if later is not None:
            return _beside_nodes(later)
        if not refused:
            return _beside_nodes(stages.failed(tried, message or "its last attempt failed"))
        return _of_filter(trials, base)


def _decided(trials: Trials, pod: Pod, node: str) -> Diagnosis | None:
    """What a pod waits for that the input has decided for the node."""
    listers = trials.simulation.context.cluster.listers
    claims = claims_waited_for(pod, listers.claims)
    provisioners = {
        claim.key: claim_provisioner(claim, listers.storage_classes.get(claim_class(claim))) for claim in claims
    }
    return _beside_nodes(stages.waits_for_volumes(pod, node, claims, provisioners)) if claims else None


def _gated(trials: Trials, pod: Pod) -> Diagnosis | None:
    with trials.under(trials.pod(pod.key), UNCHANGED) as base:
        if base.gated is None:
            return None
        simulation = trials.simulation
        plugin = simulation.frameworks[base.pod.scheduler_name].plugins.get(base.gated.plugin)
        facts: Facts = ()
        if isinstance(plugin, PreFilterPlugin):
            facts = plugin.pre_filter_facts(simulation.context.cluster.info(base.pod))
        return _beside_nodes(stages.gated(base.pod, base.gated, base, facts))


def _of_filter(trials: Trials, base: Trial) -> Diagnosis:
    """What Filter says, and what PostFilter adds: room that is being cleared, or a policy that forbids it."""
    diagnosis = diagnose_trial(trials, base)
    chosen = base.preemption.chosen if base.preemption is not None else None
    if chosen is not None:
        return _beside_nodes(stages.nominated(base.pod, chosen.node, chosen.victims), diagnosis)
    cluster = trials.simulation.context.cluster
    ending = _ending_on(cluster, base.pod)
    if ending:
        return _beside_nodes(stages.nominated(base.pod, base.pod.nominated_node_name, ending), diagnosis)
    on = [cluster.pods_on(cluster.table.row_of[name]) for name in diagnosis.cause.opens.names]
    lower = [key for pods in on for key, info in pods.items() if info.pod.priority < base.pod.priority]
    return Diagnosis(
        cause=stages.with_policy(diagnosis.cause, base.pod, lower),
        groups=diagnosis.groups,
        obstacles=diagnosis.obstacles,
    )


def _ending_on(cluster: Cluster, pod: Pod) -> list[str]:
    """The pods that end on the node that the pod is nominated to, of lower priority as its victims are."""
    row = cluster.table.row_of.get(pod.nominated_node_name)
    on = cluster.pods_on(row).values() if row is not None else ()
    return [one.key for one in on if one.pod.deletion_timestamp is not None and one.pod.priority < pod.priority]


def _beside_nodes(cause: ObstacleSet, diagnosis: Diagnosis | None = None) -> Diagnosis:
    """A cause of another stage, with the nodes as Filter sees them, where it looked at any."""
    if diagnosis is None:
        return Diagnosis(cause=cause, obstacles=cause.obstacles)
    return Diagnosis(cause=cause, groups=diagnosis.groups, obstacles=(*cause.obstacles, *diagnosis.obstacles))
