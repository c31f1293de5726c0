"""Which pending pods were promised which node (backend/queue/nominator.go)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scheduler_core.api.objects import Pod
from scheduler_core.queue.types import identity


class Nominator:
    """Nominated pods by node, in order of nomination.

    ``lookup`` gives the current version of a pod by namespace/name or None; pods that are gone or bound are not
    nominated. Without it every nomination is believed. ``log`` names the node of every nomination that came or went.
    """

    def __init__(self, lookup: Callable[[str], Pod | None] | None = None) -> None:
        self._lookup = lookup
        self._by_node: dict[str, dict[str, Pod]] = {}
        self._node_of: dict[str, str] = {}
        self.log: list[str] = []

    def add(self, pod: Pod, node: str | None = None) -> None:
        """Nominate the pod to ``node``; None takes the node of its status, if any.

        An empty name given explicitly is kept as a nomination to no node, as upstream does.
        """
        self.delete(pod)
        if node is None:
            node = pod.nominated_node_name
            if not node:
                return
        if self._lookup is not None:
            current = self._lookup(pod.key)
            if current is None or current.node_name:
                return
        ident = identity(pod)
        self._node_of[ident] = node
        self._by_node.setdefault(node, {})[ident] = pod
        self.log.append(node)

    def delete(self, pod: Pod) -> None:
        """Forget the pod's nomination, if any."""
        if not self._node_of:
            return
        ident = identity(pod)
        node = self._node_of.pop(ident, None)
        if node is None:
            return
        pods = self._by_node[node]
        del pods[ident]
        self.log.append(node)
        if not pods:
            del self._by_node[node]

    def update(self, old: Pod, new: Pod) -> None:
        """Replace the pod; a nomination known here only survives an update whose status names none before and after."""
        node = None
        if not old.nominated_node_name and not new.nominated_node_name:
            node = self._node_of.get(identity(old))
        self.delete(old)
        self.add(new, node)

    def node_of(self, pod: Pod) -> str | None:
        """The node that the pod is nominated to ("" where it was set to none), or None."""
        return self._node_of.get(identity(pod))

    def pods_on(self, node: str) -> list[Pod]:
        """Pods nominated to the node, in order of nomination, in the version last handed in."""
        pods = self._by_node.get(node)
        return list(pods.values()) if pods else []

    def node_names(self) -> list[str]:
        """Nodes that pods are nominated to, in order of their first nomination."""
        return [node for node in self._by_node if node]

    def __iter__(self) -> Iterator[tuple[str, list[Pod]]]:
        """(node, pods) in order of each node's first nomination."""
        return ((node, list(pods.values())) for node, pods in self._by_node.items())

    def __len__(self) -> int:
        return len(self._node_of)

    def restore(self, nominations: list[tuple[str, list[Pod]]]) -> None:
        """Take over what iteration gives."""
        self.log.extend([*self._by_node, *(node for node, _ in nominations)])
        self._by_node = {node: {identity(pod): pod for pod in pods} for node, pods in nominations}
        self._node_of = {identity(pod): node for node, pods in nominations for pod in pods}
