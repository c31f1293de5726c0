"""What a text of ``kubectl describe`` lacks of what a scheduler reads, as sentences with the command that shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from scheduler_core.api.unplayed import InputGap
from scheduler_core.manifests.forms.describe.nodes import DescribedNode
from scheduler_core.manifests.forms.describe.pods import DescribedPod
from scheduler_core.manifests.model import Raw

_MOST_NAMED = 3
_MOST_REFERENCES = 50
_OF_POD = ("NodeAffinity", "InterPodAffinity", "SchedulingGates", "NodeResourcesFit")
_OF_VOLUMES = ("VolumeBinding", "VolumeRestrictions", "VolumeZone", "NodeVolumeLimits")
_SEEN = re.compile(r"\d+/(\d+) nodes are available")
_VOLUMES = "kubectl get persistentvolumeclaims,persistentvolumes,storageclasses,csinodes -A -o yaml > volumes.yaml"
_DUMP = "kubectl get nodes,pods -A -o json > cluster.json"


def gaps_of(
    nodes: Sequence[DescribedNode],
    pods: Sequence[DescribedPod],
    counted: Mapping[str, Sequence[Raw]],
    n_others: int,
) -> Iterator[InputGap]:
    """The gaps of a text with these nodes and pods; ``counted``: the pods of each node that only its table has."""
    waiting = [pod for pod in pods if pod.waits]
    if pods:
        yield _of_pods(waiting or pods)
    if any(counted.values()):
        yield _of_tables([one for rest in counted.values() for one in rest])
    if claiming := [pod for pod in waiting if pod.claims]:
        yield _of_claims(claiming)
    if (seen := max(map(_nodes_seen, waiting), default=0)) > len(nodes):
        yield _of_nodes(len(nodes), seen)
    if cut := [node for node in nodes if node.n_pods > len(node.pods)]:
        yield _of_cut_tables(cut)
    if sums := [node for node in nodes if node.totals and len(counted.get(node.name, ())) > 1]:
        yield _of_sums(sums)
    if n_others:
        text = f"{n_others:,} descriptions of other kinds than pods and nodes are passed over"
        yield InputGap(code="DESCRIBE_OTHERS", text=text, concerns="message", command=_DUMP)


def _of_pods(pods: Sequence[DescribedPod]) -> InputGap:
    hidden = ["affinity", "scheduling gates", "overhead"]
    plugins: tuple[str, ...] = _OF_POD
    if any(pod.spreads for pod in pods):
        hidden.insert(1, "minDomains and the policies of spread constraints")
        plugins = (*plugins, "PodTopologySpread")
    if any(pod.raw["spec"].get("initContainers") for pod in pods):
        hidden.append("which init containers are sidecars")
    hidden.append("preemption policy")
    keys = ["/".join(pod.key) for pod in pods]
    namespace, name = pods[0].key
    return InputGap(
        code="DESCRIBE_POD_FIELDS",
        text=f"{_named('pod', keys)}: kubectl describe prints no {', '.join(hidden[:-1])} or {hidden[-1]}",
        plugins=plugins,
        command=f"kubectl get pod {name} -n {namespace} -o yaml",
        objects=_references(keys),
    )


def _of_tables(pods: Sequence[Raw]) -> InputGap:
    n = len(pods)
    what = "1 pod that only its node's table lists has" if n == 1 else f"{n:,} pods that only tables of nodes list have"
    return InputGap(
        code="DESCRIBE_PODS_ON_NODES",
        text=f"{what} cpu and memory requests here, and no labels, affinity, host ports, volumes or priority: "
        "none of them is counted by a spread constraint or a pod affinity, nor evicted",
        plugins=("PodTopologySpread", "InterPodAffinity", "NodePorts", *_OF_VOLUMES, "DefaultPreemption"),
        command="kubectl get pods -A -o json > pods.json",
    )


def _of_claims(pods: Sequence[DescribedPod]) -> InputGap:
    keys = ["/".join(pod.key) for pod in pods]
    claims = list(dict.fromkeys(claim for pod in pods for claim in pod.claims))
    return InputGap(
        code="DESCRIBE_CLAIMS",
        kind="PersistentVolumeClaim",
        text=f"{_named('claim', claims)} of {_named('pod', keys)}: kubectl describe prints no volume, zone or driver, "
        "so that volumes keep no pod off a node here",
        plugins=_OF_VOLUMES,
        command=_VOLUMES,
        objects=_references(keys),
    )


def _of_nodes(described: int, seen: int) -> InputGap:
    has = "describes no node" if not described else f"describes {described:,}"
    return InputGap(
        code="DESCRIBE_NODES",
        kind="Node",
        text=f"the scheduler looked at {_count('node', seen)}, and the text {has}",
        command="kubectl describe nodes",
    )


def _of_cut_tables(nodes: Sequence[DescribedNode]) -> InputGap:
    lacking = sum(node.n_pods - len(node.pods) for node in nodes)
    names = [node.name for node in nodes]
    lack = "lacks" if len(names) == 1 else "lack"
    return InputGap(
        code="DESCRIBE_TABLE_CUT",
        kind="Node",
        text=f"the table of {_named('node', names)} {lack} {_count('pod', lacking)}: more room is free here than there",
        command="kubectl describe nodes",
    )


def _of_sums(nodes: Sequence[DescribedNode]) -> InputGap:
    resources = sorted({name for node in nodes for name in node.totals})
    names = [node.name for node in nodes]
    return InputGap(
        code="DESCRIBE_SUMS",
        text=f"of {_named('node', names)} {', '.join(resources)} is known as the sum of all pods: "
        "it is given to the first pod of the table",
        concerns="counts",
        command="kubectl get pods -A -o json > pods.json",
    )


def _nodes_seen(pod: DescribedPod) -> int:
    match = _SEEN.search(pod.said)
    return int(match[1][:9]) if match is not None else 0


def _named(kind: str, names: Sequence[str]) -> str:
    """ "pod a/b", "3 pods", or two or three names."""
    if len(names) == 1:
        return f"{kind} {names[0]}"
    return f"{kind}s {', '.join(names)}" if len(names) <= _MOST_NAMED else f"{len(names):,} {kind}s"


def _count(kind: str, n: int) -> str:
    return f"1 {kind}" if n == 1 else f"{n:,} {kind}s"


def _references(keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"v1/Pod/{key}" for key in keys[:_MOST_REFERENCES])
