"""A pod that finds no node, and what keeps it off: all nodes that are there, or one."""

from __future__ import annotations

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.capacity.resting import RestingCluster
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.diagnosis.diagnose import diagnose_trial
from scheduler_core.explain.diagnosis.stages import other_scheduler


class UnplacedPod(msgspec.Struct, frozen=True):
    """A pod that finds no node: the codes of what keeps it off, and that in words. ``subjects`` are, code by code, what
    it is about (a taint, a resource, labels as key=value) where it is said of one node."""

    pod: str
    codes: tuple[str, ...]
    texts: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()


def off_all(resting: RestingCluster, pod: Pod) -> UnplacedPod:
    """What keeps the pod off the nodes that are there; NOT_TRIED_YET where nothing does while nothing else is tried."""
    if cause := other_scheduler(pod, resting.inputs.configuration):
        return UnplacedPod(pod.key, cause.codes, (cause.text,))
    with resting.trials.under(pod, Changes()) as trial:
        if trial.is_scheduled:
            return UnplacedPod(pod.key, ("NOT_TRIED_YET",))
        cause = diagnose_trial(resting.trials, trial).cause
    return UnplacedPod(pod.key, cause.codes, (cause.text,))


def off_node(resting: RestingCluster, pod: Pod, node: str) -> UnplacedPod | None:
    """What keeps the pod off one node; None where it fits there."""
    with resting.trials.under(pod, Changes(sample=(node,))) as trial:
        if trial.fits(node):
            return None
        groups = diagnose_trial(resting.trials, trial).groups
    on_node = next(group for group in groups if node in group.nodes)
    subjects: dict[str, str] = {}
    for key in on_node.obstacles:
        subjects.setdefault(key.code, ", ".join(f"{name}={value}" for name, value in key.needs) or key.subject)
    return UnplacedPod(pod.key, tuple(subjects), on_node.texts, tuple(subjects.values()))
