"""Texts of ``kubectl describe`` as objects: nodes and pods in any number and order, in one text.

Pods that only a node's table lists become pods with their requests and nothing else; where the text describes the same
pod, that counts. What the table sums up over all pods of a node, such as devices, goes to one of them, and is said to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from scheduler_core.manifests.forms.describe.blocks import blocks_in
from scheduler_core.manifests.forms.describe.gaps import gaps_of
from scheduler_core.manifests.forms.describe.nodes import CountedPod, DescribedNode, amount, described_node, is_node
from scheduler_core.manifests.forms.describe.pods import DescribedPod, described_pod, is_pod
from scheduler_core.manifests.forms.model import COUNTED, READ_FROM, FileHead, FormReading, InputForm
from scheduler_core.manifests.model import Limits, LoadError, ManifestSource, Raw
from scheduler_core.manifests.parsing.sources import read_text

_BLOCK = re.compile(
    r"^(?P<before>[> \t]*)Name:[ \t]+\S.*\n"
    r"(?:(?P=before)[ \t]+.*\n|(?P=before)[ \t]*\r?\n)*(?P=before)(?:Namespace|Roles|Labels|Annotations):",
    re.MULTILINE,
)
_MANIFEST = re.compile(r"^[ \t]*(?:- )?apiVersion:", re.MULTILINE)


def _is_described(head: FileHead) -> bool:
    return _BLOCK.search(head.text) is not None and _MANIFEST.search(head.text) is None


def _read(source: ManifestSource, limits: Limits) -> FormReading | None:
    nodes: dict[str, DescribedNode] = {}
    pods: dict[tuple[str, str], DescribedPod] = {}
    n_others = 0
    for block in blocks_in(read_text(source, limits)):
        if is_pod(block):
            pod = described_pod(block)
            pods[pod.key] = pod
        elif is_node(block):
            node = described_node(block)
            nodes[node.name] = node
        else:
            n_others += 1
        if len(pods) + sum(len(one.pods) for one in nodes.values()) > limits.max_objects:
            raise LoadError(f"more than {limits.max_objects} objects. Split the import")
    if not nodes and not pods:
        return None
    counted = _counted(list(nodes.values()), pods)
    items = [node.raw for node in nodes.values()]
    items += [pod.raw for pod in pods.values()]
    items += [one for rest in counted.values() for one in rest]
    items += [event for pod in pods.values() for event in _events(pod)]
    return FormReading(items, tuple(gaps_of(list(nodes.values()), list(pods.values()), counted, n_others)))


def _counted(nodes: Sequence[DescribedNode], pods: dict[tuple[str, str], DescribedPod]) -> dict[str, list[Raw]]:
    """By node: the pods of its table that are not described, with what of the sums no described pod requests."""
    # Which pods a waiting one may evict depends on priorities, which no table has: none of them.
    priority = max([0, *(pod.raw["spec"].get("priority", 0) for pod in pods.values() if pod.waits)])
    out: dict[str, list[Raw]] = {}
    for node in nodes:
        rest = [one for one in node.pods if (one.namespace, one.name) not in pods]
        made = [_pod(one, node.name, priority) for one in rest]
        if made:
            there = [one.raw for one in pods.values() if one.raw["spec"].get("nodeName") == node.name]
            left, resources = _unassigned(node, there), made[0]["spec"]["containers"][0]["resources"]
            resources["requests"].update(left)
            # Devices and huge pages are not overcommitted: they have a limit, which is the request.
            resources["limits"] = left
        out[node.name] = made
    return out


def _pod(counted: CountedPod, node: str, priority: int) -> Raw:
    container = {"name": "counted", "resources": {"requests": dict(counted.requests)}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": counted.name,
            "namespace": counted.namespace,
            "annotations": {READ_FROM: COUNTED},
        },
        "spec": {"nodeName": node, "containers": [container], **({"priority": priority} if priority else {})},
        "status": {"phase": "Running"},
    }


def _unassigned(node: DescribedNode, described: Sequence[Raw]) -> dict[str, str]:
    """What the pods of the node request beyond cpu and memory, less what the described ones request."""
    out = {}
    for resource, total in node.totals.items():
        left = amount(total) - sum((_requested(pod, resource) for pod in described), Decimal(0))
        if left > 0:
            out[resource] = f"{left.normalize():f}"
    return out


def _requested(pod: Raw, resource: str) -> Decimal:
    containers = pod["spec"].get("containers", [])
    resources = [one.get("resources", {}) for one in containers]
    asked = [one.get("requests", {}).get(resource) or one.get("limits", {}).get(resource) for one in resources]
    return sum((amount(one) for one in asked if one), Decimal(0))


def _events(pod: DescribedPod) -> Iterator[Raw]:
    """The newest event of each reason, in the order of time."""
    newest = {event.reason: event for event in pod.events}
    namespace, name = pod.key
    about = {"kind": "Pod", "namespace": namespace, "name": name}
    for event in newest.values():
        yield {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": f"{name}.{event.reason.lower()}", "namespace": namespace},
            "involvedObject": about,
            "reason": event.reason,
            "message": event.message,
        }


DESCRIBE = InputForm("kubectl describe", _is_described, _read)
