"""DaemonSets: one pod per matching node, bound to it by node affinity (daemon_controller.go, util/daemonset_util.go).

A node wants a pod where the template's node name, node selector and required affinity match and its NoSchedule and
NoExecute taints are tolerated; a pod that is there stays in spite of new NoSchedule taints. A pod is replaced when it
is gone, not as soon as it terminates.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Affinity, Node, Pod, Workload
from scheduler_core.api.taints import Toleration
from scheduler_core.controllers.decision import Decision, Situation, WorkloadProgress
from scheduler_core.controllers.templates import new_pods, pod_template

_TAINT = "node.kubernetes.io/"
_TOLERATIONS = (
    Toleration(_TAINT + "not-ready", "Exists", "", "NoExecute"),
    Toleration(_TAINT + "unreachable", "Exists", "", "NoExecute"),
    Toleration(_TAINT + "disk-pressure", "Exists", "", "NoSchedule"),
    Toleration(_TAINT + "memory-pressure", "Exists", "", "NoSchedule"),
    Toleration(_TAINT + "pid-pressure", "Exists", "", "NoSchedule"),
    Toleration(_TAINT + "unschedulable", "Exists", "", "NoSchedule"),
)
_NETWORK_TOLERATION = Toleration(_TAINT + "network-unavailable", "Exists", "", "NoSchedule")


def decide(workload: Workload, progress: WorkloadProgress, situation: Situation) -> Decision:
    """Make and remove pods on the nodes to look at, and remove pending ones whose node is no more (manage)."""
    decision, templates = Decision(progress), []
    lost = {target_node(pod): pod for pod in situation.lost}
    for name, pods in situation.on_nodes.items():
        node = situation.nodes.get(name)
        if node is None:
            decision.remove += _removals([pod for pod in pods if not pod.node_name], f"node {name} is no more")
            continue
        should_run, should_stay = wants(workload, node, progress.nodes)
        if should_run and not pods:
            own = lost.get(name) if workload.is_implied else None
            templates.append(pinned(workload.template if own is None else pod_template(own), name))
            progress.replaced += name in lost
        elif not should_stay:
            decision.remove += _removals(pods, f"{workload.title} does not match node {name} any more")
    decision.make = new_pods(workload, templates, progress, situation)
    return decision


def _removals(pods: Iterable[Pod], why: str) -> list[tuple[str, str]]:
    return [(pod.key, why) for pod in pods if pod.deletion_timestamp is None]


def wants(workload: Workload, node: Node, nodes: Collection[str] = ()) -> tuple[bool, bool]:
    """Whether a pod should run on the node, and whether one that is there may stay (NodeShouldRunDaemonPod).

    An implied workload wants its own nodes and these ``nodes`` only.
    """
    pod = workload.template
    if workload.is_implied and node.name not in workload.nodes and node.name not in nodes:
        return False, True
    if not _matches(pod, node, pinned_too=not workload.is_implied):
        return False, False
    untolerated = [t.effect for t in node.taints if not any(one.tolerates(t) for one in pod.tolerations)]
    return not {"NoSchedule", "NoExecute"} & set(untolerated), "NoExecute" not in untolerated


def _matches(pod: Pod, node: Node, *, pinned_too: bool) -> bool:
    """Node name, node selector and required affinity; of an implied workload the affinity is the pin of one pod."""
    if pod.node_name and pod.node_name != node.name:
        return False
    if any(node.labels.get(k) != v for k, v in pod.node_selector.items()):
        return False
    required = pod.affinity.node_required if pod.affinity and pinned_too else None
    return required is None or required.matches(node.name, node.labels)


def with_tolerations(template: Pod) -> Pod:
    """The template with the tolerations that the controller adds (AddOrUpdateDaemonPodTolerations)."""
    network = (_NETWORK_TOLERATION,) if template.host_network else ()
    added = tuple(t for t in _TOLERATIONS + network if t not in template.tolerations)
    return replace(template, tolerations=template.tolerations + added)


def pinned(template: Pod, node: str) -> Pod:
    """The template with the required part of its node affinity replaced by the node's name."""
    term = NodeSelectorTerm(match_fields=(Requirement("metadata.name", "In", (node,)),))
    affinity = replace(template.affinity or Affinity(), node_required=NodeSelector((term,)))
    return replace(template, affinity=affinity)


def target_node(pod: Pod) -> str:
    """The node that a daemon pod runs on or is meant for, "" where it names none."""
    required = pod.affinity.node_required if pod.affinity else None
    terms: Iterable[NodeSelectorTerm] = required.terms if required else ()
    meant = next((field.values[0] for term in terms for field in term.match_fields if field.values), "")
    return pod.node_name or meant
