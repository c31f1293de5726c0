"""A cluster at rest, as capacity is asked: placed pods stay where they are, and nothing of the waiting ones was tried.

``changed`` adds nodes, each with the pods of its DaemonSets, and takes nodes away; ``placed`` then has the engine place
pods one after the other, each beside those before it. All is undone at the end of the context, so that an answer is the
same whatever was asked before. Of nodes with equal totals the one of the smallest name is taken, so that answers do not
hang on a draw; nobody is preempted and no owner replaces pods.

``whole_run`` is the same question as a run from its beginning: the proof of an answer.

Cost: an attempt as in a run, with the engine's caches; a change of n nodes O(n + their pods).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import msgspec
from msgspec.structs import replace

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.objects import ClusterObjects, Node, Pod, Workload
from scheduler_core.controllers.daemons import pinned, wants
from scheduler_core.controllers.implied import implied_workloads
from scheduler_core.controllers.owned import controlling_owner, is_static
from scheduler_core.engine.inputs import RunInputs, with_uid
from scheduler_core.engine.simulation import Simulation
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.profiles.build import build_frameworks
from scheduler_core.queue.types import ACTIVE
from scheduler_core.workloads.timeline import Timeline


class RestingCluster:
    """The state of a cluster before anything that waits is tried. ``waiting`` are the pods that would be tried, in the
    queue's order; gated ones and those of other schedulers are not among them. One thread at a time. Raises
    ProfileError for a configuration that cannot work."""

    def __init__(self, inputs: RunInputs) -> None:
        self.inputs = _resting(inputs)
        self.nodes = {node.name: node for node in self.inputs.objects.nodes}
        """The nodes that are there, by name."""
        self.simulation = _begun(self.inputs)
        self.simulation.step()
        self.trials = Trials(self.simulation)
        self.waiting = tuple([queued.pod for queued in self.simulation.queue.entries(ACTIVE)])
        self.daemon_sets = _daemon_sets(inputs.objects)
        self._position = {pod.key: i for i, pod in enumerate(inputs.objects.pods)}

    def pods_on(self, node: str) -> list[Pod]:
        """The pods on a node."""
        return [self.simulation.world.pods[key] for key in self.simulation.context.cluster.pods_of(node)]

    def daemons_of(self, node: Node) -> list[Pod]:
        """The pods that DaemonSets put on a new node."""
        return [
            replace(pinned(one.template, node.name), name=f"{one.name}-{node.name}", namespace=one.namespace,
                    uid=f"{one.key}/{node.name}", node_name=node.name)
            for one in self.daemon_sets if wants(one, node)[0]
        ]  # fmt: skip

    @contextmanager
    def changed(self, added: Sequence[Node] = (), gone: Collection[str] = ()) -> Iterator[list[Pod]]:
        """The cluster with these nodes more, and without those of these names. Gives the pods that the latter had and
        that go to other nodes, without their node, in the queue's order; pods of DaemonSets, static pods and those
        that terminate go with their node."""
        cluster, world = self.simulation.context.cluster, self.simulation.world
        with ExitStack() as stack:
            for node in added:
                cluster.put_node(node)
                stack.callback(cluster.drop_node, node.name)
                for pod in self.daemons_of(node):
                    self.put(stack, pod, node.name)
            moving: list[Pod] = []
            for name in gone:
                node, pods = self.nodes[name], self.pods_on(name)
                stack.callback(cluster.put_node, node)
                for pod in pods:
                    stack.callback(cluster.put_pod, cluster.drop_pod(pod.key), name)
                    stack.callback(world.pods.__setitem__, pod.key, pod)
                    if goes_with_node(pod):
                        del world.pods[pod.key]
                    else:
                        world.pods[pod.key] = unbound = without_node(pod)
                        moving.append(unbound)
                cluster.drop_node(name)
            stack.callback(self._look_again)
            self._look_again()
            yield sorted(moving, key=lambda pod: (-pod.priority, self._position[pod.key]))

    def _look_again(self) -> None:
        """Have trials name the nodes that are there now."""
        self.trials = Trials(self.simulation)

    @contextmanager
    def placed(self, pods: Iterable[Pod]) -> Iterator[dict[str, str]]:
        """{pod: node} of those of the pods that find a node, tried in this order; they are there until the end."""
        cluster, nodes_of, waiting = self.simulation.context.cluster, dict[str, str](), list(pods)
        with ExitStack() as stack:
            while waiting:
                left: list[Pod] = []
                for pod in waiting:
                    if node := self.node_for(pod):
                        self.put(stack, pod, node)
                        nodes_of[pod.key] = node
                    else:
                        left.append(pod)
                if len(left) == len(waiting) or not any(map(may_follow, left)):
                    break
                waiting = left
            yield nodes_of
        assert not any(key in cluster.pods for key in nodes_of)

    def where(self, pods: Sequence[Pod], added: Sequence[Node] = (), gone: Collection[str] = ()) -> dict[str, str]:
        """{pod: node} of those of the pods that find a node in the cluster with these nodes more and without those.
        Where a pod's volumes or devices are taken with its placement, which an attempt alone does not do, by a whole
        run."""
        if any(map(self._takes_more, pods)):
            nodes_of = whole_run(self, added, gone, {pod.key for pod in pods})
            return {pod.key: node for pod in pods if (node := nodes_of.get(pod.key, ""))}
        with self.changed(added, gone), self.placed(pods) as nodes_of:
            return dict(nodes_of)

    def _takes_more(self, pod: Pod) -> bool:
        claims = self.simulation.context.cluster.listers.claims
        named = (claims.get(f"{pod.namespace}/{volume.claim_name}") for volume in pod.volumes if volume.claim_name)
        is_unbound = any(claim is not None and not claim.volume_name for claim in named)
        return is_unbound or bool(pod.resource_claims) or any(volume.ephemeral for volume in pod.volumes)

    def node_for(self, pod: Pod) -> str:
        """The node that the engine gives the pod, "" for none."""
        return self.trials.attempt_pod(pod).node if self.decides(pod) else ""

    def decides(self, pod: Pod) -> bool:
        """Whether the pod's scheduler is one of the configuration's."""
        return pod.scheduler_name in self.simulation.frameworks

    def put(self, stack: ExitStack, pod: Pod, node: str) -> None:
        """Have a pod on a node until the stack closes."""
        cluster, pods = self.simulation.context.cluster, self.simulation.world.pods
        if pod.key not in pods:
            pods[pod.key] = pod
            stack.callback(pods.pop, pod.key)
        cluster.put_pod(cluster.info(pod), node)
        stack.callback(cluster.drop_pod, pod.key)


def whole_run(
    resting: RestingCluster, added: Sequence[Node] = (), gone: Collection[str] = (), pods: Collection[str] | None = None
) -> dict[str, str]:
    """{pod: node} at the end of a run from the beginning with these nodes more and without those; "" for a pod that
    waits. Of those that wait in the inputs only these ``pods`` take part (None: all)."""
    objects = resting.inputs.objects
    there: list[Pod] = []
    for pod in objects.pods:
        if not pod.node_name:
            there += [pod] if pods is None or pod.key in pods else []
        elif pod.node_name not in gone:
            there.append(pod)
        elif not goes_with_node(pod):
            there.append(without_node(pod))
    daemons = [pod for node in added for pod in resting.daemons_of(node)]
    nodes = [*(node for node in objects.nodes if node.name not in gone), *added]
    changed = replace(objects, nodes=nodes, pods=[*there, *daemons])
    simulation = _begun(replace(resting.inputs, objects=changed))
    while simulation.step():
        pass
    return {pod.key: pod.node_name for pod in simulation.world.pods.values()}


def goes_with_node(pod: Pod) -> bool:
    """Whether the pod goes with its node: a static one, one of a DaemonSet, or one that terminates anyway."""
    owner = controlling_owner(pod)
    is_daemon = owner is not None and owner.kind == "DaemonSet"
    return is_daemon or is_static(pod) or pod.deletion_timestamp is not None


def without_node(pod: Pod) -> Pod:
    """The pod as its successor comes: without node and nomination."""
    return with_uid(replace(pod, node_name="", nominated_node_name="", phase="Pending", scheduling_gates=()), pod.key)


def may_follow(pod: Pod) -> bool:
    """Whether another pod's placement may let the pod in that found no node."""
    affinity = pod.affinity
    return bool(affinity and affinity.pod_required) or bool(pod.topology_spread_constraints)


def _resting(inputs: RunInputs) -> RunInputs:
    policies = replace(
        inputs.policies,
        **dict.fromkeys(("owners", "rollouts", "quotas", "limit_ranges"), "ignore"),
        node_search="all",
        draw="smallest",
        terminating="stay",
    )
    return replace(inputs, policies=policies, schedule="pending", timeline=Timeline(), changes=())


def _begun(inputs: RunInputs) -> Simulation:
    def make(configuration: SchedulerConfiguration, context: RunContext) -> dict[str, Framework]:
        frameworks = build_frameworks(configuration, context)
        for framework in frameworks.values():
            framework.points = msgspec.structs.replace(framework.points, post_filter=[])
        return frameworks

    return Simulation(inputs, make)


def _daemon_sets(objects: ClusterObjects) -> tuple[Workload, ...]:
    """The DaemonSets of the objects; of one of which only pods are known, its template without the pin to a node."""
    declared = [one for one in objects.workloads if one.kind == "DaemonSet"]
    keys = {one.key for one in objects.workloads}
    implied = [one for one in implied_workloads(objects.pods, keys) if one.kind == "DaemonSet"]
    return (*declared, *(_unpinned(one) for one in implied))


def _unpinned(workload: Workload) -> Workload:
    template = workload.template
    affinity = replace(template.affinity, node_required=None) if template.affinity else None
    return replace(workload, is_implied=False, template=replace(template, affinity=affinity))
