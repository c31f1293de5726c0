"""The cards of small clusters."""

from __future__ import annotations

from tests.dashboard.debugger.conftest import page_of


def cards(panel):
    """Return {name: card}."""
    return {card.name: card for group in panel.card_groups for card in group.cards}


def test_refused_nodes_say_what_is_missing(panel):
    card_of_node = cards(panel("one"))
    assert card_of_node["t4-0"].reason == "short 1 gpu"
    assert card_of_node["cpu-0"].reason == "short 1 gpu"
    assert cards(panel("many"))["a100-0"].reason == "short 16 gpu" or "short" in cards(panel("many"))["a100-0"].reason
    assert (card_of_node["t4-0"].meaning, card_of_node["t4-0"].glyph) == ("unsched", "x")


def test_other_plugins_say_it_in_terms_of_the_objects(run, cycle_of):
    card_of_node = cards(page_of(run, cycle=cycle_of("never-0").number).map)
    assert "taint gpu=yes:NoSchedule" in card_of_node["taint-c"].reason
    assert card_of_node["full-a"].reason.startswith("short ")


def test_winner_equal_and_selected_nodes_are_marked(panel):
    map_panel = panel("plain", node="t4-0")
    winner = cards(map_panel)[map_panel.source.cycle.winner]
    assert (winner.glyph, "is-winner" in winner.look) == ("star", True)
    assert winner.reason.startswith("total ")
    equal = [card.name for card in cards(map_panel).values() if "is-equal" in card.look]
    assert len(equal) == map_panel.source.cycle.selected.tie_count
    assert [card.name for card in cards(map_panel).values() if "is-node" in card.look] == ["t4-0"]


def test_meters_show_the_chosen_resource_and_the_next(panel):
    meters = cards(panel("one"))["t4-0"].meters
    assert [(meter.label, meter.percent) for meter in meters] == [("gpu", "100 %"), ("cpu", "6 %")]
    assert "2 of 2" in meters[0].text


def test_victims_and_spared_pods_of_a_preemption(run, cycle_of):
    card_of_node = cards(page_of(run, cycle=cycle_of("big-0").number).map)
    looks = {tile.look for card in card_of_node.values() for tile in card.tiles}
    assert "is-victim" in looks
    assert {card.reason for card in card_of_node.values() if card.meaning in ("victim", "nomin")} == {"evict 1 pod"}


def test_tiles_of_a_node_never_leave_it(panel):
    for card in cards(panel("one")).values():
        assert all(tile.x >= 0 and tile.x + tile.width <= 100.01 for tile in card.tiles)


def test_words(run, cycle_of, panel):
    reason = cards(page_of(run, cycle=cycle_of("never-0").number).map)["taint-c"].reason
    assert reason == "no toleration for the taint gpu=yes:NoSchedule"
    assert cards(panel("one"))["t4-0"].meters[0].text == "gpu: 2 of 2 requested"
