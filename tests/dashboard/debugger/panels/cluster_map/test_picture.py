"""The map as the script gets it."""

from __future__ import annotations

import base64
import json

import numpy as np

from dashboard.debugger.panels.cluster_map import picture
from dashboard.debugger.panels.cluster_map.node_states import NO_TOTAL


def unpacked(data, name):
    """Return the bytes of a figure."""
    return list(base64.b64decode(data[name]))


def test_picture_tells_states_shares_and_totals_of_every_node(panel):
    map_panel = panel("plain")
    data, nodes = map_panel.picture, map_panel.nodes
    assert [state & 7 for state in unpacked(data, "states")] == nodes.states.tolist()
    assert [bool(state & picture.EQUAL) for state in unpacked(data, "states")] == nodes.is_equal.tolist()
    assert unpacked(data, "shares") == np.rint(100 * nodes.share).astype(int).tolist()
    index = list(base64.b64decode(data["totals"]["index"]))
    totals = [data["totals"]["values"][i - 1] if i else NO_TOTAL for i in index]
    assert totals == nodes.totals.tolist()
    assert data["version"] == map_panel.names["version"]
    assert map_panel.names["names"] == nodes.names


def test_totals_of_many_values_take_two_bytes(panel):
    nodes = panel("plain").nodes
    nodes.totals = np.array([NO_TOTAL, *range(1000, 1400)], dtype=np.int64)
    packed = picture._totals(nodes)
    index = np.frombuffer(base64.b64decode(packed["index"]), dtype="<u2")
    assert index[0] == 0
    assert [packed["values"][i - 1] for i in index[1:]] == list(range(1000, 1400))


def test_groups_have_counts_and_the_resource_in_their_heads(panel):
    groups = {group["name"]: group for group in panel("one").picture["groups"]}
    assert groups["T4"]["note"].split(" · ") == ["6 nodes", "1 fit", "gpu 92 %"]
    assert groups["T4"]["short"] == "1/6 fit"
    assert groups["no gpu.product"]["note"].split(" · ") == ["2 nodes", "0 fit", "no gpu"]
    ends = [(group["start"], group["end"]) for group in panel("one").picture["groups"]]
    assert ends == [(0, 6), (6, 10), (10, 12)]


def test_marks_name_the_winner_and_the_selected_node(panel):
    map_panel = panel("one", node="cpu-1")
    marks, names = map_panel.picture["marks"], map_panel.names["names"]
    assert marks["winner"]["name"] == map_panel.source.cycle.winner == names[marks["winner"]["place"]]
    assert marks["selected"] == {"place": names.index("cpu-1"), "name": "cpu-1"}
    assert panel("one", node="gone").picture["marks"]["selected"] is None


def test_the_other_resource_is_a_device_where_the_map_shows_none(panel):
    assert panel("one").picture["beside"]["resource"] == "cpu"
    assert panel("one", map="cpu").picture["beside"]["resource"] == "gpu"
    assert panel("plain").picture["beside"] is None


def test_a_picture_of_five_thousand_nodes_is_small(panel):
    """Some 27 kB: four figures of a byte each, in base64."""
    nodes = panel("one").nodes
    data = panel("one").picture
    per_node = sum(len(base64.b64decode(text)) for text in (data["states"], data["shares"], data["totals"]["index"]))
    per_node += len(base64.b64decode(data["beside"]["shares"]))
    assert per_node == 4 * len(nodes.names)
    assert len(json.dumps(data)) < 2000
