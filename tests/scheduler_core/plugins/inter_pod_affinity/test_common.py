"""Classes of pods whose terms may mean a pod are found by label as by asking each."""

from __future__ import annotations

from random import Random

from scheduler_core.plugins.inter_pod_affinity.common import TermIndex
from scheduler_core.testing.builders import make_cluster, make_node
from tests.scheduler_core.random_pods import put_pods, random_labels
from tests.seeds import each_seed


@each_seed(range(20), together=20)
def test_terms_found_by_label_are_all_that_mean_a_pod(seed):
    random, cluster = Random(100 + seed), make_cluster([make_node("n0"), make_node("n1")])
    index = TermIndex(cluster)
    for step in range(3):
        put_pods(cluster, random, range(20 * step, 20 * step + 20))
        labels, first = random_labels(random), random.randrange(len(cluster.classes.all) + 1)
        classes = {cls.id for cls in index.selecting(labels, first)}
        meant = set()
        for cls in cluster.classes.all[first:]:
            terms = index.of(cls)
            if terms is not None and any(t.matches(labels, cls.namespace) for kind in terms.kinds for t in kind):
                meant.add(cls.id)
        assert classes >= meant
        assert all(i >= first for i in classes)
