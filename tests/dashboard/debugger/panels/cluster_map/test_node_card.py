"""The card of one node."""

from __future__ import annotations

from dashboard.debugger.panels.cluster_map import node_card
from tests.dashboard.debugger.conftest import page_of


def needs(card):
    """Return {resource: (need, free, look)}."""
    return {line.resource: (line.need, line.free, line.look) for line in card.needs}


def test_winner_is_shown_with_need_and_what_was_free_without_the_pod(panel):
    card = panel("one").node_card
    assert (card.name, card.label in ("winner", "drawn")) == (panel("one").source.cycle.winner, True)
    whole = 2 if card.name.startswith("t4") else 8
    assert needs(card)["gpu"] == ("1", str(whole), "is-shown")
    assert card.pods.lines[-1].key == "default/one"
    assert card.pods.lines[-1].look == "is-cursor"
    assert card.pods.lines[-1].cycle == panel("one").source.cycle.row.number
    assert (card.joining, card.left) == ("", str(whole - 1))


def test_selected_node_shows_what_falls_short_and_who_is_there(panel):
    card = panel("one", node="t4-0").node_card
    assert (card.name, card.meaning, card.label) == ("t4-0", "unsched", "refused")
    assert needs(card)["gpu"] == ("1", "0", "is-shown is-short")
    assert [(line.key, line.takes, line.cycle, line.came) for line in card.pods.lines] == [
        ("default/old-0", "2", 0, node_card.BEFORE)
    ]
    assert card.left == "0"


def test_before_the_pod_is_placed_the_card_says_what_stays_free(panel, gpu_run):
    cycle = panel("one").source.cycle
    card = page_of(gpu_run, cycle=cycle.row.number, point="Filter", node=cycle.winner).map.node_card
    whole = 2 if card.name.startswith("t4") else 8
    assert (card.joining, card.left, card.left_label) == ("1", str(whole - 1), "then free")
    assert card.pods.count == 0


def test_nominated_node_is_shown_with_its_victims(run, cycle_of):
    card = page_of(run, cycle=cycle_of("big-0").number).map.node_card
    assert card.label == "nominated"
    assert [line.look for line in card.pods.lines] == ["is-leaving"]
    assert card.pods.lines[0].note
    assert (card.left, card.left_label) == ("4", "free once they left")


def test_nothing_is_shown_where_no_node_is_chosen_or_there(panel):
    assert panel("many").node_card is None
    assert panel("one", node="nowhere").node_card is None


def test_pods_come_in_pages_in_the_order_in_which_they_came(execute):
    from tests.dashboard.run_helpers import node, pod

    run = execute([node("only"), *(pod(f"p-{n}", "10m") for n in range(90))], slug="many")
    map_panel = page_of(run, seq=run.head.seq, node="only").map
    pages = [map_panel.pods_on("only", number) for number in (1, 2, 3)]
    assert [len(page.lines) for page in pages] == [40, 40, 10]
    assert [page.after for page in pages] == [2, 3, 0]
    assert pages[1].following == 10
    cycles = [line.cycle for page in pages for line in page.lines]
    assert cycles == sorted(cycles)
    assert len({line.key for page in pages for line in page.lines}) == 90
