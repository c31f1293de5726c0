"""Names of plugins that answers and pages treat in a way of their own, from their classes.

Whoever may not import plugins (the dashboard) takes them from here; whatever else is said of a plugin is looked up in
obstacle_kinds.py.
"""

from __future__ import annotations

from scheduler_core.plugins.default_preemption import DefaultPreemption
from scheduler_core.plugins.generic_preemption import GenericPreemption
from scheduler_core.plugins.node_affinity import NodeAffinity
from scheduler_core.plugins.node_name import NodeName
from scheduler_core.plugins.node_resources import NodeResourcesBalancedAllocation, NodeResourcesFit
from scheduler_core.plugins.scheduling_gates import SchedulingGates

FIT = NodeResourcesFit.name
BALANCED = NodeResourcesBalancedAllocation.name
GATES = SchedulingGates.name
PREEMPTION = DefaultPreemption.name
PREEMPTING = (DefaultPreemption.name, GenericPreemption.name)
"""The PostFilter plugins of kube-scheduler that preempt, today's and a former one's."""
SELECTING = (NodeAffinity.name, NodeName.name)
"""The filters by which a pod selects its nodes."""
