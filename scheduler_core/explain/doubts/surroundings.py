"""Doubts that are not about objects passed over: nodes of the input, devices, other schedulers, masks."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_core.api.objects import Node, Pod
from scheduler_core.explain.diagnosis.words import names
from scheduler_core.explain.doubt import AnswerDoubt, NamedObjects
from scheduler_core.explain.doubts.objects import MOST_NAMED, not_played
from scheduler_core.explain.doubts.subject import DoubtSubject
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.manifests.masking.secrets import MASK


def of_nodes(subject: DoubtSubject) -> Iterator[AnswerDoubt]:
    """That the input holds no node."""
    objects = subject.inputs.objects
    come = any(isinstance(one.object, Node) for one in subject.inputs.timeline.entries)
    if objects.nodes or come or not objects.pods:
        return
    named = sorted({pod.node_name for pod in objects.pods if pod.node_name})
    says = f", and pods name {names(named)}" if named else ""
    yield AnswerDoubt(
        code="NOT_IN_INPUT",
        objects=NamedObjects(len(named), tuple(f"v1/Node//{name}" for name in named[:MOST_NAMED])),
        text=f"the input holds no Node{says}; kubectl get nodes -o yaml lists them",
    )


def of_gaps(subject: DoubtSubject) -> Iterator[AnswerDoubt]:
    """What the form of the input cannot hold."""
    pods = {f"v1/Pod/{pod.key}" for pod in subject.pods}
    for gap in subject.inputs.unplayed.gaps:
        if subject.is_run or not gap.objects or pods.intersection(gap.objects):
            named = gap.objects[:MOST_NAMED]
            command = f"; {gap.command} shows it" if gap.command else ""
            objects = NamedObjects(len(gap.objects), named)
            yield AnswerDoubt(code="NOT_IN_INPUT", objects=objects, concerns=gap.concerns, text=f"{gap.text}{command}")


def of_devices(subject: DoubtSubject) -> Iterator[AnswerDoubt]:
    """That claims for devices are not allocated, or by versions that allocate them, not made from templates."""
    pods, allocates = [pod for pod in subject.pods if pod.resource_claims], _allocates(subject)
    does = (
        "no claim is made from it, so that a pod waits until its status names one"
        if allocates
        else "resource claims are read, and no device is allocated to them"
    )
    for kind, claims in (
        ("ResourceClaim", [] if allocates else _claims(pods)),
        ("ResourceClaimTemplate", [] if allocates and _makes_claims(subject) else _templates(pods)),
    ):
        if claims:
            named = [(f"resource.k8s.io/v1/{kind}/{claim}", f"{kind} {claim}") for claim in claims]
            yield not_played(kind, named, does)


def _allocates(subject: DoubtSubject) -> bool:
    return subject.inputs.policies.behaviours.claims_get_devices


def _makes_claims(subject: DoubtSubject) -> bool:
    """Whether claims are made from templates as their controller does."""
    return subject.inputs.policies.claims == "play"


def of_schedulers(subject: DoubtSubject) -> Iterator[AnswerDoubt]:
    """That another scheduler places pods, too, on nodes that seem to have room here."""
    served = {profile.scheduler_name for profile in subject.inputs.configuration.profiles}
    if not any(pod.scheduler_name in served for pod in subject.pods):
        return
    others = [
        pod
        for pod in subject.inputs.objects.pods
        if pod.scheduler_name not in served and not pod.node_name and not pod.is_terminal
    ]
    if others:
        who = names(sorted({pod.scheduler_name for pod in others}))
        yield AnswerDoubt(
            code="NOT_PLAYED",
            objects=NamedObjects(len(others), tuple(f"v1/Pod/{pod.key}" for pod in others[:MOST_NAMED])),
            text=f"scheduler {who} is not played: {_wait(len(others))} for it, and may take room that is free here",
        )


def _wait(count: int) -> str:
    return f"{plural(count, 'pod')} {'waits' if count == 1 else 'wait'}"


def of_masks(subject: DoubtSubject) -> Iterator[AnswerDoubt]:
    """That values were masked which HTTP extenders are shown."""
    if not subject.inputs.configuration.extenders:
        return
    masked = [pod for pod in subject.pods if MASK in pod.annotations.values()]
    if masked:
        yield AnswerDoubt(
            code="MASKED",
            objects=NamedObjects(len(masked), tuple(f"v1/Pod/{pod.key}" for pod in masked[:MOST_NAMED])),
            text=f"annotations of {plural(len(masked), 'pod')} are masked, and extenders are shown them so",
        )


def _claims(pods: list[Pod]) -> list[str]:
    return sorted(
        {f"{pod.namespace}/{one.claim_name}" for pod in pods for one in pod.resource_claims if one.claim_name}
    )


def _templates(pods: list[Pod]) -> list[str]:
    made = ((pod, one) for pod in pods for one in pod.resource_claims)
    return sorted({f"{pod.namespace}/{one.template_name}" for pod, one in made if one.template_name})
