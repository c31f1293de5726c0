"""The card of one node: the pod's requests, the node's free amounts, and the node's pods at the cursor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dashboard.clusters.revisions.object_rows import ZONE_LABELS
from dashboard.common.pages.numbers import amount, plural
from dashboard.debugger.inputs.grouping import bare
from dashboard.debugger.inputs.placed import pods_on
from dashboard.debugger.labels import split_key
from dashboard.debugger.panels.cluster_map.node_states import NodeState
from dashboard.debugger.panels.cluster_map.resources import by_share

if TYPE_CHECKING:
    from dashboard.debugger.panels.cluster_map.node_states import MapSource, NodeStates
    from dashboard.debugger.panels.cluster_map.resources import ResourceChoice

PAGE = 40
# Origins of placements without a cycle.
BEFORE, BY_TIMELINE = "before the run", "by the timeline"


@dataclass(frozen=True)
class NeedLine:
    """A resource: the pod's request and the free amount; `look` marks the shown resource, and one that is too small."""

    resource: str
    need: str
    free: str
    look: str
    title: str


@dataclass(frozen=True)
class PodLine:
    """A pod on the node: its request of the resource, and the cycle that placed it (0: `came` says how it came)."""

    key: str
    uid: str
    takes: str
    cycle: int
    came: str
    look: str
    note: str

    @property
    def name(self) -> str:
        """Return the pod's name without its namespace."""
        return split_key(self.key)[1]


@dataclass(frozen=True)
class PodPage:
    """One page of the pods on a node with their requests of a resource; `after` is the next page, 0 if
    there is none.
    """

    node: str
    resource: str
    lines: list[PodLine]
    count: int
    after: int

    @property
    def following(self) -> int:
        """Return the number of pods on the next page."""
        return min(PAGE, self.count - (self.after - 1) * PAGE)

    @property
    def next_query(self) -> str:
        """Return the query of the next page, but for the moment."""
        return urlencode({"node": self.node, "map": self.resource, "pods_page": self.after})


@dataclass(frozen=True)
class NodeCard:
    """The selected node, or the winner, or the nominated node: `meaning` and `label` say which.

    `joining` is the pod's request if it would fit here and is not placed yet, else "". `left` is the free amount of the
    resource with that pod and without the victims of its preemption; `left_label` says so.
    """

    name: str
    short: str
    meaning: str
    label: str
    needs: list[NeedLine]
    resource: str
    facts: str
    pods: PodPage
    pod: str
    joining: str
    left: str
    left_label: str
    left_title: str

    @property
    def watch(self) -> str:
        """Return what somebody watches who looks at the card: what is free of the resource."""
        return f"free {self.pods.resource} of {self.name}"


def shown_node(source: MapSource) -> tuple[str, str, str]:
    """Return (node, meaning, label) of the card: the selected node, else the winner, else the nominated one."""
    cycle, node = source.cycle, source.node
    winner = cycle.winner if cycle else ""
    nominated = (cycle.preemption.nominated_node or "") if cycle and cycle.preemption else ""
    name = node or winner or nominated
    if name and name == winner:
        return name, *(("tie", "drawn") if cycle and cycle.is_tie else ("win", "winner"))
    if name and name == nominated:
        return name, "nomin", "nominated"
    return name, "", ""


def node_card(nodes: NodeStates, choice: ResourceChoice) -> NodeCard | None:
    """Return the card, None where there is no such node at the cursor."""
    source = nodes.source
    name, meaning, label = shown_node(source)
    if name not in nodes.place_of:
        return None
    place = nodes.place_of[name]
    if not meaning:
        meaning, label = _standing(nodes, place)
    resource, joining = choice.chosen.name, _joining(nodes, place, choice.chosen.name)
    freed = [_takes(source, key, resource) or 0 for key in _victims(source, name) if key in source.state.placements]
    left = int(nodes.whole[place] - nodes.used[place]) - (joining or 0) + sum(freed)
    return NodeCard(
        name=name,
        short=nodes.short(name),
        meaning=meaning,
        label=label,
        needs=_needs(source, name, resource),
        resource=choice.chosen.bare_name,
        facts=_facts(nodes, name),
        pods=pod_page(source, name, resource, 1),
        pod=split_key(source.pod_key)[1],
        joining="" if joining is None else amount(joining, resource),
        left=amount(left, resource),
        left_label="free once they left" if freed else "then free" if joining is not None else "free",
        left_title=f"{amount(int(nodes.whole[place]), resource)} {choice.chosen.bare_name} allocatable",
    )


def _joining(nodes: NodeStates, place: int, resource: str) -> int | None:
    """The pod's request of the resource on a node where it fits, None if it is placed already."""
    source = nodes.source
    if source.pod is None or nodes.states[place] != NodeState.FITS or source.pod_key in source.state.placements:
        return None
    return 1 if resource == "pods" else source.pod.requests.get(resource, 0)


def _standing(nodes: NodeStates, place: int) -> tuple[str, str]:
    meanings = {
        NodeState.FITS: "bound",
        NodeState.REFUSED: "unsched",
        NodeState.UNRESOLVABLE: "unres",
        NodeState.CANDIDATE: "victim",
    }
    state = NodeState(int(nodes.states[place]))
    if nodes.is_equal[place]:
        return "tie", "equal"
    return meanings.get(state, "none"), nodes.word(place)


def _needs(source: MapSource, name: str, shown: str) -> list[NeedLine]:
    """The pod's requests, the dominant resource first; free amounts are without the pod if it is on the node."""
    usage, pod = source.usage, source.pod
    if pod is None:
        return []
    at, requests = usage.index[name], pod.requests
    placement = source.state.placements.get(source.pod_key)
    is_here = placement is not None and placement.node == name
    lines = []
    for resource in [*by_share(requests, usage), "pods"]:
        need, whole = requests.get(resource, 1), int(usage.whole(resource)[at])
        free = whole - int(usage.used(resource)[at]) + (need if is_here else 0)
        looks = ["is-shown"] * (resource == shown) + ["is-short"] * (need > free)
        title = f"{amount(whole, resource)} allocatable"
        if need > free:
            title = f"short {amount(need - free, resource)}; {title}"
        lines.append(NeedLine(bare(resource), amount(need, resource), amount(free, resource), " ".join(looks), title))
    return lines


def _facts(nodes: NodeStates, name: str) -> str:
    """Zone, group, cpu, devices, taints and whether it is cordoned, in a line."""
    source = nodes.source
    node = source.facts.nodes.get(name, source.state.at)
    if node is None:
        return "no input has this node"
    label, allocatable = nodes.grouping.label, node.object.allocatable
    facts = [node.zone, node.object.labels.get(label, "") if label not in ZONE_LABELS else ""]
    facts.append(f"{amount(node.cpu, 'cpu')} cpu")
    needed = source.pod.requests if source.pod else {}
    others = [(key, value) for key, value in allocatable.items() if "/" in key and value and key not in needed]
    facts += [f"{amount(value, key)} {bare(key)}" for key, value in others]
    facts.append("cordoned" if node.object.unschedulable else "")
    facts.append(plural(len(node.object.taints), "taint") if node.object.taints else "")
    return " · ".join(word for word in facts if word)


def pod_page(source: MapSource, node: str, resource: str, page: int) -> PodPage:
    """Return a page of the pods on the node at the cursor, in the order in which they came."""
    state = source.state
    there = [(state.placements[key], key) for key in pods_on(source.run, state, node)]
    ordered = [(place.cycle, place.at, key) for place, key in there]
    ordered.sort()
    victims = frozenset(_victims(source, node))
    lines = [_line(source, key, resource, key in victims) for _, _, key in ordered[(page - 1) * PAGE : page * PAGE]]
    return PodPage(node, resource, lines, len(ordered), page + 1 if len(ordered) > page * PAGE else 0)


def _line(source: MapSource, key: str, resource: str, is_victim: bool) -> PodLine:
    state, placement = source.state, source.state.placements[key]
    note = state.terminating.get(key, "") or ("" if placement.bound else "assumed, not bound yet")
    is_mine, leaves = key == source.pod_key, is_victim or key in state.terminating
    return PodLine(
        key=key,
        uid=state.uids.get(key, ""),
        takes=amount(_takes(source, key, resource), resource),
        cycle=placement.cycle,
        came=BY_TIMELINE if placement.at else BEFORE,
        look="is-cursor" if is_mine else "is-leaving" if leaves else "",
        note=note or ("victim of this preemption" if leaves else ""),
    )


def _takes(source: MapSource, key: str, resource: str) -> int | None:
    """A pod's request of the resource, None if no input has the pod."""
    pod = source.facts.pod(key, source.state)
    if resource == "pods":
        return 1
    return pod.requests.get(resource, 0) if pod is not None else None


def _victims(source: MapSource, node: str) -> tuple[str, ...]:
    preemption = source.cycle.preemption if source.cycle else None
    return next((one.victims for one in preemption.candidates if one.node == node), ()) if preemption else ()
