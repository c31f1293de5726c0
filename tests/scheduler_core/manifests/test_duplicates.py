"""Objects that are given more than once: the same, a later state of a watch, or another object of that name."""

from __future__ import annotations

import json

from scheduler_core.manifests import dump_yaml
from tests.scheduler_core.manifests.forms.reading import loaded, node


def test_states_of_one_object_in_one_text_are_one_object() -> None:
    """What a watch without events writes: the object again, with its uid and another resourceVersion."""
    states = [node("a", uid="u", resourceVersion=str(n), labels={"n": str(n)}) for n in range(3)]
    for text in ("\n".join(json.dumps(state) for state in states), dump_yaml(states)):
        result = loaded(text)
        assert [(one.name, one.raw["metadata"]["labels"]) for one in result.manifests] == [("a", {"n": "2"})]
        assert [(one.severity, one.object) for one in result.findings] == [("warning", "")]


def test_nodes_of_two_clusters_are_named_as_such() -> None:
    text = dump_yaml([node("a", uid="u"), node("a", uid="v")])
    (error,) = loaded(text).errors
    assert "two clusters" in error.message


def test_states_in_a_list_are_two_objects_of_one_name() -> None:
    states = [node("a", uid="u", resourceVersion=str(n)) for n in range(2)]
    assert [one.field for one in loaded(json.dumps(states)).errors] == ["metadata.name"]


def test_the_same_objects_again_are_named_up_to_three() -> None:
    nodes = [node(f"n{i}") for i in range(6)]
    result = loaded(dump_yaml([*nodes, *nodes]))
    assert (len(result.objects.nodes), result.errors) == (6, [])
    assert [one.message.split(" ")[0] for one in result.warnings] == ["n0", "n1", "n2", "3"]
