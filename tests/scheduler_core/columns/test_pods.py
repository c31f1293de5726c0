"""Classes of pods that a selector may match are found by label as by asking each."""

from __future__ import annotations

from random import Random

import pytest

from scheduler_core.columns.pods import labels_of_any
from scheduler_core.testing.builders import make_cluster, make_node
from tests.scheduler_core.random_pods import put_pods, random_selector


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
