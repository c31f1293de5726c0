"""Names of plugins that answers and pages treat in a way of their own, from their classes.

What may not import plugins (the dashboard) takes them from here; all else about a plugin is looked up in
obstacle_kinds.py.
"""

from __future__ import annotations

from scheduler_core.plugins.default_preemption import DefaultPreemption
from scheduler_core.plugins.dynamic_resources import DynamicResources
from scheduler_core.plugins.generic_preemption import GenericPreemption
from scheduler_core.plugins.inter_pod_affinity import InterPodAffinity
from scheduler_core.plugins.node_affinity import NodeAffinity
from scheduler_core.plugins.node_name import NodeName
from scheduler_core.plugins.node_ports import NodePorts
from scheduler_core.plugins.node_resources import NodeResourcesBalancedAllocation, NodeResourcesFit
from scheduler_core.plugins.node_unschedulable import NodeUnschedulable
from scheduler_core.plugins.node_volume_limits import NodeVolumeLimits
from scheduler_core.plugins.pod_topology_spread import PodTopologySpread
from scheduler_core.plugins.scheduling_gates import SchedulingGates
from scheduler_core.plugins.taint_toleration import TaintToleration
from scheduler_core.plugins.volume_binding import VolumeBinding
from scheduler_core.plugins.volume_restrictions import VolumeRestrictions
from scheduler_core.plugins.volume_zone import VolumeZone

FIT = NodeResourcesFit.name
BALANCED = NodeResourcesBalancedAllocation.name
PREEMPTION = DefaultPreemption.name
PREEMPTING = (DefaultPreemption.name, GenericPreemption.name)
"""The PostFilter plugins of kube-scheduler that preempt, today's and a former one's."""
SELECTING = (NodeAffinity.name, NodeName.name)
"""The filters by which a pod selects its nodes."""
AFFINITY, TAINTS, CORDON = NodeAffinity.name, TaintToleration.name, NodeUnschedulable.name
GATES, DEVICES = SchedulingGates.name, DynamicResources.name
PORTS, SPREAD, PODS_NEAR = NodePorts.name, PodTopologySpread.name, InterPodAffinity.name
VOLUME_BINDING = VolumeBinding.name
VOLUMES = frozenset((VOLUME_BINDING, VolumeZone.name, NodeVolumeLimits.name, VolumeRestrictions.name))
