"""Clusters drawn from a seed in which a pod waits, or not: barriers of all kinds mixed, up to twelve nodes.

Most nodes have two barriers or more, so that one of them is hidden by an earlier filter.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random

from tests.scheduler_core.explain.diagnosis import barriers as of
from tests.scheduler_core.explain.diagnosis.draft import HOSTNAME, ZONE, Draft, DraftNode, MixedCluster

MOST_NODES = 12
ZONES = ("za", "zb", "zc")
AT_NODES: tuple[of.Barrier, ...] = (
    *map(of.taint, of.TAINTS),
    of.cordon,
    of.selector("tier", "gold"),
    of.selector("disk", "ssd"),
    of.host_selector,
    of.requirement("gen"),
    of.requirement("arch"),
    of.named,
    of.cpu,
    of.memory,
    of.gpu,
    of.full,
    of.port(8080),
    of.port(9090),
    of.spread(HOSTNAME),
    of.rival(HOSTNAME),
    of.shy(HOSTNAME),
    of.friend(HOSTNAME),
    of.disk(HOSTNAME, of.LOCAL),
)
AT_ZONES: tuple[of.Barrier, ...] = (
    of.spread(ZONE),
    of.rival(ZONE),
    of.shy(ZONE),
    of.friend(ZONE),
    of.disk(ZONE, "data"),
    of.disk(ZONE, "logs"),
    of.delayed_disk,
)
_WEIGHTS = (3, 1, 1, 1, 1, 1, 1)
EVERYWHERE: tuple[of.Barrier, ...] = (of.missing_claim, of.unbound_claim, of.used_claim)


@lru_cache(maxsize=64)
def mixed(seed: int, attempt: int = 0) -> MixedCluster:
    """The same for the same numbers; the pod fits in some."""
    draw = Random(f"{seed} {attempt}")
    draft = Draft(draw, _nodes(draw))
    for _ in range(draw.randrange(4)):
        draft.place(draw.choice(draft.nodes), labels={"app": draw.choice(("web", "db"))})
    for barrier, barred in _at_nodes(draw, draft.nodes):
        barrier(draft, [one for one in draft.nodes if one in barred], [one for one in draft.nodes if one not in barred])
    for barrier in dict.fromkeys(draw.choices(AT_ZONES, _WEIGHTS, k=draw.choice((0, 0, 1, 1, 2)))):
        _in_zones(draw, draft, barrier)
    if draw.random() < 0.1:
        draw.choice(EVERYWHERE)(draft, draft.nodes, ())
    draft.nodes = draw.sample(draft.nodes, len(draft.nodes))
    return draft.cluster()


def _nodes(draw: Random) -> list[DraftNode]:
    zones = ZONES[: draw.choice((1, 2, 3, 3))]
    some_without = draw.random() < 0.1
    return [
        DraftNode(f"node-{i:02}", "" if some_without and draw.random() < 0.2 else draw.choice(zones))
        for i in range(1, draw.choice((1, 2, 3, *range(4, MOST_NODES + 1))) + 1)
    ]


def _at_nodes(draw: Random, nodes: list[DraftNode]) -> list[tuple[of.Barrier, list[DraftNode]]]:
    """A few barriers, each with the nodes that it is at: each node has one of few sets of them, of a size or more."""
    kinds = draw.sample(AT_NODES, draw.choice((1, 2, 3, 3, 4, 4, 5)))
    least = min(len(kinds), draw.choice((0, 1, 1, 1, 1, 1, 2, 2, 2, 3)))
    sizes = [min(len(kinds), least + draw.choice((0, 0, 0, 1))) for _ in range(draw.choice((2, 3, 4)))]
    sets = [draw.sample(kinds, size) for size in sizes]
    set_of = [draw.choice(sets) for _ in nodes]
    return [(kind, [node for node, chosen in zip(nodes, set_of, strict=True) if kind in chosen]) for kind in kinds]


def _in_zones(draw: Random, draft: Draft, barrier: of.Barrier) -> None:
    """The barrier at some of the zones, by one node of each."""
    one_of = {node.zone: node for node in draw.sample(draft.nodes, len(draft.nodes)) if node.zone}
    n_barred = draw.choice((*range(1, len(one_of)), draw.randrange(len(one_of) + 1)))
    chosen = draw.sample(sorted(one_of), len(one_of))
    nodes = [one_of[zone] for zone in chosen]
    barrier(draft, nodes[:n_barred], nodes[n_barred:])
