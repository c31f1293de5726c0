"""Why a node was refused, computed from the pod, the node and its sums alone, for pages without a restored state.

The plugins give their facts on a cluster of this node alone, so this works only for plugins that read no pods. For
NodeResourcesFit, which reads only sums, see shortfalls.py.
"""

from __future__ import annotations

from typing import Any

from scheduler_core.api.objects import Node, Pod, Resources
from scheduler_core.api.resources import pod_requests
from scheduler_core.columns.cluster import Cluster
from scheduler_core.explain.facts.model import ToldFact, joined
from scheduler_core.explain.facts.texts import text
from scheduler_core.explain.shortfalls import NodeSituation, shortfalls
from scheduler_core.framework.contracts.facts import Facts
from scheduler_core.framework.contracts.plugin import FilterPlugin
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.plugins.node_affinity import NodeAffinity
from scheduler_core.plugins.node_name import NodeName
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit
from scheduler_core.plugins.node_unschedulable import NodeUnschedulable
from scheduler_core.plugins.taint_toleration import TaintToleration
from scheduler_core.profiles.args import decode_args

_READ_NO_PODS: dict[str, type[FilterPlugin[Any]]] = {
    plugin.name: plugin for plugin in (TaintToleration, NodeAffinity, NodeUnschedulable, NodeName)
}


def explain_refusal(
    plugin: str, pod: Pod, situation: NodeSituation, requests: Resources | None = None
) -> tuple[str, ...]:
    """What stands against the pod, one sentence part each; none where the two objects alone do not show it.

    ``requests``: those that are compared with the node (``checked_requests``); without them, all of the pod's.
    """
    if plugin == NodeResourcesFit.name:
        return tuple(map(text, shortfalls(pod_requests(pod) if requests is None else requests, situation)))
    if plugin not in _READ_NO_PODS:
        return ()
    # A refusal by the profile's addedAffinity is not in the pod, so there is nothing to say here.
    against = [fact for fact in _facts(_READ_NO_PODS[plugin], pod, situation.node) if fact.refuses]
    sentence = joined(tuple(ToldFact(fact, text(fact)) for fact in against))
    return (sentence,) if sentence else ()


def _facts(plugin_type: type[FilterPlugin[Any]], pod: Pod, node: Node) -> Facts:
    """The facts of the plugin about the node, under its default arguments."""
    cluster = Cluster()
    handle = Framework("", RunContext(cluster))
    row = cluster.put_node(node)
    plugin = plugin_type(decode_args(plugin_type.Args, {}), handle)
    return plugin.filter_facts(None, cluster.info(pod), cluster.view(row))
