"""What doubts are about: the pods that a run decides, or one of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from scheduler_core.api.objects import Pod, Workload
from scheduler_core.engine.inputs import RunInputs, start_pods

Owner = tuple[str, str, str]
"""Kind, namespace and name of what owns a pod."""


class DoubtSubject:
    """The pods that an answer is about. ``waits``: one of them has no node; ``is_run``: they are all that a run
    decides."""

    def __init__(self, inputs: RunInputs, pods: Sequence[Pod], *, waits: bool, is_run: bool) -> None:
        self.inputs = inputs
        self.pods = pods
        self.waits = waits
        self.is_run = is_run

    @classmethod
    def of_run(cls, inputs: RunInputs, *, waits: bool) -> DoubtSubject:
        """All pods that a run of the inputs decides."""
        come = [one.object for one in inputs.timeline.entries if one.action == "put" and isinstance(one.object, Pod)]
        pods = [pod for pod in (*start_pods(inputs), *come) if not pod.node_name]
        return cls(inputs, pods, waits=waits, is_run=True)

    @cached_property
    def namespaces(self) -> frozenset[str]:
        """The namespaces in which the run decides or lacks pods."""
        lacking = {one.namespace for one in self.inputs.objects.workloads if one.n_refused} if self.is_run else set()
        return frozenset({pod.namespace for pod in self.pods} | lacking)

    @cached_property
    def owners(self) -> frozenset[Owner]:
        """What owns the pods, and what owns that."""
        return frozenset(owner for pod in self.pods for owner in owner_chain(pod, self._workloads))

    @cached_property
    def owners_of_all(self) -> frozenset[Owner]:
        """What owns any pod or workload of the input."""
        return frozenset(owner for pod in self.inputs.objects.pods for owner in owner_chain(pod, self._workloads))

    @cached_property
    def _workloads(self) -> dict[Owner, Workload]:
        return {(one.kind, one.namespace, one.name): one for one in self.inputs.objects.workloads}


def owner_chain(pod: Pod, workloads: dict[Owner, Workload]) -> list[Owner]:
    """Kind, namespace and name of the pod's owners, and of what owns them."""
    owners = [(owner.kind, pod.namespace, owner.name) for owner in pod.owner_references]
    above = [workload.owner for owner in owners if (workload := workloads.get(owner)) is not None]
    return owners + [(owner.kind, pod.namespace, owner.name) for owner in above if owner is not None]
