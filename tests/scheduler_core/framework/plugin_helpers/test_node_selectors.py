"""Shared kernels: memos, row windows, and node selectors over columns against the objects' own matching."""

from __future__ import annotations

import pytest

from scheduler_core.api.labels import NodeSelectorTerm, Requirement
from scheduler_core.framework.plugin_helpers.node_selectors import GenerationMemo, requirement_mask, same_pod, term_mask
from scheduler_core.testing.builders import make_cluster, make_node, make_pod

NODES = [
    make_node("a", labels={"gen": "10", "zone": "x"}),
    make_node("b", labels={"gen": "9"}),
    make_node("c", labels={"gen": "ten", "zone": ""}),
    make_node("d"),
    make_node("e", labels={"gen": "1_000"}),
    make_node("f", labels={"gen": "99999999999999999999"}),
]


@pytest.mark.parametrize("key", ["gen", "zone", "absent"])
@pytest.mark.parametrize(
    ("operator", "values"),
    [("In", ("10", "x")), ("NotIn", ("9", "")), ("Exists", ()), ("DoesNotExist", ()), ("Gt", ("9",)), ("Lt", ("10",))],
)
def test_masks_say_what_requirements_say(key: str, operator: str, values: tuple[str, ...]) -> None:
    table = make_cluster(NODES).table
    requirement = Requirement(key, operator, values)
    mask = requirement_mask(table, requirement)
    assert {n.name: bool(mask[table.row_of[n.name]]) for n in NODES} == {
        n.name: requirement.matches(n.labels) for n in NODES
    }


@pytest.mark.parametrize(
    "term",
    [
        NodeSelectorTerm(),
        NodeSelectorTerm((Requirement("gen", "Exists"), Requirement("zone", "NotIn", ("x",)))),
        NodeSelectorTerm((), (Requirement("metadata.name", "In", ("a", "gone")),)),
        NodeSelectorTerm((Requirement("gen", "Exists"),), (Requirement("metadata.name", "NotIn", ("a",)),)),
        NodeSelectorTerm((), (Requirement("metadata.namespace", "NotIn", ("a",)),)),
        NodeSelectorTerm((), (Requirement("metadata.name", "Exists"),)),
    ],
)
def test_masks_say_what_terms_say(term: NodeSelectorTerm) -> None:
    table = make_cluster(NODES).table
    mask = term_mask(table, term)
    assert [bool(mask[table.row_of[n.name]]) for n in NODES] == [term.matches(n.name, n.labels) for n in NODES]


def test_a_memo_forgets_with_the_generation_and_when_it_is_full() -> None:
    memo: GenerationMemo[list[int]] = GenerationMemo(limit=2)
    first = memo.get(1, "k", lambda: [1])
    assert memo.get(1, "k", lambda: [2]) is first
    assert memo.get(2, "k", lambda: [3]) == [3]
    memo.get(2, "l", lambda: [4])
    assert memo.get(2, "k", lambda: [5]) == [5]


def test_versions_of_a_pod_are_the_same_pod() -> None:
    assert same_pod(make_pod("p"), make_pod("p", cpu="2"))
    assert not same_pod(make_pod("p", uid=""), make_pod("q", uid=""))
    assert not same_pod(make_pod("p"), make_pod("p", uid="another"))


def test_only_plain_int64_numbers_are_compared() -> None:
    """strconv.ParseInt takes neither underscores nor numbers beyond int64."""
    greater = Requirement("gen", "Gt", ("9",))
    assert [n.name for n in NODES if greater.matches(n.labels)] == ["a"]
