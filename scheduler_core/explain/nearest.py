"""Which refused nodes come nearest to taking a pod: ranked by the size of the change that would let it fit.

The size of a change has three parts, compared one after the other:

1. ``plugins``: how many plugins refuse the node. Each asks for a change of its own kind.
2. ``growth``: how much larger the node would have to be even if it were empty (or how much smaller the pod), as the
   largest part of what the pod asks for: 1 of 5 cpu is 0.2. Nobody can free that. A refusal for anything but room
   counts as a whole, 1, as it has no size.
3. ``room``: how much would have to be freed on the node, the largest part of what the pod asks for again, with the
   nominated pods counted that the filter phase counts.

Equals come by name. All is measured in parts of the pod's request, so that cpu and memory can be compared, and one node
with another. Example: a pod of 5 cpu; a full node of 4 (growth 0.2) comes before an empty node of 1 (growth 0.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scheduler_core.api.objects import Pod, Resources
from scheduler_core.api.resources import pod_requests
from scheduler_core.explain.shortfalls import NodeSituation, shortfalls

_ROOM = "NodeResourcesFit"


class ChangeSize(NamedTuple):
    """The size of a change; see the module. Smaller ones come first."""

    plugins: int
    growth: float
    room: float


class NearMiss(NamedTuple):
    """A refused node, all plugins that refuse it, and the size of the change that would mend it."""

    situation: NodeSituation
    plugins: tuple[str, ...]
    change: ChangeSize


def nearest_misses(
    pod: Pod,
    refused: Sequence[tuple[NodeSituation, tuple[str, ...]]],
    limit: int = 5,
    requests: Resources | None = None,
) -> list[NearMiss]:
    """The refused nodes that come nearest, the smallest change first; ``refused``: each node with its plugins.

    ``requests``: those that are compared with nodes (``checked_requests``); without them, all of the pod's.
    """
    requests = pod_requests(pod) if requests is None else requests
    misses = [NearMiss(situation, plugins, _change(requests, situation, plugins)) for situation, plugins in refused]
    return sorted(misses, key=lambda miss: (miss.change, miss.situation.node.name))[:limit]


def _change(requests: Resources, situation: NodeSituation, plugins: tuple[str, ...]) -> ChangeSize:
    missing = shortfalls(requests, situation) if _ROOM in plugins else ()
    others = len(plugins) - (_ROOM in plugins)
    growth = others + max((one.growth for one in missing), default=0.0)
    return ChangeSize(len(plugins), growth, max((one.room for one in missing), default=0.0))
