"""Preemption by a plugin that says only whether a pod fits."""

from __future__ import annotations

from scheduler_core.api.objects import PodDisruptionBudget
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.plugin import FilterPlugin, NoArgs
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.contracts.status import SUCCESS, unschedulable
from scheduler_core.framework.runtime.filter_phase import FilterPhase
from scheduler_core.framework.runtime.framework import Framework, PluginPoints
from scheduler_core.framework.runtime.pre_filter_phase import run_pre_filter
from scheduler_core.plugins.default_preemption import DefaultPreemptionArgs
from scheduler_core.plugins.generic_preemption import GenericPreemption
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit
from scheduler_core.plugins.node_resources.fit_args import NodeResourcesFitArgs
from scheduler_core.plugins.taint_toleration import TaintToleration
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from tests.scheduler_core.plugins.generated import app_is

HIGH = make_pod("high", cpu="2", priority=10)


GUARD = PodDisruptionBudget(name="guard", selector=app_is("web"), disruptions_allowed=0)


class RefusesAtFirst(FilterPlugin[NoArgs]):
    """Refuses all nodes in the search, and none when preemption tries them."""

    name, Args = "RefusesAtFirst", NoArgs
    searching = True

    def filter_node(self, state, pod, node):
        return unschedulable("not now") if self.searching else SUCCESS


def victim(name, priority=0, cpu="1", start=100.0, app="web", **fields):
    labels = {"app": app} if app else {}
    return make_pod(name, cpu=cpu, priority=priority, start_time=start, labels=labels, **fields)


def preempt(placed, pod=HIGH, nodes=None, objects=(), plugin_type=GenericPreemption, nominated=None):
    cluster = make_cluster(nodes or [make_node(name, cpu="2") for name in placed], placed, objects)
    context = RunContext(cluster, draw_smallest=True)
    by_node = {name: [cluster.info(p) for p in pods] for name, pods in (nominated or {}).items()}
    context.nominated_pods, context.nominated_nodes = (lambda name: by_node.get(name, [])), by_node.keys
    framework = Framework("test", context)
    fit = NodeResourcesFit(NodeResourcesFitArgs(), framework)
    taints = TaintToleration(NoArgs(), framework)
    moody = RefusesAtFirst(NoArgs(), framework)
    args = NoArgs() if plugin_type is GenericPreemption else DefaultPreemptionArgs()
    plugin = plugin_type(args, framework)
    points = PluginPoints(pre_filter=[fit], filter=[taints, fit, moody], post_filter=[plugin])
    framework.install({p.name: p for p in (taints, fit, moody, plugin)}, points)
    info, cycle = cluster.info(pod), CycleState(1)
    search = FilterPhase(framework)
    outcome = search.run(cycle, info, run_pre_filter(framework, cycle, info))
    moody.searching = False
    return plugin.post_filter(cycle, info, outcome)
