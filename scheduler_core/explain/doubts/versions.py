"""Doubts about the version: the cluster runs another one than decides, or it has more than is played."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scheduler_core.explain.doubt import AnswerDoubt
from scheduler_core.explain.doubts.subject import DoubtSubject
from scheduler_core.versions.behaviours import Behaviours
from scheduler_core.versions.detecting import ClusterVersion, detect, followed
from scheduler_core.versions.semantics import behaviours_of
from scheduler_core.versions.trains import find_train
from scheduler_core.versions.unplayed import Matters, unplayed_in

CHANGE_NOT_PLAYED = "CHANGE_NOT_PLAYED"
BEFORE = "1.34"
"""What runs followed before they named a version."""
_TEXTS = frozenset(("taint_is_named", "claim_conflict_says_same_name", "preemption_names_placement"))
"""Behaviours that say the same in other words."""


def of_versions(subject: DoubtSubject) -> Iterator[AnswerDoubt]:
    """That the cluster runs another version than decides here; where only texts differ, it concerns the messages of
    pods that wait."""
    inputs = subject.inputs
    cluster, ours = detect(inputs.objects.pods, inputs.unplayed.versions), inputs.policies.kubernetes or BEFORE
    if cluster.source == "nothing" or (find_train(ours).name == cluster.train and not cluster.outside):
        return
    concerns = _concerns(cluster, behaviours_of(ours, inputs.policies.gates))
    if concerns and (concerns != "message" or subject.waits):
        yield AnswerDoubt(
            code="OTHER_VERSION",
            concerns=concerns,
            text=f"{cluster.origin}; decisions and messages here are those of {followed(inputs.policies.kubernetes)}",
        )


def _concerns(cluster: ClusterVersion, ours: Behaviours) -> str:
    """What the difference may falsify; "" where the two decide alike. Of versions outside nothing is known."""
    differences = set(ours.difference(behaviours_of(cluster.train)))
    if cluster.outside or differences - _TEXTS:
        return "placement"
    return "message" if differences else ""


def of_changes(subject: DoubtSubject) -> Iterator[AnswerDoubt]:
    """What the version has on by default and is not played, where the input has what it can matter for."""
    version = subject.inputs.policies.kubernetes
    if not version or not subject.pods:
        return
    for row in unplayed_in(version):
        if row.matters != "never" and _MATTERS[row.matters](subject):
            text = f"{row.change} is not played: {row.sentence.removesuffix('.')}"
            yield AnswerDoubt(code=CHANGE_NOT_PLAYED, text=text)


# ---------------------------------------------------------------- where a change can matter


def _claims(subject: DoubtSubject) -> bool:
    return any(pod.resource_claims for pod in subject.pods)


def _volumes(subject: DoubtSubject) -> bool:
    return any(one.claim_name or one.ephemeral for pod in subject.pods for one in pod.volumes)


def _unbound_claims(subject: DoubtSubject) -> bool:
    if not _volumes(subject):
        return False
    bound = {one.key for one in subject.inputs.objects.persistent_volume_claims if one.volume_name}
    claims = (
        f"{pod.namespace}/{one.claim_name or f'{pod.name}-{one.name}'}"
        for pod in subject.pods
        for one in pod.volumes
        if one.claim_name or one.ephemeral
    )
    return any(claim not in bound for claim in claims)


def _deletions(subject: DoubtSubject) -> bool:
    return any(entry.action == "delete" for entry in subject.inputs.timeline.entries)


def _preemption(subject: DoubtSubject) -> bool:
    """Some pod outranks another one, and pods wait for volumes while they are being bound."""
    priorities = {pod.priority for pod in subject.inputs.objects.pods} | {pod.priority for pod in subject.pods}
    return len(priorities) > 1 and _unbound_claims(subject)


def _resizes(subject: DoubtSubject) -> bool:
    return any(pod.allocated_requests is not None for pod in subject.inputs.objects.pods)


def _nominations(subject: DoubtSubject) -> bool:
    return any(pod.nominated_node_name and pod.scheduling_gates for pod in subject.inputs.objects.pods)


def _image_volumes(subject: DoubtSubject) -> bool:
    return any(one.source == "image" for pod in subject.pods for one in pod.volumes)


def _affinity(subject: DoubtSubject) -> bool:
    return subject.waits and any(
        pod.affinity is not None and (pod.affinity.pod_required or pod.affinity.anti_required) for pod in subject.pods
    )


_MATTERS: dict[Matters, Callable[[DoubtSubject], bool]] = {
    "claims": _claims,
    "unbound_claims": _unbound_claims,
    "volumes": _volumes,
    "deletions": _deletions,
    "preemption": _preemption,
    "resizes": _resizes,
    "nominations": _nominations,
    "image_volumes": _image_volumes,
    "affinity": _affinity,
}
