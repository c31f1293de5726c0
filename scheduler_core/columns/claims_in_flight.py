"""What claims will have whose pods are on their way to a node: reserved, and not written yet.

Upstream the manager of resource claims holds it for all profiles (dynamicresources/dra_manager.go).
"""

from __future__ import annotations

from collections.abc import Mapping

from scheduler_core.api.devices import Allocation


class ClaimsInFlight:
    """Allocations by the key of their claim; ``generation`` counts changes."""

    def __init__(self) -> None:
        self.generation = 0
        self._allocations: dict[str, Allocation] = {}

    @property
    def allocations(self) -> Mapping[str, Allocation]:
        """What each claim will have, by key."""
        return self._allocations

    def set_aside(self, key: str, allocation: Allocation) -> None:
        """Note what the claim will have; the first one stays."""
        self._allocations.setdefault(key, allocation)
        self.generation += 1

    def give_back(self, key: str) -> None:
        """Forget it, because it was written or will not be."""
        self._allocations.pop(key, None)
        self.generation += 1

    def take_over(self, allocations: Mapping[str, Allocation]) -> None:
        """Hold what was in flight when a run was kept, and nothing else."""
        self._allocations.clear()
        self._allocations.update(allocations)
        self.generation += 1
