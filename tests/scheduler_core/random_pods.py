"""Pods with labels, selectors and affinity at random, from few keys and values, so that many match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import Affinity, PodAffinityTerm, WeightedPodAffinityTerm
from scheduler_core.testing.builders import make_pod

if TYPE_CHECKING:
    from random import Random

    from scheduler_core.columns.cluster import Cluster

KEYS, VALUES = ("app", "tier"), ("a", "b", "c")
NAMESPACES = ("one", "two")


def random_selector(random: Random) -> LabelSelector:
    """One to three requirements of all kinds, or none at all."""
    requirements = []
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        operator = random.choice(("In", "In", "NotIn", "Exists", "DoesNotExist"))
        values = tuple(random.sample(VALUES, random.choice((1, 1, 2)))) if operator.endswith("In") else ()
        requirements.append(Requirement(random.choice(KEYS), operator, values))
    return LabelSelector(tuple(requirements))


def random_labels(random: Random) -> dict[str, str]:
    return {key: random.choice(VALUES) for key in KEYS if random.random() < 0.7}


def random_affinity(random: Random) -> Affinity | None:
    def term() -> PodAffinityTerm:
        return PodAffinityTerm(topology_key="zone", label_selector=random.choice((random_selector(random), None)))

    kinds = random.sample(("pod_required", "anti_required", "pod_preferred"), random.choice((0, 1, 2)))
    terms = {kind: (term(),) if kind.endswith("required") else (WeightedPodAffinityTerm(1, term()),) for kind in kinds}
    return Affinity(**terms) if terms else None


def put_pods(cluster: Cluster, random: Random, names: range) -> None:
    for i in names:
        pod = make_pod(f"p{i}", labels=random_labels(random), affinity=random_affinity(random))
        cluster.put_pod(cluster.info(pod), random.choice(("n0", "n1")))
