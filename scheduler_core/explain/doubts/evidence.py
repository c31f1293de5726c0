"""What the input says of what is not played, in the sentence of a cause: conditions of Kueue, PodGroups of Volcano,
and that there is no node in it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.api.resources import PODS, pod_requests
from scheduler_core.api.unplayed import UnplayedObject
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.diagnosis.model import NodeList, Obstacle, ObstacleSet
from scheduler_core.explain.doubts.kueue import KUEUE, words_of, workloads
from scheduler_core.explain.doubts.objects import is_of_volcano, is_queued_by_kueue, workload_admits
from scheduler_core.explain.doubts.subject import DoubtSubject
from scheduler_core.explain.doubts.surroundings import of_nodes
from scheduler_core.explain.outcomes.texts import plural, quantity
from scheduler_core.versions.behaviours import Behaviours

_VOLCANO = "scheduling.volcano.sh/"


def with_evidence(cause: ObstacleSet, pod: Pod, inputs: RunInputs) -> ObstacleSet:
    """The cause with what the input says of it, or the cause itself."""
    if "GATED" in cause.codes and is_queued_by_kueue(pod):
        return _of_kueue(cause, pod, inputs.unplayed.objects)
    if cause.codes in (("OTHER_SCHEDULER",), ("UNKNOWN_SCHEDULER",)):
        return _of_volcano(cause, pod, inputs)
    if cause.codes == ("NO_NODES",):
        for doubt in of_nodes(DoubtSubject(inputs, [pod], waits=True, is_run=False)):
            return _with_text(cause, doubt.text, {})
    return cause


def left_to_others(pod: Pod, behaviours: Behaviours) -> str:
    """Why no change is tried that would let the pod fit, "" where some are: a queue alone takes its gates off, or it
    claims devices in a run that allocates none."""
    if pod.scheduling_gates and all(gate.startswith(KUEUE) for gate in pod.scheduling_gates):
        return "Kueue takes its gate off when it admits it, and Kueue is not played"
    is_left = bool(pod.resource_claims) and not behaviours.claims_get_devices
    return "it claims devices, and none are allocated in this run" if is_left else ""


def _of_kueue(cause: ObstacleSet, pod: Pod, unplayed: Sequence[UnplayedObject]) -> ObstacleSet:
    """The gate with what Kueue says of the Workload that it has not admitted."""
    gates = " and ".join(pod.scheduling_gates)
    head = f"Scheduling gate {gates} holds it back until Kueue admits it" if gates else cause.text.rstrip(".")
    admitting = [one for one in workloads(unplayed) if workload_admits(one, pod)]
    if not admitting:
        return _with_text(cause, head, {})
    words = words_of(admitting[0], unplayed)
    among = f"one of {plural(len(admitting), 'Workload')} is its own, such as " if len(admitting) > 1 else ""
    return _with_text(cause, f"{head}; {among}{words.text}", words.needs)


def _of_volcano(cause: ObstacleSet, pod: Pod, inputs: RunInputs) -> ObstacleSet:
    """The other scheduler with the gang that it starts whole, and what that needs beside what the nodes offer."""
    ours = [one for one in inputs.unplayed.objects if one.api_version.startswith(_VOLCANO) and one.kind == "PodGroup"]
    group = next((one for one in ours if is_of_volcano(one, pod)), None)
    least = group.facts.get("minMember", "") if group is not None else ""
    if group is None or not least.isdigit():
        return cause
    members = [one for one in inputs.objects.pods if is_of_volcano(group, one)]
    text = f"{group.title} wants {least} members started together (minMember {least}); the input has {len(members):,}"
    lacks = _lacks(pod, int(least), inputs)
    more = f"{text}{f'; {lacks}' if lacks else ''}"
    needs = {"podGroup": group.reference, "minMember": least}
    return _with_text(cause, f"{cause.text.rstrip('.')}. {more}", needs)


def _lacks(pod: Pod, least: int, inputs: RunInputs) -> str:
    """What that many pods like this one request beyond what all nodes offer, empty nodes or not."""
    parts = []
    for resource, each in sorted(pod_requests(pod).items()):
        offered = sum(node.allocatable.get(resource, 0) for node in inputs.objects.nodes)
        if resource != PODS and each * least > offered:
            needed, there = quantity(resource, each * least), quantity(resource, offered)
            parts.append(f"{least:,} like this one request {needed}, all nodes offer {there}")
    return ", ".join(parts)


def _with_text(cause: ObstacleSet, text: str, needs: dict[str, str]) -> ObstacleSet:
    """The cause with another sentence, which its first obstacle has, too, with what the evidence names."""
    first, *rest = cause.obstacles
    said = msgspec.structs.replace(first, needs={**first.needs, **needs}, text=text)
    sentence = f"{text[:1].upper()}{text[1:]}."
    return msgspec.structs.replace(cause, text=sentence, obstacles=(said, *rest), opens=_opens(cause, said))


def _opens(cause: ObstacleSet, first: Obstacle) -> NodeList:
    """A queue decides what follows from its admission, so nothing is said to be opened by it."""
    return NodeList() if first.code == "GATED" else cause.opens
