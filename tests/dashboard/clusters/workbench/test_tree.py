"""The tree of a draft's objects."""

from __future__ import annotations

import pytest

from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.workbench import tree as tree_module
from dashboard.clusters.workbench.filtering import parse_filter
from dashboard.clusters.workbench.tree import build_tree, found_by, opened_at_selected, tree_items


@pytest.fixture
def contents(cluster):
    return read_contents(cluster.revisions.get())


def lines(tree):
    return [(line.depth, line.name, line.count) for line in tree.lines]


def test_the_closed_tree_counts_each_kind_and_reads_no_more(contents):
    tree = build_tree(contents, {}, {})
    assert lines(tree) == [(0, "Node", 2), (0, "Pod", 3), (0, "PriorityClass", 1)]
    assert len(tree_items(contents)) == 6


def test_a_branch_opens_by_the_address_down_to_its_objects(contents):
    tree = build_tree(contents, {}, {"at": "Node/zone-b", "group": "zone"})
    assert lines(tree) == [
        (0, "Node", 2),
        (1, "zone-a", 1),
        (1, "zone-b", 1),
        (2, "node-b", 0),
        (0, "Pod", 3),
        (0, "PriorityClass", 1),
    ]
    leaf = tree.lines[3]
    assert leaf.url == "?at=Node%2Fzone-b&group=zone&node=node-b"
    assert tree.lines[2].is_open
    assert tree.lines[2].url == "?group=zone&at=Node"


def test_pods_stand_by_namespace_and_workload(contents):
    tree = build_tree(contents, {}, {"at": "Pod/default/"})
    assert (tree.lines[2].name, tree.lines[3].name) == ("default", "no workload")
    assert [line.name for line in tree.lines[4:7]] == ["web-1", "web-2", "job-1"]


def test_the_branch_of_a_selected_object_opens_at_its_page(contents, monkeypatch):
    monkeypatch.setattr(tree_module, "PAGE_SIZE", 1)
    query = opened_at_selected(contents, {"pod": "default/web-2"})
    assert query == {"pod": "default/web-2", "at": "Pod/default/", "lines": "2"}
    leaf = next(line for line in build_tree(contents, {}, query).lines if line.item)
    assert (leaf.name, leaf.is_selected) == ("web-2", True)
    assert opened_at_selected(contents, {"node": "node-b"})["at"] == "Node/zone-b"
    assert opened_at_selected(contents, {"kind": "PriorityClass", "name": "high"})["at"] == "PriorityClass"


@pytest.mark.parametrize(
    "query",
    [{}, {"node": "gone"}, {"node": "node-b", "q": ":pod"}, {"node": "node-b", "at": "Pod"}, {"new": "Pod"}],
)
def test_a_branch_or_filter_of_the_address_goes_before_the_selected_object(contents, query):
    assert opened_at_selected(contents, query) == query


def test_a_branch_that_is_not_there_opens_what_is(contents):
    assert lines(build_tree(contents, {}, {"at": "Node/nowhere/x"}))[:3] == [
        (0, "Node", 2),
        (1, "zone-a", 1),
        (1, "zone-b", 1),
    ]


def test_objects_that_the_draft_changed_are_counted_and_marked(contents):
    changed = {Key("Node", "", "node-b"): "changed"}
    tree = build_tree(contents, changed, {"at": "Node/zone-b"})
    assert [line.changed for line in tree.lines[:4]] == [1, 0, 1, "changed"]


def test_the_selected_object_is_marked_and_pages_keep_it(contents):
    tree = build_tree(contents, {}, {"at": "PriorityClass", "kind": "PriorityClass", "name": "high"})
    assert [line.name for line in tree.lines if line.is_selected] == ["high"]


@pytest.mark.parametrize(
    ("q", "names"),
    [
        ("web", ["web-1", "web-2"]),
        (":node", ["node-a", "node-b"]),
        ("web /!web-1", ["web-2"]),
        ("-l app=job", ["job-1"]),
        ("-l topology.kubernetes.io/zone=zone-b", ["node-b"]),
        ("-n default -l app!=web", ["job-1"]),
        (":pc -l !x", ["high"]),
        ("nothing-has-this", []),
    ],
)
def test_a_filter_finds_objects_of_all_kinds(contents, q, names):
    assert [item.name for item in found_by(contents, parse_filter(q))] == names
    tree = build_tree(contents, {}, {"q": q})
    assert tree.is_found
    assert [line.name for line in tree.lines] == names


def test_a_filter_that_cannot_be_read_says_so_above_the_tree(contents):
    tree = build_tree(contents, {}, {"q": ":gadget"})
    assert "gadget" in tree.problem
    assert not tree.is_found
