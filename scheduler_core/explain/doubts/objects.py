"""Doubts about objects that decide in a real cluster and are not played, one for each kind that may falsify something.

Each role of a kind (manifests/kinds/unplayed.toml) has one rule of whom its objects concern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.objects import Pod
from scheduler_core.api.quotas import LimitRange, ResourceQuota
from scheduler_core.api.unplayed import UnplayedObject
from scheduler_core.explain.diagnosis.words import names
from scheduler_core.explain.doubt import AnswerDoubt, NamedObjects
from scheduler_core.explain.doubts.subject import DoubtSubject
from scheduler_core.manifests.kinds.registry import api_group
from scheduler_core.manifests.kinds.unplayed import unplayed_kind
from scheduler_core.profiles.registry import CAPACITY_SCHEDULING, COSCHEDULING

MOST_NAMED = 50
_MOST_SAID = 3
NOT_PLAYED = "NOT_PLAYED"
POD_GROUP_LABEL = "scheduling.x-k8s.io/pod-group"
_DECIDING = ("minMember", "maxSurge", "maxUnavailable", "strategy")
_KUEUE = "kueue.x-k8s.io"
_KUEUE_QUEUE = "kueue.x-k8s.io/queue-name"
VOLCANO = "volcano"
VOLCANO_GROUP = "scheduling.k8s.io/group-name"


def not_played(
    kind: str,
    objects: Sequence[tuple[str, str]],
    does: str,
    concerns: str = "placement",
    count: int = 0,
    *,
    part: str = "",
) -> AnswerDoubt:
    """The doubt about objects of a kind, each with reference and title, or about a ``part`` of each; ``count`` of them
    where not all are given."""
    n = max(count, len(objects))
    titles = [title for _, title in objects]
    bare = [title.removeprefix(f"{kind} ") for title in titles]
    who = titles[0] if n == 1 else f"{n:,} {kind}s ({names(bare)})" if n == len(bare) else f"{n:,} {kind}s"
    who = f"{part} of {who}" if part else who
    return AnswerDoubt(
        code=NOT_PLAYED,
        objects=NamedObjects(n, tuple(reference for reference, _ in objects[:MOST_NAMED])),
        concerns=concerns,
        text=f"{who} {'is' if n == 1 or part else 'are'} not played: {does}",
    )


def of_objects(subject: DoubtSubject) -> Iterator[AnswerDoubt]:
    """The doubts about objects that the reader passed over, in the order in which their kinds came."""
    by_kind: dict[tuple[str, str], list[UnplayedObject]] = {}
    unplayed = subject.inputs.unplayed
    is_played = subject.inputs.policies.rollouts == "play"
    for one in (*unplayed.objects, *(() if is_played else unplayed.rollouts)):
        by_kind.setdefault((one.api_version, one.kind), []).append(one)
    for (version, kind), objects in by_kind.items():
        row = unplayed_kind(kind, version)
        concerned = [one for one in objects if _RULES[row.role](one, subject)]
        if not concerned:
            continue
        all_of_kind = unplayed.counts.get(f"{version}/{kind}", 0)
        count = all_of_kind if len(concerned) == len(objects) else len(concerned)
        part = "rollout" if row.role == "rollout" else ""
        named = [(one.reference, one.title) for one in concerned]
        yield not_played(kind, named, "; ".join([row.does, *_details(concerned)]), row.concerns, count, part=part)


def of_parts(subject: DoubtSubject) -> Iterator[AnswerDoubt]:
    """The doubts about what is not played of objects that make pods here, of equal parts together."""
    alike: dict[tuple[str, str, str], list[tuple[UnplayedObject, str]]] = {}
    for one in subject.inputs.unplayed.parts:
        part, does, concerns = (one.facts[name] for name in ("part", "does", "concerns"))
        is_own = subject.is_run or (one.kind, one.namespace, one.name) in subject.owners
        if is_own or (concerns == "placement" and not part):
            alike.setdefault((one.kind, part, concerns), []).append((one, does))
    for (kind, part, concerns), objects in alike.items():
        said = list(dict.fromkeys(does for _, does in objects))
        more = f"; and {len(said) - _MOST_SAID:,} more" if len(said) > _MOST_SAID else ""
        named = [(one.reference, one.title) for one, _ in objects]
        yield not_played(kind, named, "; ".join(said[:_MOST_SAID]) + more, concerns, part=part)


def of_read_kinds(subject: DoubtSubject) -> Iterator[AnswerDoubt]:
    """The doubts about objects that are read, where the profiles of their pods lack the plugin that honours them."""
    inputs, objects = subject.inputs, subject.inputs.objects
    in_groups = {
        f"{pod.namespace}/{group}"
        for pod in subject.pods
        if (group := pod.labels.get(POD_GROUP_LABEL)) and not _has_plugin(inputs.configuration, pod, COSCHEDULING)
    }
    yield from _admission_ignored(subject)
    version = "scheduling.x-k8s.io/v1alpha1"
    if groups := [one for one in objects.pod_groups if one.key in in_groups]:
        does = f"no profile has {COSCHEDULING}, so pods of a group start one by one"
        yield not_played("PodGroup", [(f"{version}/PodGroup/{one.key}", f"PodGroup {one.key}") for one in groups], does)
    limited = {pod.namespace for pod in subject.pods if not _has_plugin(inputs.configuration, pod, CAPACITY_SCHEDULING)}
    if quotas := [one for one in objects.elastic_quotas if one.namespace in limited]:
        does = f"no profile has {CAPACITY_SCHEDULING}, so it limits nothing"
        named = [(f"{version}/ElasticQuota/{one.key}", f"ElasticQuota {one.key}") for one in quotas]
        yield not_played("ElasticQuota", named, does)


def _admission_ignored(subject: DoubtSubject) -> Iterator[AnswerDoubt]:
    """The doubts about quotas and ranges of limits of a run that plays none."""
    objects, policies = subject.inputs.objects, subject.inputs.policies
    kinds: Sequence[tuple[str, str, Sequence[ResourceQuota | LimitRange]]] = (
        ("ResourceQuota", policies.quotas, objects.resource_quotas),
        ("LimitRange", policies.limit_ranges, objects.limit_ranges),
    )
    for kind, policy, there in kinds:
        concerned = [one for one in there if one.namespace in subject.namespaces] if policy == "ignore" else []
        if concerned:
            row = unplayed_kind(kind, "v1")
            named = [(f"v1/{kind}/{one.key}", f"{kind} {one.key}") for one in concerned]
            yield not_played(kind, named, row.does, row.concerns)


def is_of_volcano(group: UnplayedObject, pod: Pod) -> bool:
    """Whether the pod is of the PodGroup: by its annotation, or of Volcano in the same namespace without one."""
    named = pod.annotations.get(VOLCANO_GROUP, "")
    is_named = named == group.name if named else pod.scheduler_name == VOLCANO
    return pod.namespace == group.namespace and is_named


def is_queued_by_kueue(pod: Pod) -> bool:
    """Whether Kueue admits the pod."""
    return _KUEUE_QUEUE in pod.labels or any(gate.startswith(_KUEUE) for gate in pod.scheduling_gates)


def workload_admits(workload: UnplayedObject, pod: Pod) -> bool:
    """Whether the Workload of Kueue may be that of the pod: by its owners, else by its queue."""
    if workload.namespace != pod.namespace or not is_queued_by_kueue(pod):
        return False
    owners = workload.facts.get("owner", "").split("\n") if workload.facts.get("owner") else []
    if owners:
        return pod.name in owners or any(owner.name in owners for owner in pod.owner_references)
    return pod.labels.get(_KUEUE_QUEUE) in (None, workload.facts.get("queue"))


def _details(objects: Sequence[UnplayedObject]) -> Iterator[str]:
    """What the input says of a single object: values that decide, and the last message of its conditions."""
    facts = objects[0].facts if len(objects) == 1 else {}
    if values := [f"{name} {facts[name]}" for name in _DECIDING if name in facts]:
        yield ", ".join(values)
    if facts.get("says"):
        yield f'it says "{facts["says"].split(chr(10))[-1]}"'


def _admission(one: UnplayedObject, subject: DoubtSubject) -> bool:
    return one.namespace in subject.namespaces


def _maker(one: UnplayedObject, subject: DoubtSubject) -> bool:
    """Of a run each; of a pod its own, and those whose pods are not in the input and so take no room."""
    key = one.kind, one.namespace, one.name
    if subject.is_run or key in subject.owners:
        return True
    return unplayed_kind(one.kind, one.api_version).concerns == "placement" and key not in subject.owners_of_all


def _scaler(one: UnplayedObject, subject: DoubtSubject) -> bool:
    """Of pods of the workload that it names."""
    target = one.facts.get("kind", ""), one.namespace, one.facts.get("name", "")
    return target in (subject.owners_of_all if subject.is_run else subject.owners)


def _rollout(one: UnplayedObject, subject: DoubtSubject) -> bool:
    return subject.is_run or (one.kind, one.namespace, one.name) in subject.owners


def _gang(one: UnplayedObject, subject: DoubtSubject) -> bool:
    if api_group(one.api_version) == "scheduling.volcano.sh":
        return any(is_of_volcano(one, pod) for pod in subject.pods)
    return one.namespace in subject.namespaces


def _queue(one: UnplayedObject, subject: DoubtSubject) -> bool:
    """Of pods that the queue's project admits; a Workload of Kueue, of those that may be its own."""
    if api_group(one.api_version) != _KUEUE:
        return any(pod.scheduler_name == VOLCANO for pod in subject.pods)
    if one.kind == "Workload":
        return subject.is_run or any(workload_admits(one, pod) for pod in subject.pods)
    queued = [pod for pod in subject.pods if is_queued_by_kueue(pod)]
    if one.kind == "LocalQueue":
        asked = {(pod.namespace, pod.labels.get(_KUEUE_QUEUE)) for pod in queued}
        return (one.namespace, one.name) in asked
    return bool(queued)


def _nodes(one: UnplayedObject, subject: DoubtSubject) -> bool:
    """Of pods that wait: a node more may take them."""
    return subject.waits


_RULES: dict[str, Callable[[UnplayedObject, DoubtSubject], bool]] = {
    "admission": _admission,
    "maker": _maker,
    "scaler": _scaler,
    "rollout": _rollout,
    "gang": _gang,
    "queue": _queue,
    "nodes": _nodes,
}


def _has_plugin(configuration: SchedulerConfiguration, pod: Pod, plugin: str) -> bool:
    """Whether the profile that decides the pod enables the plugin anywhere."""
    profile = next((one for one in configuration.profiles if one.scheduler_name == pod.scheduler_name), None)
    sets = profile.plugins.values() if profile is not None else ()
    return any(ref.name == plugin for one in sets for ref in one.enabled)
