"""What is selected on the map, by the address alone."""

from __future__ import annotations

from dashboard.clusters.map.selection import PODS_SHOWN, read_selection
from tests.dashboard.clusters.map.test_cluster_map import GPU, a_node, a_pod, container, map_of


def a_map(count=3):
    pods = [a_pod(f"p-{i}", "n-1", containers=[container(cpu="1", **{GPU: "1"})]) for i in range(count)]
    return map_of([a_node("n-1", **{GPU: "2"}), a_node("n-2"), *pods, a_pod("waits", containers=[container()])])


def test_a_node_lists_each_resource_that_it_has_or_owes():
    card = read_selection(a_map(), {"node": "n-1"}).node_card
    assert [(one.name, one.text, one.is_over) for one in card.amounts] == [
        ("cpu", "3 of 8", False),
        ("memory", "0 of 32Gi", False),
        ("pods", "3 of 20", False),
        (GPU, "3 of 2", True),
    ]


def test_a_selected_pod_stands_among_those_shown():
    selection = read_selection(a_map(PODS_SHOWN + 9), {"pod": f"ns/p-{PODS_SHOWN + 8}"})
    assert (selection.node, len(selection.node_card.pods), selection.node_card.more) == ("n-1", PODS_SHOWN, 9)
    assert [pod.key for pod in selection.node_card.pods if pod.is_selected] == [f"ns/p-{PODS_SHOWN + 8}"]


def test_a_pod_wins_over_a_node_so_that_there_is_one_selection():
    selection = read_selection(a_map(), {"pod": "ns/waits", "node": "n-2"})
    assert (selection.pod, selection.node, selection.node_card) == ("ns/waits", "", None)


def test_nothing_is_selected_by_default():
    selection = read_selection(a_map(), {})
    assert (selection.node, selection.pod, selection.unknown) == ("", "", "")
