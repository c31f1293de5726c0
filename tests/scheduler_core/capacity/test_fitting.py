from __future__ import annotations

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import Affinity, PodAffinityTerm
from scheduler_core.capacity.fitting import how_many_fit
from scheduler_core.testing.builders import make_node
from tests.scheduler_core.capacity.clusters import resting, web

NODES = [make_node("a", cpu="4"), make_node("b", cpu="8")]


def test_copies_fill_the_nodes():
    answer = how_many_fit(resting(NODES, [web("there", "3", "a")]), web("one", "1"))
    assert (answer.count, answer.by_node, answer.codes) == (9, {"a": 1, "b": 8}, ("SHORT_CPU",))


def test_the_shape_that_is_full_first_comes_first():
    answer = how_many_fit(resting(NODES), web("one", "2"))
    assert [(one.shape, one.count, one.full_after) for one in answer.by_shape] == [
        ("4 cpu, 8 Gi", 2, 3), ("8 cpu, 8 Gi", 4, 5),
    ]  # fmt: skip


def test_copies_that_keep_each_other_away_are_placed_one_by_one():
    term = PodAffinityTerm(
        topology_key="kubernetes.io/hostname", label_selector=LabelSelector((Requirement("app", "In", ("web",)),))
    )
    answer = how_many_fit(resting(NODES), web("one", affinity=Affinity(anti_required=(term,))))
    assert (answer.count, answer.codes[:1]) == (2, ("ANTI_AFFINITY_OWN",))


def test_none_fits_a_full_cluster():
    answer = how_many_fit(resting(NODES), web("one", "9"))
    assert (answer.count, answer.by_node, answer.codes) == (0, {}, ("TOO_LARGE",))


def test_what_was_asked_changes_nothing():
    cluster = resting(NODES)
    assert how_many_fit(cluster, web("one", "1")) == how_many_fit(cluster, web("one", "1"))
