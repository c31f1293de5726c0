"""What a shortage of a resource is, in words: who asks, what is free where most is, what is reserved or promised."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.api.objects import Node, Pod
from scheduler_core.api.resources import PODS, pod_requests
from scheduler_core.explain.diagnosis.obstacle_facts import ObstacleFacts
from scheduler_core.explain.facts.amounts import amounts
from scheduler_core.explain.outcomes.texts import listed, plural
from scheduler_core.explain.shortfalls import counts_against
from scheduler_core.framework.contracts.facts import ResourceFact

_MOST_OFFERS = 3


def shortage_words(facts: ObstacleFacts) -> str:
    """A resource that nodes are short of, do not offer, or promise to other pods."""
    if facts.by_nominated:
        return _promised(facts)
    if facts.key.code == "NOT_OFFERED":
        return _not_offered(facts)
    if facts.key.code == "SHORT_PODS":
        return _no_slots(facts)
    return _too_large(facts) if facts.key.code == "TOO_LARGE" else _short(facts)


def _short(facts: ObstacleFacts) -> str:
    resource = facts.key.subject
    name, best = max(facts, key=lambda one: (one[1].allocatable - one[1].requested, one[0]))
    ask, left = amounts(resource, best.asked, max(0, best.free))
    where = f"{name} has" if len(facts) == 1 else f"of {len(facts):,} nodes the best, {name}, has"
    left = left if best.free > 0 else "none"
    text = f"too little {resource}: {asked_by(facts.pod, resource, ask)}, and {where} {left} free"
    promised = best.promised or _of_nominated(facts, name)
    if promised:
        text += f"; {amounts(resource, promised, best.asked)[0]} are promised to nominated pods"
    small = [one for one in facts.values if one.is_too_small]
    if small and len(facts) == 1:
        text += " (it is too small even when empty)"
    elif small:
        text += f" ({len(small):,} of them {'is' if len(small) == 1 else 'are'} too small even when empty)"
    return f"{text}{holders_words(facts, name)}"


def _of_nominated(facts: ObstacleFacts, name: str) -> int:
    """How much pods of no lower priority ask for that are nominated to the node, which is short without them too."""
    nominated = facts.table.trials.simulation.context.nominated_pods(name)
    counted = [one for one in nominated if counts_against(facts.pod, one.pod)]
    return sum(one.cls.requests.get(facts.key.subject, 0) for one in counted)


def holders_words(facts: ObstacleFacts, name: str) -> str:
    """Who holds most of the resource on the node, where few pods do."""
    row = facts.table.cluster.table.row_of[name]
    held = sorted(
        ((info.cls.requests.get(facts.key.subject, 0), key) for key, info in facts.table.cluster.pods_on(row).items()),
        key=lambda one: (-one[0], one[1]),
    )
    top = [f"{key} {amounts(facts.key.subject, value)[0]}" for value, key in held[:2] if value]
    return f"; most is held by {listed(top, 'and')}" if top else ""


def _too_large(facts: ObstacleFacts) -> str:
    resource = facts.key.subject
    name, best = max(facts, key=lambda one: (one[1].allocatable, one[0]))
    node = next(node for node in facts.nodes if node.name == name)
    capacity = node.capacity.get(resource, best.allocatable)
    ask, whole, full, system = amounts(resource, best.asked, best.allocatable, capacity, capacity - best.allocatable)
    text = f"request of {resource}: {asked_by(facts.pod, resource, ask)}, more than any node gives that is otherwise"
    text += f" open: {name} has {whole} allocatable"
    return (
        f"{text} of a capacity of {full}; {system} is reserved for the system" if capacity > best.allocatable else text
    )


def _no_slots(facts: ObstacleFacts) -> str:
    name, best = max(facts, key=lambda one: (one[1].allocatable, one[0]))
    takes = plural(best.allocatable, "pod")
    others = len(facts) - 1
    full = f", and {plural(others, 'more node is', 'more nodes are')} full" if others else ""
    return f"slots for pods: {name} takes {takes} and has {best.requested:,}{full}{_daemon(facts.pod)}"


def _daemon(pod: Pod) -> str:
    """That a DaemonSet's pod can be nowhere else."""
    owner = next((one for one in pod.owner_references if one.kind == "DaemonSet" and one.controller), None)
    return "" if owner is None else f"; as a pod of DaemonSet {owner.name} it belongs on this node alone"


def _promised(facts: ObstacleFacts) -> str:
    name, one = facts[0]
    if not isinstance(one, ResourceFact):
        return f"pods nominated to {name} are in its way: {one.words() or one.code}"
    resource = one.resource
    ask, left, promised = amounts(resource, one.asked, one.free, one.promised)
    to = listed([holder.pod for holder in one.holders if holder.promised][:3], "and")
    more = f" and {plural(len(facts) - 1, 'more node')}" if len(facts) > 1 else ""
    free = f"{name}{more} has {left} free, of which {promised} are promised to {to}"
    return f"promised {resource}: it asks for {ask}; {free}"


# --- a resource that is not offered ----------------------------------------------------------------------------------
def _not_offered(facts: ObstacleFacts) -> str:
    resource, nodes = facts.key.subject, facts.nodes
    nobody = not any(node.allocatable.get(resource, 0) for node in facts.all_nodes)
    text = f"resource {resource}: {asked_by(facts.pod, resource, amounts(resource, facts[0][1].asked)[0])}, and "
    text += "no node offers it" if nobody else f"{_are(nodes)} not offer it"
    return "; ".join([text, *offers_words(resource, nodes)])


def _are(nodes: Sequence[Node]) -> str:
    return f"{nodes[0].name} does" if len(nodes) == 1 else f"{len(nodes):,} nodes do"


def offers_words(resource: str, nodes: Sequence[Node]) -> list[str]:
    """Who nearly offers a resource: nodes that have it without giving it to pods, other names of it, labels of it."""
    said = [
        f"{node.name} has a capacity of {node.capacity[resource]:,} and allocatable 0: its device plugin is gone, "
        "or its devices are unhealthy"
        for node in nodes
        if node.capacity.get(resource)
    ]
    said += [f"{node.name} offers {value:,} {name}" for node in nodes for name, value in other_offers(resource, node)]
    said += [
        f"{node.name} is labelled {key}={node.labels[key]}, so its device plugin may not run"
        for node in nodes
        for key in _resource_label(resource, node)
        if not node.capacity.get(resource) and not other_offers(resource, node)
    ]
    return said[:_MOST_OFFERS]


def other_offers(resource: str, node: Node) -> list[tuple[str, int]]:
    """(name, amount) of other resources of the same vendor that the node offers, as parts of devices are."""
    vendor = resource.partition("/")[0]
    several = sorted(node.allocatable.items())
    return [(name, value) for name, value in several if name.partition("/")[0] == vendor and value and "/" in name]


def _resource_label(resource: str, node: Node) -> list[str]:
    return sorted(key for key, value in node.labels.items() if key.startswith(f"{resource}.") and value != "false")[:1]


# --- who asks --------------------------------------------------------------------------------------------------------
def asked_by(pod: Pod, resource: str, amount: str) -> str:
    """Who asks for the amount: the pod, or the one container that decides it; and that a limit alone sets it."""
    if resource == PODS:
        return "it takes a slot"
    own = [(one, one.requests.get(resource, 0)) for one in pod.containers]
    inits = [(one, one.requests.get(resource, 0)) for one in pod.init_containers if one.restart_policy != "Always"]
    total = sum(value for _, value in own)
    largest = max(inits, key=lambda one: one[1], default=None)
    whole = pod_requests(pod).get(resource, 0)
    if largest is not None and total < largest[1] == whole:
        text = f"init container {largest[0].name} asks for {amount}"
        return f"{text} (its other containers ask for {amounts(resource, total)[0]})"
    asking = [one for one, value in own if value]
    alone = len(asking) == 1 and total == whole  # without a sidecar, overhead or requests of the pod as a whole
    text = f"container {asking[0].name} asks for {amount}" if alone else f"it asks for {amount}"
    limited = [one for one in asking if one.limits.get(resource) == one.requests[resource]]
    if asking and len(limited) == len(asking) and "/" not in resource:
        text += " (as much as its limit, which is the request where none is written)"
    return text
