"""The map as a table: all nodes, in the order of the map or by share, page by page."""

from __future__ import annotations

import pytest

from dashboard.clusters.map.node_table import NODE_SORTS, PAGE, node_table
from tests.dashboard.clusters.map.test_cluster_map import a_node, a_pod, container, generated, map_of


@pytest.mark.parametrize("sort", NODE_SORTS)
def test_the_pages_hold_every_node_once(sort):
    cluster_map = map_of([a_node(f"n-{i}") for i in range(2 * PAGE + 7)])
    pages = [node_table(cluster_map, "none", sort, page, "") for page in (1, 2, 3)]
    names = [row.node.name for page in pages for row in page.lines]
    assert sorted(names) == sorted(node.name for node in cluster_map.nodes)
    assert [(page.first, page.last, page.before, page.after) for page in pages] == [
        (1, PAGE, 0, 2),
        (PAGE + 1, 2 * PAGE, 1, 3),
        (2 * PAGE + 1, 2 * PAGE + 7, 2, 0),
    ]


def test_the_fullest_nodes_come_first_by_share():
    pods = [a_pod(f"p-{i}", f"n-{i}", containers=[container(cpu=str(i + 1))]) for i in range(4)]
    cluster_map = map_of([*[a_node(f"n-{i}") for i in range(4)], *pods])
    assert [row.node.name for row in node_table(cluster_map, "none", "share", 1, "").lines] == [
        "n-3",
        "n-2",
        "n-1",
        "n-0",
    ]


def test_without_a_page_it_is_that_of_the_selected_node():
    cluster_map = map_of([a_node(f"n-{i}") for i in range(2 * PAGE)])
    table = node_table(cluster_map, "none", "group", 0, f"n-{PAGE + 3}")
    assert [row.node.name for row in table.lines if row.is_selected] == [f"n-{PAGE + 3}"]


@pytest.mark.parametrize("seed", range(5))
def test_a_row_has_a_cell_for_each_resource_of_the_map(seed):
    nodes, pods = generated(seed)
    cluster_map = map_of([*nodes, *pods])
    table = node_table(cluster_map, "none", "group", 1, "")
    assert table.resources == [one.name for one in cluster_map.resources]
    for row in table.lines:
        for name, one in zip(table.resources, row.amounts, strict=True):
            asked = row.node.n_pods if name == "pods" else row.node.requested.get(name, 0)
            assert (one.used if one else 0) == asked
