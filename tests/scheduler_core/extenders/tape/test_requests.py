from __future__ import annotations

import pytest

from scheduler_core.extenders.tape.requests import RequestTables, UnknownPartError
from tests.scheduler_core.extenders.tape.taping import on_bind, on_nodes, on_victims

SAME = [
    (on_nodes(["n1", "n2"]), on_nodes(["n2", "n1"])),
    (on_nodes(["n1", "n2"]), on_nodes(["n2", "n1", "n2"], step=9)),
    (on_nodes([]), on_nodes([])),
    (on_victims({"n1": (["a", "b"], 1), "n2": (["c"], 0)}), on_victims({"n2": (["c"], 0), "n1": (["a", "b"], 1)})),
]
OTHER = [
    (on_nodes(), on_nodes(["n1"])),
    (on_nodes(), on_nodes(verb="prioritize")),
    (on_nodes(), on_nodes(extender=1)),
    (on_nodes(), on_nodes(of="q")),
    (on_nodes(), on_nodes(objects=True)),
    (on_nodes(["n1"]), on_bind("n1")),
    (on_bind("n1"), on_bind("n2")),
    (on_victims({"n1": (["a", "b"], 1)}), on_victims({"n1": (["b", "a"], 1)})),
    (on_victims({"n1": (["a", "b"], 1)}), on_victims({"n1": (["a", "b"], 2)})),
    (on_victims({"n1": (["a", "b"], 1)}), on_victims({"n1": (["a"], 1), "n2": (["b"], 1)})),
    (on_victims({"n1": (["a"], 0)}), on_victims({"n1": (["a"], 0)}, objects=True)),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_neither_the_order_of_nodes_nor_the_attempt_makes_another_request(one, other):
    tables = RequestTables()
    assert tables.add(one) == tables.add(other) == tables.key(other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_any_compared_part_makes_another_request(one, other):
    tables = RequestTables()
    assert tables.add(one) != tables.add(other)


@pytest.mark.parametrize("objects", [True, False])
def test_victims_are_compared_by_uid_in_both_forms(objects):
    tables = RequestTables()
    tables.add(on_victims({"n1": (["a", "b"], 1)}, objects=objects))
    assert list(tables.uids) == ["a", "b"]
    assert list(tables.nodes) == ["n1"]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (on_nodes(of="q"), "no request for a pod of this name with UID 'uid-q'"),
        (on_nodes(["n1", "n9"]), "no request with node n9"),
        (on_nodes(["n1"]), "no request with this set of 1 nodes"),
        (on_victims({"n1": (["z"], 0), "n2": (["a"], 0)}), "no request with a victim of UID 'z'"),
    ],
)
def test_a_request_with_an_unknown_part_says_which_and_adds_nothing(call, text):
    tables = RequestTables()
    tables.add(on_nodes(["n1", "n2"]))
    tables.add(on_victims({"n1": (["a"], 0), "n2": (["a"], 0)}))
    with pytest.raises(UnknownPartError) as error:
        tables.key(call)
    assert str(error.value) == text
    assert (len(tables.nodes), len(tables.pods), len(tables.uids), len(tables.node_sets)) == (2, 1, 1, 1)
