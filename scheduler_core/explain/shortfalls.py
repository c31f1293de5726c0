"""What a node lacks for a pod, in numbers, with the nominated pods counted that the filter phase counts."""

from __future__ import annotations

import msgspec

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.objects import Node, Pod, Resources
from scheduler_core.api.resources import CPU, EPHEMERAL_STORAGE, MEMORY, PODS, pod_requests
from scheduler_core.explain.facts.amounts import amounts
from scheduler_core.explain.facts.texts import text
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


class Shortfall(msgspec.Struct, frozen=True):
    """A resource that does not suffice: canonical integers (cpu in thousandths, others whole units).

    ``free`` is what pods on the node leave of ``allocatable``; ``promised`` is what nominated pods will take of that.
    """

    resource: str
    needs: int
    free: int
    allocatable: int
    promised: int = 0

    @property
    def missing(self) -> int:
        """How much would have to be freed, or added where the node is too small."""
        return self.needs - self.free + self.promised

    @property
    def is_too_small(self) -> bool:
        """Whether even the empty node would not do."""
        return self.needs > self.allocatable

    @property
    def is_promised_away(self) -> bool:
        """Whether the node would do when empty, but not with its nominated pods: freeing alone does not help."""
        return not self.is_too_small and self.needs > self.allocatable - self.promised

    @property
    def room(self) -> float:
        """How much is missing in parts of what is needed; above 1 where pods of more than that size are in the way."""
        return self.missing / self.needs if self.needs else 0.0

    def text(self) -> str:
        """ "short of 0.5 cpu: needs 6, 5.5 free"; all amounts in one unit"""
        requested = self.allocatable - self.free + self.promised
        return text(
            ResourceFact(
                resource=self.resource,
                asked=self.needs,
                allocatable=self.allocatable,
                requested=requested,
                promised=self.promised,
                refuses=True,
            )
        )

    def remedy(self) -> str:
        """The change of this resource alone that would let the pod fit, as a request: "make room for 0.5 cpu on it"."""
        name, fits = self.resource, self.free - self.promised
        if self.is_too_small:
            return f"ask for at most {self._amount(fits)} {name}" if fits > 0 else f"ask for less {name}"
        if self.is_promised_away:
            gap = self.needs - self.free
            more = f", and make room for {self._amount(gap)} {name}" if gap > 0 else ""
            return f"let its nominated pods go elsewhere{more}"
        return f"make room for {self._amount(self.missing)} {name} on it"

    def _amount(self, value: int) -> str:
        """The amount in the unit of all amounts here, since one sentence compares them: cpu in cores."""
        return amounts(self.resource, value, self.needs, self.free, self.allocatable, self.promised)[0]


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


def shortfalls(requests: Resources, situation: NodeSituation) -> tuple[Shortfall, ...]:
    """Resources that do not suffice, in the order of NodeResourcesFit, the node's nominated pods counted in."""
    amounts = {PODS: 1, **{name: value for name, value in requests.items() if value > 0}}
    lacking = []
    for name in sorted(amounts, key=_sort_key):
        needs, whole = amounts[name], situation.node.allocatable.get(name, 0)
        is_pods = name == PODS
        free = whole - (situation.pod_count if is_pods else situation.requested.get(name, 0))
        promised = situation.nominated if is_pods else situation.promised.get(name, 0)
        if needs > free - promised:
            lacking.append(Shortfall(name, needs, free, whole, promised))
    return tuple(lacking)


def _sort_key(resource: str) -> tuple[int, str]:
    """Pods, then the resources that every node has, then the others by name."""
    return (_FIRST.index(resource) if resource in _FIRST else len(_FIRST), resource)
