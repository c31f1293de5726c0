"""The selected node or pod of the map, by ?node= or ?pod=, with the contents of its card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.clusters.map.cluster_map import requested_amount, total_requests
from dashboard.common.http.params import text_param
from dashboard.common.pages.numbers import amount, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.clusters.map.cluster_map import ClusterMap
    from dashboard.clusters.revisions.object_rows import NodeRow, PodRow

NAME_LIMIT = 600
PODS_SHOWN = 40


@dataclass(frozen=True)
class Amount:
    """A resource of a node: requested by its pods of what is allocatable, in words and as numbers."""

    name: str
    used: int
    whole: int
    text: str
    share: str
    is_over: bool


@dataclass(frozen=True)
class PodOnNode:
    """A pod of the selected node, and what it requests of each of cpu and memory."""

    row: PodRow
    key: str
    requests: str
    is_selected: bool


@dataclass(frozen=True)
class SelectedNode:
    """The card of a node; `row` is None where the cluster has no node of that name."""

    name: str
    row: NodeRow | None
    amounts: list[Amount]
    pods: list[PodOnNode]
    more: int


@dataclass(frozen=True)
class SelectedPod:
    """The card of a pod: what it requests, where it is."""

    row: PodRow
    key: str
    requests: list[tuple[str, str]]

    @property
    def waits(self) -> bool:
        """Return whether it has no node; the map then shows where it would fit."""
        return self.row.status in ("pending", "gated")


@dataclass(frozen=True)
class MapSelection:
    """The selection: a selected pod selects its node too. `unknown` is the requested name if it does not exist."""

    node: str = ""
    pod: str = ""
    unknown: str = ""
    node_card: SelectedNode | None = None
    pod_card: SelectedPod | None = None

    @property
    def waiting_pod(self) -> str:
        """Return the selected pod where it is on no node, else ""."""
        return self.pod if self.pod_card is not None and self.pod_card.waits else ""


def read_selection(cluster_map: ClusterMap, query: Mapping[str, str]) -> MapSelection:
    """Return what the address selects: a pod (`pod=NS/NAME`) with its node, or a node (`node=NAME`)."""
    key, name = text_param(query, "pod", NAME_LIMIT), text_param(query, "node", NAME_LIMIT)
    if key:
        pod = cluster_map.pod(key)
        if pod is None:
            return MapSelection(unknown=f"pod {key}")
        card = SelectedPod(pod, key, _requests(cluster_map, pod))
        node = _node_card(cluster_map, pod.node, key) if pod.status == "bound" else None
        return MapSelection(node=pod.node if node else "", pod=key, node_card=node, pod_card=card)
    if not name:
        return MapSelection()
    if name not in cluster_map.place_of and not cluster_map.pods_on(name):
        return MapSelection(unknown=f"node {name}")
    return MapSelection(node=name, node_card=_node_card(cluster_map, name, ""))


def short_name(resource: str) -> str:
    """Return the name of a resource without its domain: "nvidia.com/gpu" -> "gpu"."""
    return resource.rpartition("/")[2]


def node_amounts(cluster_map: ClusterMap, node: NodeRow) -> list[Amount]:
    """Return every resource of the map with this node's requests, without resources that it neither has nor is
    requested.
    """
    rows = []
    for one in cluster_map.resources:
        used, whole = requested_amount(node, one.name), node.allocatable.get(one.name, 0)
        if used or whole:
            text = f"{amount(used, one.name)} of {amount(whole, one.name)}"
            share = percent(used, whole) if whole else "none here"
            rows.append(Amount(one.name, used, whole, text, share, used > whole))
    return rows


def _node_card(cluster_map: ClusterMap, name: str, selected: str) -> SelectedNode:
    place = cluster_map.place_of.get(name)
    row = None if place is None else cluster_map.nodes[place]
    pods = cluster_map.pods_on(name)
    # The selected pod is shown even if it comes after the limit.
    first = [pod for pod in pods if f"{pod.namespace}/{pod.name}" == selected]
    others = [pod for pod in pods if pod not in first] if first else pods
    lines = [_line(cluster_map, pod, selected) for pod in [*first, *others][:PODS_SHOWN]]
    return SelectedNode(name, row, node_amounts(cluster_map, row) if row else [], lines, len(pods) - len(lines))


def _line(cluster_map: ClusterMap, pod: PodRow, selected: str) -> PodOnNode:
    key = f"{pod.namespace}/{pod.name}"
    requests = [
        text if name == "memory" else f"{text} {short_name(name)}" for name, text in _requests(cluster_map, pod)
    ]
    return PodOnNode(pod, key, ", ".join(requests), key == selected)


def _requests(cluster_map: ClusterMap, pod: PodRow) -> list[tuple[str, str]]:
    named = [one.name for one in cluster_map.resources if one.name != "pods" and pod.requests.get(one.name)]
    return [(name, amount(total_requests([pod], name), name)) for name in named]
