"""What the framework gives to every plugin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from scheduler_core.api.objects import Pod
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.behaviours import Behaviours
from scheduler_core.framework.contracts.cycle_state import Cycle
from scheduler_core.framework.contracts.status import Status
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import ReasonTable


class WaitingPod(Protocol):
    """A pod held by Permit, as other plugins may see and decide it."""

    @property
    def pod(self) -> PodInfo: ...
    @property
    def node_name(self) -> str: ...
    def pending_plugins(self) -> tuple[str, ...]: ...
    def allow(self, plugin: str) -> None: ...
    def reject(self, plugin: str, message: str) -> None: ...


class NodeFilter(Protocol):
    """What preemption asks of a filter: its facts, and its verdict on one node."""

    @property
    def name(self) -> str: ...
    @property
    def traits(self) -> Traits: ...
    def filter_node(self, state: Any, pod: PodInfo, node: NodeView) -> Status: ...


class Handle(Protocol):
    """What the framework gives to every plugin."""

    @property
    def cluster(self) -> Cluster: ...
    @property
    def reasons(self) -> ReasonTable: ...
    @property
    def now(self) -> int:
        """Virtual time in microseconds."""
        ...

    def pods(self) -> Mapping[str, Pod]:
        """Every pod that is known, pending and bound, by key; live, not to be changed."""
        ...

    def nominated_pods(self, node_name: str) -> list[PodInfo]:
        """Pending pods nominated to the node, in the order of nomination."""
        ...

    def nominated_nodes(self) -> Iterable[str]:
        """Names of the nodes that pending pods are nominated to."""
        ...

    @property
    def keeping(self) -> bool:
        """Whether answers may be kept from cycle to cycle; a run without does and records the same."""
        ...

    @property
    def preemption_candidates_all(self) -> bool:
        """Whether preemption looks at every potential node (policy), or only until there are enough candidates."""
        ...

    @property
    def behaviours(self) -> Behaviours:
        """Which of the reference's behaviours the run follows, where its versions differ."""
        ...

    @property
    def nomination_log(self) -> Sequence[str] | None:
        """Names of the nodes whose nominations changed, in order; None where nobody keeps a log."""
        ...

    def waiting_pods(self) -> list[WaitingPod]: ...
    def activate(self, pods: Iterable[Pod]) -> None:
        """Ask the queue to move these pods to activeQ after this step (framework PodsToActivate)."""
        ...

    def active_filters(self, cycle: Cycle) -> Sequence[NodeFilter]:
        """Filter plugins that were not skipped by their PreFilter, in order."""
        ...

    def clone_cycle(self, cycle: Cycle) -> Cycle:
        """A copy whose PreFilter states pre_filter_add and pre_filter_remove may change."""
        ...

    def run_filters_with_nominated(self, cycle: Cycle, pod: PodInfo, node: NodeView) -> Status:
        """The filters on one node view, with and without nominated pods (RunFilterPluginsWithNominatedPods)."""
        ...

    def pre_filter_add(self, cycle: Cycle, pod: PodInfo, other: PodInfo, node: NodeView) -> Status: ...
    def pre_filter_remove(self, cycle: Cycle, pod: PodInfo, other: PodInfo, node: NodeView) -> Status: ...
    def draw(self, purpose: str, n: int) -> int:
        """A number in [0, n) from the seed, the cycle and the purpose alone (0 under the policy of smallest names)."""
        ...
