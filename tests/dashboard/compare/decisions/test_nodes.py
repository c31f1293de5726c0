"""Tiles of nodes: the same nodes on both sides, each with what its attempt made of it."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.django_db


def test_both_sides_have_the_same_nodes_in_the_same_places(page, cycle_of):
    tiles = page(a_cycle=cycle_of("never-0").number).tiles
    assert [tile.node for tile in tiles.a] == [tile.node for tile in tiles.b]
    by_node = [{tile.node: tile for tile in side} for side in (tiles.a, tiles.b)]
    assert (by_node[0]["spare"].text, by_node[0]["spare"].is_off) == ("not there", True)
    assert by_node[1]["spare"].is_chosen
    assert by_node[0]["full-a"].text == "short: cpu"
    assert by_node[0]["full-a"].title == "NodeResourcesFit: Insufficient cpu"
    assert by_node[0]["taint-c"].text == "TaintToleration"
    assert (tiles.n_others, tiles.others_text) == (0, "")


def test_a_preemption_shows_its_candidates(page, cycle_of):
    tiles = page(a_cycle=cycle_of("big-0").number).tiles
    chosen = [tile for tile in tiles.a if tile.is_chosen]
    assert [(tile.meaning, tile.text) for tile in chosen] == [("nomin", "1 victim")]
