"""All properties of a diagnosis and its remedies on one cluster, and the figures of many."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from scheduler_core.explain.diagnosis import diagnose
from scheduler_core.explain.remedies.model import VERIFIED, Remedy
from scheduler_core.explain.remedies.search import TriedRemedy, remedies, search
from tests.scheduler_core.explain.diagnosis.brute_force import BruteForce, pending, trials_on
from tests.scheduler_core.explain.diagnosis.draft import WAITING, MixedCluster
from tests.scheduler_core.explain.diagnosis.properties import Violation, violations
from tests.scheduler_core.explain.diagnosis.single_edits import binding_edits, changes_bind, parts_changed, with_changes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scheduler_core.api.objects import Pod


class Figures(msgspec.Struct):
    """``clusters`` by how many edits open a node ("none": more than are tried), with those in which an obstacle is
    ``hidden`` by an earlier filter; ``violated``: {rule: [(seed, violation)]}."""

    clusters: Counter[str] = msgspec.field(default_factory=Counter)
    hidden: int = 0
    violated: dict[str, list[tuple[int, Violation]]] = {}

    def add(self, seed: int) -> None:
        """Count the cluster of the seed in, with all that does not hold on it."""
        brute = pending(seed)
        self.clusters[str(brute.size or "none")] += 1
        self.hidden += brute.hidden
        for one in all_violations(brute):
            self.violated.setdefault(f"{one.rule}{_special(brute)}", []).append((seed, one))

    def lines(self, shown: int = 3) -> Iterable[str]:
        """The figures for people, with the first few violations of each rule."""
        total = self.clusters.total()
        sizes = ", ".join(f"{size} edits: {count}" for size, count in sorted(self.clusters.items()))
        yield f"{total} clusters ({sizes}); in {self.hidden} an earlier filter hides an obstacle"
        seeds = {seed for several in self.violated.values() for seed, _ in several}
        yield f"{len(seeds)} clusters with violations"
        for rule, several in sorted(self.violated.items(), key=lambda item: -len(item[1])):
            named = sorted({seed for seed, _ in several})
            yield f"\n{len(named)} clusters: {rule}\n  seeds {named[:12]}"
            for seed, one in several[:shown]:
                yield f"  seed {seed}\n    expected {one.expected}\n    got      {one.got}"


def _special(brute: BruteForce) -> str:
    """What of the pod has an edit change more than the obstacle that it is for."""
    pod, claims = brute.cluster.pod, {volume.claim_name for volume in brute.cluster.pod.volumes}
    if _counts_by_choice(brute.cluster):
        return " [which domains a spread constraint counts depends on other obstacles]"
    if pod.affinity is not None and len(pod.affinity.pod_required) > 1:
        return " [other pods have to match several terms at once]"
    return " [a claim refuses the pod as a whole, beside others]" if claims & _WHOLE and len(claims) > 1 else ""


_WHOLE = {"missing", "unbound"}


def _counts_by_choice(cluster: MixedCluster) -> bool:
    """Whether spreading counts nodes by the pod's selector, its tolerations, or the key of another constraint."""
    constraints = cluster.pod.topology_spread_constraints
    lacking = any(one.topology_key not in node.labels for one in constraints for node in cluster.nodes)
    return (lacking and len(constraints) > 1) or any(
        (one.node_affinity_policy == "Honor" and (cluster.pod.node_selector or _asks_for_nodes(cluster.pod)))
        or one.node_taints_policy == "Honor"
        for one in constraints
    )


def _asks_for_nodes(pod: Pod) -> bool:
    return pod.affinity is not None and pod.affinity.node_required is not None


def all_violations(brute: BruteForce) -> list[Violation]:
    """Those of the diagnosis, and those of the remedies."""
    trials = trials_on(brute.cluster, cached=True)
    return [*violations(brute, diagnose(trials, WAITING)), *violations_of_remedies(brute)]


def violations_of_remedies(brute: BruteForce) -> list[Violation]:
    """The first remedy does not bind the pod in a fresh run, or single edits of some kind bind it and none of the
    remedies is of that kind."""
    trials = trials_on(brute.cluster, cached=True)
    first = next(iter(remedies(trials, WAITING).verified), None)
    tried = [one for one in search(trials, WAITING).tried if one.remedy.status == VERIFIED]
    wrong = [] if first is None else _of_first(brute, first, tried)
    kinds = [parts_changed(brute.cluster, with_changes(brute.cluster, one.changes)) for one in tried]
    binding = binding_edits(brute.cluster) if brute.size == 1 or not tried else ()
    for text, after in binding:
        if not any(kind <= parts_changed(brute.cluster, after) for kind in kinds):
            rule = "single edits of each kind that bind are remedies"
            return [*wrong, Violation(rule, text, [one.remedy.text for one in tried])]
    return wrong


def _of_first(brute: BruteForce, first: Remedy, tried: list[TriedRemedy]) -> list[Violation]:
    changes = next((one.changes for one in tried if one.remedy.text == first.text), None)
    if changes is not None and changes_bind(brute.cluster, changes):
        return []
    return [Violation("the first remedy binds the pod in a fresh run", got=first.text)]
