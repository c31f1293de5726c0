"""The records of a diagnosis."""

from __future__ import annotations

import msgspec

from scheduler_core.explain.diagnosis.model import (
    MOST_NAMED,
    Diagnosis,
    EqualNodes,
    NodeList,
    Obstacle,
    ObstacleKey,
    ObstacleSet,
    readings,
)


def test_a_set_of_nodes_counts_all_and_names_the_first_in_order() -> None:
    names = [f"n{i:03}" for i in range(MOST_NAMED + 5)]
    assert NodeList.of(reversed(names)) == NodeList(len(names), tuple(names[:MOST_NAMED]))


def test_an_obstacle_is_the_same_wherever_it_stands() -> None:
    one = Obstacle(code="SELECTOR_NO_MATCH", subject="spec.nodeSelector", needs={"b": "2", "a": "1"}, text="here")
    other = msgspec.structs.replace(one, nodes=NodeList.of(["n"]), needs={"a": "1", "b": "2"}, text="there")
    assert one.key == other.key == ObstacleKey("SELECTOR_NO_MATCH", "spec.nodeSelector", (("a", "1"), ("b", "2")))


def test_readings_are_the_cause_then_its_equals_then_the_others() -> None:
    equal, second = ObstacleSet(codes=("B",)), ObstacleSet(codes=("C",))
    cause = ObstacleSet(codes=("A",), either=(equal,), also=(second,))
    assert [one.codes for one in readings(cause)] == [("A",), ("B",), ("C",)]


def test_a_diagnosis_comes_back_from_json() -> None:
    key = ObstacleKey("SHORT_CPU", "cpu")
    group = EqualNodes(nodes=("a", "b"), obstacles=(key,), texts=("too little cpu",), counted="NodeResourcesFit")
    made = Diagnosis(cause=ObstacleSet(codes=("SHORT_CPU",), obstacles=(Obstacle(code="SHORT_CPU"),)), groups=(group,))
    assert msgspec.json.decode(msgspec.json.encode(made), type=Diagnosis) == made
    assert group.count == 2
