"""What a workload's cluster is made of, and the cluster made of it: as parsed objects, or as manifests to import."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from scheduler_core.manifests import load_manifests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scheduler_core.api.objects import ClusterObjects

Manifest = dict[str, Any]
START = 1_735_689_600.0
"""When the first bound pod started; each further one a second later."""


class PodPlan(NamedTuple):
    """A pod: the number of its template, its name, and the node that it is bound to from the start."""

    template: int
    name: str
    node: str = ""


class Blueprint(NamedTuple):
    """``others``: namespaces, nodes, services; ``templates``: pods with their namespaces; ``pods`` in order."""

    others: list[Manifest]
    templates: list[Manifest]
    pods: Sequence[PodPlan]

    def objects(self) -> ClusterObjects:
        """The cluster; every template is parsed once."""
        result = load_manifests([*self.others, *self.templates])
        if result.errors:
            raise ValueError(result.errors[0].text())
        objects = result.objects
        by_name = {pod.key: pod for pod in objects.pods}
        examples = [by_name[f"{t['metadata']['namespace']}/{t['metadata']['name']}"] for t in self.templates]
        replace = msgspec.structs.replace
        objects.pods = [
            replace(
                examples[pod.template],
                name=pod.name,
                uid=pod.name,
                node_name=pod.node,
                start_time=START + i if pod.node else None,
            )
            for i, pod in enumerate(self.pods)
        ]
        return objects

    def manifests(self) -> list[Manifest]:
        """The same cluster as a user imports it; manifests share what is equal."""
        made = list(self.others)
        for i, pod in enumerate(self.pods):
            example = self.templates[pod.template]
            manifest = {**example, "metadata": {**example["metadata"], "name": pod.name, "uid": pod.name}}
            if pod.node:
                started = datetime.fromtimestamp(START + i, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
                manifest["spec"] = {**example["spec"], "nodeName": pod.node}
                manifest["status"] = {"phase": "Running", "startTime": started}
            made.append(manifest)
        return made


def namespace(name: str) -> Manifest:
    """A namespace without labels."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def node(i: int, labels: dict[str, str], amounts: dict[str, str], **spec: Any) -> Manifest:
    """The i-th node, all of it allocatable."""
    status = {"capacity": amounts, "allocatable": amounts}
    metadata = {"name": node_name(i), "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}


def node_name(i: int) -> str:
    """Names in order of number."""
    return f"node-{i:05d}"
