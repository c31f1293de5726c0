"""What the framework gives to every plugin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.contracts.status import Status
from scheduler_core.framework.contracts.traits import Traits


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
    def run(self) -> RunContext:
        """What all profiles of the run share: clock, table of reasons, pods, nominations, waiting pods, draws."""
        ...

    def active_filters(self, cycle: CycleState) -> Sequence[NodeFilter]:
        """Filter plugins that were not skipped by their PreFilter, in order."""
        ...

    def clone_cycle(self, cycle: CycleState) -> CycleState:
        """A copy whose PreFilter states pre_filter_add and pre_filter_remove may change."""
        ...

    def run_filters_with_nominated(self, cycle: CycleState, pod: PodInfo, node: NodeView) -> Status:
        """The filters on one node view, with and without nominated pods (RunFilterPluginsWithNominatedPods)."""
        ...

    def pre_filter_add(self, cycle: CycleState, pod: PodInfo, other: PodInfo, node: NodeView) -> Status: ...
    def pre_filter_remove(self, cycle: CycleState, pod: PodInfo, other: PodInfo, node: NodeView) -> Status: ...
