"""Classes of pods that a selector may match, or whose terms may mean a pod, are found by label as by asking each."""

from __future__ import annotations

from random import Random

import pytest

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import (
    Affinity,
    OwnerReference,
    PodAffinityTerm,
    WeightedPodAffinityTerm,
    WorkloadSelector,
)
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import labels_of_any
from scheduler_core.plugins.inter_pod_affinity.common import TermIndex
from scheduler_core.plugins.pod_topology_spread.common import Workloads
from scheduler_core.testing.builders import make_cluster, make_node, make_pod

KEYS, VALUES = ("app", "tier"), ("a", "b", "c")
NAMESPACES = ("one", "two")


def random_selector(random: Random) -> LabelSelector:
    """One to three requirements of all kinds, or none at all."""
    found = []
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        operator = random.choice(("In", "In", "NotIn", "Exists", "DoesNotExist"))
        values = tuple(random.sample(VALUES, random.choice((1, 1, 2)))) if operator.endswith("In") else ()
        found.append(Requirement(random.choice(KEYS), operator, values))
    return LabelSelector(tuple(found))


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


@pytest.mark.parametrize("seed", range(20))
def test_classes_found_by_label_are_all_that_match(seed):
    random, cluster = Random(seed), make_cluster([make_node("n0"), make_node("n1")])
    put_pods(cluster, random, range(40))
    classes = cluster.classes
    for _ in range(30):
        selector, first = random_selector(random), random.randrange(len(classes.all) + 1)
        found = {cls.id for cls in classes.selected(selector, first)}
        assert found >= {cls.id for cls in classes.all[first:] if selector.matches(cls.labels)}
        assert all(i >= first for i in found)
        wanted = labels_of_any(selector)
        if wanted is not None:
            assert all(set(wanted) & set(classes.all[i].labels.items()) for i in found)


@pytest.mark.parametrize("seed", range(20))
def test_terms_found_by_label_are_all_that_mean_a_pod(seed):
    random, cluster = Random(100 + seed), make_cluster([make_node("n0"), make_node("n1")])
    index = TermIndex(cluster)
    for step in range(3):
        put_pods(cluster, random, range(20 * step, 20 * step + 20))
        labels, first = random_labels(random), random.randrange(len(cluster.classes.all) + 1)
        found = {cls.id for cls in index.meaning(labels, first)}
        meant = set()
        for cls in cluster.classes.all[first:]:
            terms = index.of(cls)
            if terms is not None and any(t.matches(labels, cls.namespace) for kind in terms.kinds for t in kind):
                meant.add(cls.id)
        assert found >= meant
        assert all(i >= first for i in found)


@pytest.mark.parametrize("seed", range(20))
def test_tallies_are_the_same_with_and_without_candidates(seed):
    random, cluster = Random(200 + seed), make_cluster([make_node("n0"), make_node("n1")])
    selector = random_selector(random)

    def weight_of(cls):
        return 3 * selector.matches(cls.labels)

    for step in range(4):
        put_pods(cluster, random, range(50 * step, 50 * step + random.choice((1, 50))))
        for key in random.sample(sorted(cluster.pods), len(cluster.pods) // 3):
            cluster.drop_pod(key)
        every = cluster.tally("every", weight_of)
        among = cluster.tally("among", weight_of, lambda first: cluster.classes.selected(selector, first))
        counted = [sum(weight_of(pod.cls) for pod in cluster.pods_on(row).values()) for row in range(2)]
        assert every.counts.tolist()[:2] == among.counts.tolist()[:2] == counted
        assert every.total == among.total == sum(counted)


@pytest.mark.parametrize("seed", range(20))
def test_workloads_found_by_label_and_owner_are_all_that_select_a_pod(seed):
    random, kinds = Random(300 + seed), ("Service", "Service", "ReplicaSet", "StatefulSet")
    workloads = [
        WorkloadSelector(
            kind=random.choice(kinds),
            name=f"w{i}",
            namespace=random.choice(NAMESPACES),
            selector=random.choice((random_selector(random), None)),
        )
        for i in range(25)
    ]
    found = Workloads(workloads)
    for i in range(40):
        owner = random.choice(workloads)
        owners = [OwnerReference(kind=owner.kind, name=owner.name, controller=random.random() < 0.7)]
        pod = make_pod(
            f"p{i}",
            namespace=random.choice(NAMESPACES),
            labels=random_labels(random),
            owner_references=tuple(owners) if owner.kind != "Service" else (),
        )
        wanted = []
        for workload in workloads:
            if workload.selector is None or workload.namespace != pod.namespace:
                continue
            identity = workload.kind, workload.name
            owned = any(o.controller and (o.kind, o.name) == identity for o in pod.owner_references)
            if workload.selector.matches(pod.labels) if workload.kind == "Service" else owned:
                wanted += workload.selector.requirements
        assert found.selector_for(pod).requirements == tuple(dict.fromkeys(wanted))
