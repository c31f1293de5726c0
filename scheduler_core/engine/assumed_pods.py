"""Pods that the input's scheduler has decided and not bound: their room stays reserved while they wait.

kube-scheduler assumes a pod on a node before PreBind. There VolumeBinding writes the node into the annotation
selected-node of the claims that are to be provisioned, and waits for their volumes (volume_binding.go, PreBind;
binder.go, BindPodVolumes): so a dump shows such a pod by its claims. Nothing shows a pod that waits at Permit, or whose
binding is under way; one that is nominated is the nominator's (queue/nominator.py).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping

import msgspec

from scheduler_core.api.objects import PersistentVolumeClaim, Pod
from scheduler_core.columns.pods import PodInfo
from scheduler_core.engine.world import World
from scheduler_core.framework.contracts.run_context import NO_CAUSE
from scheduler_core.framework.plugin_helpers.volume_claims import SELECTED_NODE, claim_uses
from scheduler_core.recording import events as ev

NO_CYCLE = 0
"""The cycle of what no attempt of the run decided."""


def claims_waited_for(pod: Pod, claims: Mapping[str, PersistentVolumeClaim]) -> list[PersistentVolumeClaim]:
    """The claims of the pod for whose volumes PreBind waits: they have none, and say for which node they want one."""
    used = (claims.get(use.key) for use in claim_uses(pod))
    return [
        claim for claim in used if claim is not None and not claim.volume_name and claim.annotations.get(SELECTED_NODE)
    ]


def node_decided(pod: Pod, claims: Mapping[str, PersistentVolumeClaim]) -> str:
    """The node that the pod is decided for by its claims, "" where they name none or several."""
    nodes = {claim.annotations[SELECTED_NODE] for claim in claims_waited_for(pod, claims)}
    return nodes.pop() if len(nodes) == 1 and not pod.scheduling_gates else ""


class AssumedPods:
    """The pods held, each with its node; they are assumed there in the columns, and in no lane of the queue.

    ``freed`` is called with a pod on the node that it no longer holds, ``waiting`` with the same pod where it is still
    there without one.
    """

    def __init__(self, world: World, freed: Callable[[Pod], None], waiting: Callable[[Pod], None]) -> None:
        self._world, self._freed, self._waiting = world, freed, waiting
        self.nodes: dict[str, str] = {}
        self._looked_at = -1

    def begin(self, profiles: Container[str]) -> None:
        """Hold the room of the pods that the objects at the start decide, the oldest first, while their nodes have it.

        Of pods that share a claim one is held: which of them was decided first nothing else says."""
        world, claimed = self._world, set[str]()
        waiting = [pod for pod in world.pods.values() if _waits(pod) and pod.scheduler_name in profiles]
        for pod in waiting:
            node = node_decided(pod, world.cluster.listers.claims)
            uses = {use.key for use in claim_uses(pod)}
            if node and not uses & claimed and self._has_room(world.cluster.info(pod), node):
                claimed |= uses
                self.nodes[pod.key] = node
                world.cluster.put_pod(world.cluster.info(pod), node)
                world.emit(ev.Reserved(at=world.now(), cycle=NO_CYCLE, pod=pod.key, node=node))

    def load(self, others: Container[str]) -> None:
        """Take over what is held on a restored state, where ``others`` are on their way to a node by an attempt."""
        pods = self._world.pods
        held = ((key, node) for key, node in self._world.cluster.placements.items() if key not in others)
        self.nodes = {key: node for key, node in held if key in pods and not pods[key].node_name}

    def look(self) -> None:
        """After a step: bind the pods whose claims have their volumes now, and let go of those that no longer wait."""
        if not self.nodes or self._looked_at == self._world.changes:
            return
        for key, node, reason in list(self._no_longer()):
            del self.nodes[key]
            if reason:
                self._let_go(key, node, reason)
            elif not self._world.pods[key].node_name:
                self._bind(key, node)
        self._looked_at = self._world.changes

    def _no_longer(self) -> Iterator[tuple[str, str, str]]:
        """(pod, node, why it is let go, "" where it has its node) of those that no longer wait."""
        cluster, pods = self._world.cluster, self._world.pods
        for key, node in self.nodes.items():
            pod = pods.get(key)
            if pod is None:
                yield key, node, "the pod was deleted"
            elif pod.node_name:
                yield key, node, ""
            elif node not in cluster.table.row_of:
                yield key, node, "its node is gone"
            elif node_decided(pod, cluster.listers.claims) != node:
                claims = [cluster.listers.claims.get(use.key) for use in claim_uses(pod)]
                has_all = all(claim is not None and claim.volume_name for claim in claims)
                yield key, node, "" if has_all else "its claims no longer wait for that node"

    def _let_go(self, key: str, node: str, reason: str) -> None:
        world = self._world
        info = world.cluster.drop_pod(key)
        world.changes += 1
        outer = world.context.cause
        world.context.cause = world.emit(
            ev.Unreserved(at=world.now(), cycle=NO_CYCLE, pod=key, node=node, reason=reason)
        )
        self._freed(msgspec.structs.replace(info.pod, node_name=node))
        if (pod := world.pods.get(key)) is not None:
            self._waiting(pod)
        world.context.cause = outer

    def _bind(self, key: str, node: str) -> None:
        world = self._world
        pod = world.pods[key]
        bound = msgspec.structs.replace(pod, node_name=node, phase="Running", start_time=world.wall_time())
        world.context.cause = world.emit(ev.Bound(at=world.now(), cycle=NO_CYCLE, pod=key, node=node))
        world.bind_pod(pod, world.cluster.info(bound))
        world.context.cause = NO_CAUSE

    def _has_room(self, info: PodInfo, node: str) -> bool:
        cluster = self._world.cluster
        row = cluster.table.row_of.get(node)
        if row is None:
            return False
        view = cluster.view(row)
        asked = ((name, amount) for name, amount in info.cls.requests.items() if amount)
        return view.pod_count < view.allowed_pods and all(
            view.requested(name) + amount <= view.allocatable(name) for name, amount in asked
        )


def _waits(pod: Pod) -> bool:
    return not pod.node_name and pod.deletion_timestamp is None
