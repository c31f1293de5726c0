"""Who refused a pod, as the page lists it: groups of nodes, each with the first of its names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scheduler_core.explain.pending.model import RefusedNodeGroup

# So many names are listed under an open group, and groups under each other.
SHOWN_NAMES = 120
SHOWN_GROUPS = 24


@dataclass(frozen=True)
class RefusedGroupRow:
    """Nodes that refuse for one thing."""

    group: RefusedNodeGroup

    @property
    def meaning(self) -> str:
        """Return whether events or preemption may mend it (unsched) or not (unres)."""
        return "unres" if self.group.unresolvable else "unsched"

    @property
    def names(self) -> tuple[str, ...]:
        """Return the nodes that are listed, the first by name."""
        return self.group.nodes[:SHOWN_NAMES]

    @property
    def left_out(self) -> int:
        """Return how many nodes are not named."""
        return self.group.count - len(self.names)


def group_rows(groups: tuple[RefusedNodeGroup, ...]) -> list[RefusedGroupRow]:
    """Return the first of the groups."""
    return [RefusedGroupRow(group) for group in groups[:SHOWN_GROUPS]]
