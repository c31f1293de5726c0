"""Which pods belong together, and how far their group is."""

from __future__ import annotations

from scheduler_core.api.objects import Pod, PodGroup
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.waiting_pod import WaitingPod

LABEL = "scheduling.x-k8s.io/pod-group"


def group_key(pod: Pod) -> str:
    """namespace/name of the pod's group, "" for a pod without."""
    name = pod.labels.get(LABEL, "")
    return f"{pod.namespace}/{name}" if name else ""


class Groups:
    """Looks groups up in what the handle knows; keeps nothing."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def of(self, pod: Pod) -> PodGroup | None:
        """The PodGroup of the pod, None where it has none or the object does not exist (yet)."""
        return self._handle.cluster.listers.pod_groups.get(group_key(pod))

    def members(self, key: str) -> list[Pod]:
        """All pods of the group, pending ones too."""
        return [pod for pod in self._handle.run.pods.values() if group_key(pod) == key]

    def placed(self, key: str) -> int:
        """How many pods of the group have a node: bound, or assumed as those that wait at Permit are."""
        return sum(group_key(info.pod) == key for info in self._handle.cluster.pods.values())

    def unplaced(self, key: str) -> list[Pod]:
        """Pods of the group that still look for a node."""
        return [pod for pod in self.members(key) if self._handle.cluster.node_of(pod.key) is None]

    def waiting(self, key: str) -> list[WaitingPod]:
        """Pods of the group that wait at Permit."""
        return [waiting for waiting in self._handle.run.waiting_pods() if group_key(waiting.pod.pod) == key]
