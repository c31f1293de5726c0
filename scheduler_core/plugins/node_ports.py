"""Refuses nodes on which a host port of the pod is in use.

Mirrors the upstream plugin NodePorts of v1.34 (plugins/nodeports). Which ports are in use the cluster says, as upstream
does: when two pods of a node hold the same host port and one leaves, the port counts as free.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from scheduler_core.api.objects import ContainerPort, Pod
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import ALL_ADDRESSES, HostPort, PodInfo, host_port, host_ports
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.facts import Facts, PortFact
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import (
    EnqueueExtension,
    FilterPlugin,
    NoArgs,
    PreFilterPlugin,
    PreFilterResult,
)
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, Code, Status, unschedulable
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import Rows, Verdicts

REASON = "node(s) didn't have free ports for the requested pod ports"

Ports = tuple[ContainerPort, ...]


class NodePorts(PreFilterPlugin[NoArgs], FilterPlugin[NoArgs], EnqueueExtension[NoArgs]):
    """Counts, per wanted set of ports, the placed pods that hold a conflicting one."""

    name = "NodePorts"
    title = "A host port that is needed is taken"
    obstacles = kinds("PORT_TAKEN")
    wakes = ("Pod delete", "Node add")
    Args = NoArgs
    traits = Traits(node_local=True)
    without_pre_filter = 'reading "PreFilterNodePorts" from cycleState: not found'

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """Pods being deleted, and nodes being added."""
        return (
            EventWithHint(ClusterEvent(Resource.POD, ActionType.DELETE), _after_pod_deleted),
            EventWithHint(ClusterEvent(Resource.NODE, ActionType.ADD)),
        )

    def pre_filter(self, cycle: CycleState, pod: PodInfo) -> PreFilterResult:
        """SKIP without host ports."""
        ports = pod.cls.host_ports
        return PreFilterResult(SUCCESS if ports else SKIP, state=ports, cacheable=True)

    def filter_node(self, state: Ports, pod: PodInfo, node: NodeView) -> Status:
        """Whether no host port in use on the node conflicts."""
        return unschedulable(REASON) if _conflict(state, node.host_ports()) else SUCCESS

    def filter_facts(self, state: Ports, pod: PodInfo, node: NodeView) -> Facts:
        """Each host port that the pod wants, and who holds it."""
        return tuple(_port_fact(port, node) for port in state)

    def filter(self, state: Ports, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """Rows with a pod that holds a conflicting port, unless it counts as free there."""
        ports = tuple(sorted({(p.host_port, p.protocol, p.host_ip) for p in state}))
        cluster = self.handle.cluster
        tally = cluster.tally(
            ("host ports", ports),
            lambda cls: int(_conflict(state, cls.held_ports)),
            lambda first: [cls for cls in cluster.classes.all[first:] if cls.host_ports],
        )
        if not tally.total:
            return None
        conflicts = tally.counts > 0
        for name in cluster.freed_ports:
            row = cluster.table.row_of.get(name)
            if row is not None:
                conflicts[row] = _conflict(state, cluster.ports_on(row))
        taken = conflicts.take(rows)
        reason = self.handle.run.reasons.intern((REASON,))
        return Verdicts(taken.astype(np.uint8) * np.uint8(Code.UNSCHEDULABLE), taken.astype(np.int32) * reason)


def _conflict(ports: Iterable[ContainerPort], used: Collection[HostPort]) -> bool:
    """Whether a wanted port is held already (framework HostPortInfo.CheckConflict)."""
    return any(_collides(host_port(port), held) for port in ports for held in used)


def _collides(port: HostPort, held: HostPort) -> bool:
    """Whether two host ports are the same number and protocol on an address that they share."""
    return port[1:] == held[1:] and (port[0] == held[0] or ALL_ADDRESSES in (port[0], held[0]))


def _port_fact(port: ContainerPort, node: NodeView) -> PortFact:
    """The port with the pod that holds it; a port that counts as free has no holder (see the module)."""
    asked = host_port(port)
    in_use = [held for held in sorted(node.host_ports()) if _collides(asked, held)]
    held = in_use[0] if in_use else None
    holder = next((key for key, info in node.pods.items() if held in info.cls.held_ports), "")
    return PortFact(
        port=asked[2],
        protocol=asked[1],
        address=asked[0],
        holder=holder,
        held_address=held[0] if held else "",
        refuses=held is not None,
    )


def _after_pod_deleted(pod: Pod, old: Pod, new: Pod | None) -> Hint:
    """Queue when the pod that went held or was to hold a port that this one wants."""
    if not old.node_name and not old.nominated_node_name:
        return Hint.SKIP
    return Hint.QUEUE if _conflict(host_ports(pod), set(map(host_port, host_ports(old)))) else Hint.SKIP
