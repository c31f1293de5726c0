"""The panel around the map: its choices, totals and the pane's size."""

from __future__ import annotations

import pytest

from dashboard.clusters.map.panel import NODE_SORTS, PAGE, map_panel, map_query, node_table
from dashboard.common.problems import BadQuery
from tests.dashboard.clusters.conftest import node, pod
from tests.dashboard.clusters.map.test_cluster_map import GPU, a_node, a_pod, container, generated, map_of


class OfContents:
    """A page of contents, without a database."""

    def __init__(self, contents):
        self.contents = contents
        self.version = "abc"


@pytest.fixture
def page():
    from dashboard.clusters.revisions.contents import Contents
    from scheduler_core.manifests import load_manifests

    def made(*objects):
        loaded = load_manifests(list(objects), source="test", is_whole=True)
        return OfContents(Contents(list(objects), loaded))

    return made


def test_pods_that_wait_are_a_number_of_their_own(page):
    panel = map_panel(page(node("a"), pod("bound", "a"), pod("waits", cpu="2")), {})
    cpu = panel.tiles[0]
    assert (cpu.sums, cpu.share, cpu.unbound) == ("500m / 8", "6 %", "2")
    assert (panel.bound, panel.unbound) == (1, 1)


def test_an_extended_resource_stands_beside_the_others(page):
    container_of_gpu = {"name": "c", "image": "i", "resources": {"requests": {GPU: "1"}, "limits": {GPU: "1"}}}
    panel = map_panel(page(node("a"), pod("p", "a", containers=[container_of_gpu])), {})
    assert [(tile.label, tile.whole, tile.over) for tile in panel.tiles][-1] == ("gpu", 0, "1 over")


@pytest.mark.parametrize(("count", "size"), [(3, "few"), (20, "some"), (41, "many")])
def test_the_pane_is_as_high_as_so_many_nodes_need(page, count, size):
    assert map_panel(page(*[node(f"n-{i}") for i in range(count)]), {}).size == size


def test_groupings_are_those_that_nodes_have(page):
    panel = map_panel(page(node("a")), {})
    assert [(one.name, one.is_on) for one in panel.groupings] == [("zone", True), ("none", False)]
    bare = node("b")
    bare["metadata"]["labels"] = {}
    assert map_panel(page(bare), {}).groupings == []


def test_a_group_of_pods_behind_those_shown_is_counted(page):
    crowd = [pod(f"{'abcdefghijklmnopqrstuvwxyz'[i % 26] * (2 + i // 26)}x") for i in range(80)]
    panel = map_panel(page(node("n"), *crowd), {})
    assert sum(group.count for group in panel.unbound_groups) + sum(count for _, count in panel.more_unbound) == 80


def test_the_query_names_only_what_is_there():
    cluster_map = map_of([a_node("n-1"), a_pod("p", "n-1", containers=[container(cpu="1")])])
    assert map_query(cluster_map, {"resource": "cpu", "group": "none"}).resource == "cpu"
    for wrong in ({"resource": GPU}, {"group": "rack"}, {"view": "globe"}, {"sort": "colour"}):
        with pytest.raises(BadQuery):
            map_query(cluster_map, wrong)


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
