"""One obstacle on the nodes of a set."""

from __future__ import annotations

from scheduler_core.explain.diagnosis.model import ObstacleKey
from scheduler_core.explain.diagnosis.obstacle_facts import ObstacleFacts
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.diagnosed import table_of

CPU = ObstacleKey("SHORT_CPU", "cpu")


def test_only_rows_that_have_the_obstacle_are_of_it() -> None:
    nodes = [make_node("a", cpu="2"), make_node("b", cpu="8"), make_node("c", cpu="3")]
    with table_of(nodes, [make_pod("p", cpu="4")]) as table:
        facts = ObstacleFacts(table, CPU, [0, 1, 2])
        assert [(name, fact.allocatable) for name, fact in facts] == [("a", 2000), ("c", 3000)]
        assert [fact.allocatable for fact in facts.values] == [2000, 3000]
        assert ([node.name for node in facts.nodes], len(facts.all_nodes)) == (["a", "c"], 3)
        assert (facts.pod.name, facts.by_nominated) == ("p", False)
        assert len(ObstacleFacts(table, CPU, [1])) == 0


def test_that_nominated_pods_alone_make_it_one_is_known() -> None:
    rival = make_pod("rival", cpu="3", priority=10, nominated_node_name="n")
    with table_of([make_node("n", cpu="4")], [rival, make_pod("p", cpu="2")]) as table:
        (key,) = table.by_row[0]
        assert ObstacleFacts(table, key, [0]).by_nominated
