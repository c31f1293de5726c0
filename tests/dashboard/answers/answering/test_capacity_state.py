"""What an answer worker keeps of a cluster at rest."""

from __future__ import annotations

from dashboard.answers.answering.capacity_state import MOST_TABLES, CapacityState, group_facts
from scheduler_core.api.objects import ClusterObjects
from scheduler_core.capacity.groups.found import FoundGroups
from scheduler_core.capacity.groups.model import like
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.capacity.clusters import web

NODE = make_node("n", cpu="4", labels={"topology.kubernetes.io/zone": "a"}, taints=["gpu=yes:NoSchedule"])

NONE = FoundGroups([])


def state():
    pods = [web("w0", node="n"), web("w1"), make_pod("alone", cpu="2")]
    return CapacityState(RunInputs(objects=ClusterObjects(nodes=[NODE], pods=pods)))


def test_controllers_are_offered_by_their_number_of_pods():
    assert [(one.pod, one.owner, one.pods) for one in state().offers] == [
        ("default/w0", "ReplicaSet/web", 2),
        ("default/alone", "", 1),
    ]


def test_a_node_says_what_the_question_about_all_nodes_knows():
    one = state()
    assert one.line("n").need is None
    one.sweep(lambda: False)
    assert (one.line("n").pods, one.line("n").need.needed) == (1, True)


def test_the_oldest_tables_are_forgotten():
    one = state()
    first = one.table(0, lambda: NONE, "", by_price=False)
    for key in range(1, MOST_TABLES):
        one.table(key, lambda: NONE, "", by_price=False)
    assert one.table(0, lambda: NONE, "", by_price=False) is first
    one.table("more", lambda: NONE, "", by_price=False)
    assert one.table(0, lambda: NONE, "", by_price=False) is first
    assert len(one._tables) == MOST_TABLES


def test_the_facts_of_a_group_are_those_of_its_template():
    facts = group_facts(state().resting, like(NODE, "pool"))
    assert (facts.name, facts.source, facts.zone, facts.taints) == ("pool", "like n", "a", ("gpu=yes:NoSchedule",))
    assert (facts.present, facts.maximum, facts.amounts["cpu"]) == (0, None, 4_000)
