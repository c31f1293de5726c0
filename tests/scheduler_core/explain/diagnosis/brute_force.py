"""What opens nodes, found by carrying out each set of edits and asking the engine, never the obstacles' own code."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations, count
from typing import TYPE_CHECKING

import msgspec

from scheduler_core.engine.simulation import Simulation
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.profiles.build import build_frameworks
from scheduler_core.simulate import RunInputs
from tests.scheduler_core.explain.diagnosis.atomic_edits import PLUGINS, Edit, edited, edits_of, is_of_pod
from tests.scheduler_core.explain.diagnosis.draft import WAITING, MixedCluster
from tests.scheduler_core.explain.diagnosis.mixed_clusters import mixed

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_EDITS = 3
Edits = frozenset[Edit]
Names = frozenset[str]


def trials_on(cluster: MixedCluster, *, cached: bool = False) -> Trials:
    """Trials on a fresh run of these objects, before its first cycle; by the plain engine unless ``cached``."""
    simulation = Simulation(RunInputs(objects=cluster.as_objects()), build_frameworks, cached=cached)
    simulation.step()
    return Trials(simulation)


class BruteForce:
    """The answers of the engine on one cluster; ``edits`` are all atomic edits of it."""

    def __init__(self, cluster: MixedCluster) -> None:
        self.cluster = cluster
        self.edits = edits_of(cluster)
        self._trials: dict[Edits, Trials] = {}
        self._feasible: dict[Edits, Names] = {}

    def feasible(self, edits: Iterable[Edit] = ()) -> Names:
        """The nodes that fit when all of these edits are carried out."""
        chosen = frozenset(edits)
        if chosen not in self._feasible:
            after = edited(self.cluster, sorted(chosen))
            # preemption finds no victims, as all pods have one priority: without it the answer is the same
            pod = msgspec.structs.replace(after.pod, preemption_policy="Never")
            trial = self._trials_of(chosen).attempt(WAITING, Changes(pod=pod))
            self._feasible[chosen] = frozenset(trial.feasible) if trial.node else frozenset()
        return self._feasible[chosen]

    def _trials_of(self, chosen: Edits) -> Trials:
        """Trials on the nodes and placed pods that the edits leave."""
        of_cluster = frozenset(edit for edit in chosen if not is_of_pod(edit))
        if of_cluster not in self._trials:
            self._trials[of_cluster] = trials_on(edited(self.cluster, of_cluster))
        return self._trials[of_cluster]

    @cached_property
    def smallest(self) -> dict[Edits, Names]:
        """The sets of fewest edits that open a node, with the nodes that each opens; empty where no set of at most
        MOST_EDITS does."""
        for size in range(MOST_EDITS + 1):
            opening = {frozenset(several): self.feasible(several) for several in combinations(self.edits, size)}
            opening = {several: names for several, names in opening.items() if names}
            if opening:
                return opening
        return {}

    @property
    def size(self) -> int | None:
        """How many edits each of the smallest sets has."""
        return next((len(several) for several in self.smallest), None)

    @cached_property
    def hidden(self) -> bool:
        """Whether some node is refused even without all that the plugin may refuse whose refusal of it counts."""
        base = trials_on(self.cluster).attempt(WAITING)
        for node in self.cluster.nodes:
            counted = base.refused_whole if base.refused_whole is not None else base.status(node.name)
            plugin = "VolumeBinding" if counted.plugin.startswith("Volume") else counted.plugin
            if node.name not in self.feasible(edit for edit in self.edits if PLUGINS[edit.kind] == plugin):
                return True
        return False


def pending(seed: int) -> BruteForce:
    """The first cluster of the seed in which the pod does not fit as it is."""
    return next(one for one in map(BruteForce, (mixed(seed, i) for i in count())) if not one.feasible())
