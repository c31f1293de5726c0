"""How each node stands to the pod of the cursor."""

from __future__ import annotations

from collections import Counter

from dashboard.debugger.panels.cluster_map.node_states import NO_TOTAL, NodeState
from tests.dashboard.debugger.conftest import page_of


def by_name(nodes):
    """Return {name: state}."""
    return dict(zip(nodes.names, map(NodeState, nodes.states.tolist()), strict=True))


def test_nodes_without_the_resource_are_unresolvable_and_full_ones_refused(panel):
    state_of_node = by_name(panel("one").nodes)
    assert {state_of_node[f"t4-{n}"] for n in range(5)} == {NodeState.REFUSED}
    assert {state_of_node["cpu-0"], state_of_node["cpu-1"]} == {NodeState.UNRESOLVABLE}
    assert {state_of_node["t4-5"], state_of_node["a100-0"]} == {NodeState.FITS}
    assert panel("one").nodes.word(panel("one").nodes.place_of["cpu-0"]) == "has no gpu"


def test_shares_are_those_at_the_cursor(panel):
    nodes = panel("one").nodes
    share = dict(zip(nodes.names, nodes.share.tolist(), strict=True))
    assert share["t4-0"] == 1.0
    assert share["cpu-0"] == 0.0
    winner = nodes.source.cycle.winner
    assert share[winner] in (0.5, 0.125)
    before = page_of(nodes.source.cycle.row.run, cycle=nodes.source.cycle.row.number, point="Filter").map.nodes
    assert before.share[before.place_of[winner]] == 0.0


def test_nodes_among_which_the_winner_was_drawn_are_equal(panel):
    nodes = panel("plain").nodes
    equal = {name for name, is_equal in zip(nodes.names, nodes.is_equal, strict=True) if is_equal}
    assert nodes.source.cycle.winner in equal
    assert len(equal) == nodes.source.cycle.selected.tie_count
    assert {int(nodes.totals[nodes.place_of[name]]) for name in equal} == {nodes.source.cycle.selected.total}


def test_candidates_and_the_nominated_node_of_a_preemption(run, cycle_of):
    nodes = page_of(run, cycle=cycle_of("big-0").number).map.nodes
    assert Counter(by_name(nodes).values()) == Counter(
        {NodeState.NOMINATED: 1, NodeState.CANDIDATE: 1, NodeState.UNRESOLVABLE: 1}
    )


def test_before_the_filter_phase_nothing_is_known(gpu_run):
    nodes = page_of(gpu_run, seq=0, map="cpu").map.nodes
    assert set(by_name(nodes).values()) == {NodeState.UNKNOWN}
    assert set(nodes.totals.tolist()) == {NO_TOTAL}
    without = page_of(gpu_run, seq=0, map="nvidia.com/gpu").map.nodes
    assert by_name(without)["cpu-1"] == NodeState.UNRESOLVABLE


def test_names_are_short_where_all_nodes_share_a_domain(execute):
    from tests.dashboard.run_helpers import node

    names = ["ip-1.eu.internal", "ip-2.eu.internal"]
    nodes = page_of(execute([node(name) for name in names], slug="same"), seq=0).map.nodes
    assert [nodes.short(name) for name in names] == ["ip-1", "ip-2"]
    mixed = page_of(execute([node("ip-1.eu.internal"), node("ip-1.us.internal")], slug="other"), seq=0).map.nodes
    assert mixed.short("ip-1.eu.internal") == "ip-1.eu.internal"
