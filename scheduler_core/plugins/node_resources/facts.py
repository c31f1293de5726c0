"""The numbers behind NodeResourcesFit's verdicts and the scores by resources, for one node."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from scheduler_core.api.resources import CPU, EPHEMERAL_STORAGE, MEMORY, PODS
from scheduler_core.columns.node_view import NodeView
from scheduler_core.framework.contracts.facts import Facts, Holder, ResourceFact, ShareFact
from scheduler_core.plugins.node_resources.allocation import ScoredResources, named_shares
from scheduler_core.plugins.node_resources.strategies import Strategy


def resource_facts(needs: Iterable[tuple[str, int]], node: NodeView, placed: Collection[str]) -> Facts:
    """The number of pods, then each need; pods of the view that are not ``placed`` are nominated to the node."""
    counted = [Holder(key, 1, info.pod.priority, key not in placed) for key, info in node.pods.items()]
    facts = [_fact(PODS, 1, node.allowed_pods, node.pod_count, counted)]
    for name, asked in needs:
        holders = [
            Holder(key, amount, info.pod.priority, key not in placed)
            for key, info in node.pods.items()
            if (amount := info.cls.requests.get(name, 0)) > 0
        ]
        facts.append(_fact(name, asked, node.allocatable(name), node.requested(name), holders))
    return tuple(facts)


def _fact(name: str, asked: int, allocatable: int, requested: int, holders: list[Holder]) -> ResourceFact:
    return ResourceFact(
        code=_code(name, allocatable),
        resource=name,
        asked=asked,
        allocatable=allocatable,
        requested=requested,
        promised=sum(holder.amount for holder in holders if holder.promised),
        holders=tuple(sorted(holders, key=lambda holder: (-holder.amount, holder.pod))),
        refuses=asked > allocatable - requested,
    )


_CODES = {PODS: "SHORT_PODS", CPU: "SHORT_CPU", MEMORY: "SHORT_MEMORY", EPHEMERAL_STORAGE: "SHORT_EPHEMERAL"}


def _code(name: str, allocatable: int) -> str:
    """Which obstacle a lack of the resource is; of devices and the like a node may offer none at all."""
    return _CODES.get(name) or ("SHORT_RESOURCE" if allocatable else "NOT_OFFERED")


def share_facts(state: ScoredResources, node: NodeView, strategy: Strategy | None) -> Facts:
    """What is requested of each scored resource with the pod; ``points`` by the strategy of that resource alone."""
    return tuple(
        ShareFact(
            resource=resource.name,
            asked=resource.request,
            requested=share.requested,
            allocatable=share.allocatable,
            weight=share.weight,
            points=None if strategy is None else strategy.of_node([share]),
        )
        for resource, share in named_shares(node, state)
    )
