"""What a node lacks for a pod, in numbers, with the nominated pods counted that the filter phase counts."""

from __future__ import annotations

import msgspec

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.objects import Node, Pod, Resources
from scheduler_core.api.resources import CPU, EPHEMERAL_STORAGE, MEMORY, PODS, pod_requests
from scheduler_core.framework.contracts.facts import ResourceFact
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit, needs
from scheduler_core.profiles.args import decode_args

_FIRST = (PODS, CPU, MEMORY, EPHEMERAL_STORAGE)


class NodeSituation(msgspec.Struct, frozen=True):
    """A node as it was: its object, the sums of the requests on it, and how many pods it held.

    ``promised`` are the sums of the requests of its ``nominated`` pods, those that count against the pod in question.
    """

    node: Node
    requested: Resources
    pod_count: int
    promised: Resources = {}
    nominated: int = 0


def counts_against(pod: Pod, nominated: Pod) -> bool:
    """Whether a pod that is nominated to a node counts there when ``pod`` is filtered.

    As in addNominatedPods of kube-scheduler (schedule_one.go and framework/runtime): another pod, of equal or higher
    priority. The node has to pass with these pods and without them; for resources the first is the harder.
    """
    is_same = (nominated.namespace, nominated.name) == (pod.namespace, pod.name)
    return not is_same and nominated.priority >= pod.priority


def checked_requests(pod: Pod, configuration: SchedulerConfiguration) -> Resources:
    """The requests that NodeResourcesFit compares with nodes: its arguments in the pod's profile may ignore some.

    Canonical integers, cpu in thousandths. Raises ValueError for arguments that cannot be read.
    """
    of_pod = (p.plugin_config for p in configuration.profiles if p.scheduler_name == pod.scheduler_name)
    raw = next(of_pod, {}).get(NodeResourcesFit.name, {})
    return dict(needs(pod_requests(pod), decode_args(NodeResourcesFit.Args, raw)))


def shortfalls(requests: Resources, situation: NodeSituation) -> tuple[ResourceFact, ...]:
    """Resources that do not suffice, in the order of NodeResourcesFit, the node's nominated pods counted in."""
    amounts = {PODS: 1, **{name: value for name, value in requests.items() if value > 0}}
    lacking = []
    for name in sorted(amounts, key=_sort_key):
        is_pods = name == PODS
        promised = situation.nominated if is_pods else situation.promised.get(name, 0)
        used = promised + (situation.pod_count if is_pods else situation.requested.get(name, 0))
        whole = situation.node.allocatable.get(name, 0)
        if amounts[name] > whole - used:
            fact = ResourceFact(
                resource=name,
                asked=amounts[name],
                allocatable=whole,
                requested=used,
                promised=promised,
                refuses=True,
            )
            lacking.append(fact)
    return tuple(lacking)


def _sort_key(resource: str) -> tuple[int, str]:
    """Pods, then the resources that every node has, then the others by name."""
    return (_FIRST.index(resource) if resource in _FIRST else len(_FIRST), resource)
