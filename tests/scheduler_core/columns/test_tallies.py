"""Sums over pods are the same with and without an index of candidates."""

from __future__ import annotations

from random import Random

from scheduler_core.testing.builders import make_cluster, make_node
from tests.scheduler_core.random_pods import put_pods, random_selector
from tests.seeds import each_seed


@each_seed(range(20), together=20)
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
