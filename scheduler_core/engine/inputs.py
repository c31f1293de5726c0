"""A run's inputs, and the cluster that they describe at virtual time 0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from scheduler_core.api import objects as k8s
from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.unplayed import Unplayed
from scheduler_core.controllers.owned import is_static
from scheduler_core.engine.policies import Policies
from scheduler_core.versions.behaviours import Behaviours
from scheduler_core.workloads.timeline import Timeline

EPOCH = 1_735_776_000.0
"""2025-01-02T00:00:00Z: the wall time of virtual time 0 where the objects have no later one."""
HOUR_US = 3_600_000_000

Schedule = Literal["pending", "all", "timeline"]


ChangeAction = Literal["put", "delete", "configure", "set_policies", "switch_off"]


class InputChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change that somebody made when the run had ``seq`` events.

    ``object`` depends on ``action``: the object added or replaced (put) or removed (delete: only kind and key count),
    the SchedulerConfiguration (configure) or the Policies (set_policies) that hold from here on, or the index of the
    timeline's entry that does not happen (switch_off; without effect where the entry was carried out before).

    It is carried out before the engine's next step, at the virtual time of that moment. Where ``seq`` lies inside a
    step, for example inside a scheduling cycle, that step ends first; where the run would end before it has that many
    events, the change comes before that end.
    """

    seq: int
    action: ChangeAction
    object: Any


class RunInputs(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a run's result depends on.

    ``schedule``: "pending" pods only; "all" pods as if none were bound (pods of DaemonSets and static pods stay);
    "timeline": the pending pods and what the timeline brings. ``changes`` came in the middle of the run,
    in order of their seqs. ``extender_answers`` names what answers for the configuration's extenders, with a digest of
    it; the source itself is handed to the session. ``unplayed`` is what the input holds besides: no run looks at it,
    answers name it as doubts.
    """

    objects: k8s.ClusterObjects
    configuration: SchedulerConfiguration = SchedulerConfiguration()
    schedule: Schedule = "pending"
    timeline: Timeline = Timeline()
    policies: Policies = Policies()
    changes: tuple[InputChange, ...] = ()
    extender_answers: str = ""
    seed: int = 0
    max_cycles: int = 1_000_000
    max_virtual_us: int = 24 * HOUR_US
    unplayed: Unplayed = msgspec.field(default_factory=Unplayed)


def settings_after(inputs: RunInputs, n_changes: int) -> tuple[SchedulerConfiguration, Policies]:
    """The configuration and the policies in force after the first ``n_changes`` changes."""
    configuration, policies = inputs.configuration, inputs.policies
    for change in inputs.changes[:n_changes]:
        if change.action == "configure":
            configuration = change.object
        elif change.action == "set_policies":
            policies = change.object
    return configuration, policies


def settings_at(inputs: RunInputs, seq: int) -> tuple[SchedulerConfiguration, Policies]:
    """The configuration and the policies in force after the first ``seq`` events of a run."""
    return settings_after(inputs, sum(change.seq < seq for change in inputs.changes))


def switched_off(inputs: RunInputs, timeline_at_change: Sequence[int]) -> set[int]:
    """Indexes of the timeline's entries that the changes carried out so far switched off before they took place.

    ``timeline_at_change`` has, for each of these changes, how many entries were carried out before it."""
    done = zip(inputs.changes, timeline_at_change, strict=False)
    return {change.object for change, position in done if change.action == "switch_off" and change.object >= position}


def default_schedule(objects: k8s.ClusterObjects) -> Schedule:
    """ "pending" if some pod waits, else "all", so that a dump without pending pods shows decisions, too.

    Also "pending" where a pod is on a node that is not in the input: it runs there, and cannot be placed from scratch.
    """
    pods = [pod for pod in objects.pods if not pod.is_terminal]
    if any(not pod.node_name and not pod.nominated_node_name for pod in pods):
        return "pending"
    nodes = {node.name for node in objects.nodes}
    return "all" if all(not pod.node_name or pod.node_name in nodes for pod in pods) else "pending"


def start_pods(inputs: RunInputs) -> list[k8s.Pod]:
    """The pods at time 0, visible ones only; those to be scheduled have no node and are in order of creation."""
    held = _held_back(inputs)
    behaviours = inputs.policies.behaviours
    visible = [
        as_admitted(with_uid(p, p.key), behaviours)
        for p in inputs.objects.pods
        if not p.is_terminal and p.key not in held
    ]
    if inputs.schedule == "all":
        bound_to_others = _of_others(inputs) if inputs.policies.other_schedulers == "bound" else set()
        visible = [p if _stays(p) or p.key in bound_to_others else _unbound(p) for p in visible]
    if inputs.policies.decide_anew:
        visible = list(_rescheduling(visible, inputs.policies))
    placed = [p for p in visible if p.node_name]
    pending = [p for p in visible if not p.node_name]
    if inputs.policies.attempt_order == "queue":
        pending.sort(key=lambda p: p.creation_timestamp or 0.0)
    return placed + pending


def _rescheduling(pods: Sequence[k8s.Pod], policies: Policies) -> Iterator[k8s.Pod]:
    """The pods at the start of a run that schedules one placed pod again, with nearly all others left as they are."""
    decided = next((pod for pod in pods if pod.key == policies.decide_anew), None)
    since = decided.creation_timestamp if decided is not None and policies.without_younger else None
    for pod in pods:
        if pod is decided:
            yield _unbound(pod)
        elif not pod.node_name:
            if pod.nominated_node_name:
                yield pod
        elif since is None or (pod.creation_timestamp or since) <= since:
            yield pod


def _held_back(inputs: RunInputs) -> set[str]:
    """Keys of pods that the loader added for StatefulSets too early: the controller creates them during the run.

    In a set that is not Parallel, these are the pods after the first one that is not running."""
    if inputs.policies.owners != "keep":
        return set()
    ordered = [w for w in inputs.objects.workloads if w.added and not w.is_parallel]
    pods = {pod.key: pod for pod in inputs.objects.pods} if ordered else {}
    held: set[str] = set()
    for workload in ordered:
        keys = [f"{workload.namespace}/{workload.name}-{workload.first_ordinal + i}" for i in range(workload.replicas)]
        first = next((i for i, key in enumerate(keys) if not _runs(pods.get(key))), len(keys))
        added = {f"{workload.namespace}/{name}" for name in workload.added}
        held.update(added.intersection(keys[first + 1 :]))
    return held


def _runs(pod: k8s.Pod | None) -> bool:
    return pod is not None and bool(pod.node_name) and pod.deletion_timestamp is None


def placed(pods: Mapping[str, k8s.Pod]) -> dict[str, str]:
    """The node of each pod that has one."""
    return {key: pod.node_name for key, pod in pods.items() if pod.node_name}


def as_admitted(pod: k8s.Pod, behaviours: Behaviours) -> k8s.Pod:
    """The pod without the fields that the API server of a version with these behaviours drops."""
    if behaviours.pod_level_resources or (pod.pod_requests is None and pod.pod_limits is None):
        return pod
    return msgspec.structs.replace(pod, pod_requests=None, pod_limits=None)


def with_uid(pod: k8s.Pod, uid: str) -> k8s.Pod:
    """The pod, with this uid if it has none: the queue and queueing hints identify pods by their uid."""
    return pod if pod.uid else msgspec.structs.replace(pod, uid=uid)


def run_epoch(inputs: RunInputs) -> float:
    """Wall time of virtual time 0: EPOCH, or the first full second after every timestamp in the objects."""
    dates = [t for p in inputs.objects.pods for t in (p.start_time, p.creation_timestamp) if t is not None]
    latest = max(dates, default=0.0)
    return EPOCH if latest < EPOCH else float(int(latest) + 1)


def other_objects(objects: k8s.ClusterObjects) -> list[Any]:
    """Everything that plugins may look up: all but nodes, pods and workloads."""
    apart = ("nodes", "pods", "workloads", "deployments")
    fields = [field for field in objects.__struct_fields__ if field not in apart]
    return [obj for field in fields for obj in getattr(objects, field)]


def _stays(pod: k8s.Pod) -> bool:
    owned_by_daemon_set = any(owner.kind == "DaemonSet" for owner in pod.owner_references)
    return owned_by_daemon_set or is_static(pod)


def _of_others(inputs: RunInputs) -> set[str]:
    """Keys of the placed pods whose scheduler no profile serves."""
    served = {profile.scheduler_name for profile in inputs.configuration.profiles}
    return {pod.key for pod in inputs.objects.pods if pod.node_name and pod.scheduler_name not in served}


def _unbound(pod: k8s.Pod) -> k8s.Pod:
    if not pod.node_name and not pod.nominated_node_name:
        return pod
    return msgspec.structs.replace(pod, node_name="", nominated_node_name="", phase="Pending", start_time=None)
