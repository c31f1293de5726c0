"""What is cached for a class of pods holds until a node object, or an object that a lister serves, changes."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import PodDisruptionBudget
from scheduler_core.framework.incremental.phases import ClassCaches
from scheduler_core.testing.builders import make_cluster, make_node, make_pod


@pytest.fixture
def cluster():
    return make_cluster([make_node("n")])


def test_what_is_cached_of_a_class_is_there_for_its_next_pod(cluster):
    classes = ClassCaches(cluster)
    first = classes.of(cluster.info(make_pod("p")))
    assert classes.of(cluster.info(make_pod("q"))) is first
    assert classes.of(cluster.info(make_pod("r", cpu="2"))) is not first


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda cluster: cluster.listers.put(PodDisruptionBudget(name="web")), id="an object of a lister"),
        pytest.param(lambda cluster: cluster.put_node(make_node("n", labels={"zone": "a"})), id="a node object"),
        pytest.param(lambda cluster: cluster.put_node(make_node("m")), id="one more node"),
    ],
)
def test_nothing_is_taken_over_from_before_a_change(cluster, change):
    classes = ClassCaches(cluster)
    before = classes.of(cluster.info(make_pod("p")))
    change(cluster)
    after = classes.of(cluster.info(make_pod("p")))
    assert after is not before
    assert classes.of(cluster.info(make_pod("q"))) is after


def test_a_pod_that_names_its_node_shares_nothing(cluster):
    classes = ClassCaches(cluster)
    pod = cluster.info(make_pod("p", node_name="n"))
    assert classes.of(pod) is not classes.of(pod)
