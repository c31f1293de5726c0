"""The map as JSON: unpacked again it is what the map holds."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from dashboard.clusters.drafts.actions import new_draft
from dashboard.clusters.map.cluster_map import requested_amount
from dashboard.clusters.map.map_data import column, map_etag, map_json, packed, pod_names_json
from tests.dashboard.clusters.conftest import node
from tests.dashboard.clusters.drafts.draft_helpers import change
from tests.dashboard.clusters.map.test_cluster_map import generated, map_of


def numbers(packed_column):
    return np.frombuffer(
        base64.b64decode(packed_column["index"]), dtype=np.dtype(f"<u{packed_column['bytes']}")
    ).tolist()


def unpacked(packed_column):
    return [packed_column["values"][at] for at in numbers(packed_column)]


@pytest.mark.parametrize("seed", range(10))
def test_what_is_sent_is_what_the_map_holds(seed):
    nodes, pods = generated(seed)
    shown = map_of([*nodes, *pods])
    sent = map_json(shown, "v")
    names = [one["name"] for one in sent["resources"]]
    for k, name in enumerate(names):
        assert unpacked(sent["requested"][k]) == [requested_amount(node, name) for node in shown.nodes]
        assert unpacked(sent["allocatable"][k]) == [node.allocatable.get(name, 0) for node in shown.nodes]
    tiles = unpacked(sent["pods"]["requests"])
    keys = pod_names_json(shown, "v")["pods"]
    assert len(tiles) == len(keys) == sum(unpacked(sent["pods"]["counts"]))
    for key, amounts in zip(keys, tiles, strict=True):
        expected = shown.pod(key).requests
        assert list(amounts) == [1 if name == "pods" else expected.get(name, 0) for name in names]


@pytest.mark.parametrize(("count", "size"), [(3, 1), (256, 1), (257, 2), (70_000, 4)])
def test_indexes_are_as_small_as_they_can_be(count, size):
    packed_column = column(list(range(count)))
    assert packed_column["bytes"] == size
    assert unpacked(packed_column) == list(range(count))


def test_nothing_is_packed_as_nothing():
    assert numbers(packed([])) == []


def test_tags_differ_by_version_and_part():
    assert (
        len({map_etag("a", "nodes"), map_etag("a", "names"), map_etag("b", "nodes"), map_etag("a", "nodes", ["n"])})
        == 4
    )


def test_nodes_that_are_new_in_a_draft_are_sent_by_their_places(editor, cluster):
    draft = new_draft(editor.member, cluster)
    change(editor, draft, node("node-aa"))
    address = f"/w/team/clusters/prod/map/?draft={draft.pk}"
    sent = editor.get(address).json()
    assert [sent["nodes"][place] for place in sent["added"]] == ["node-aa"]
    assert editor.get("/w/team/clusters/prod/map/").json()["added"] == []
    change(editor, draft, node("node-a", cpu="64"))
    assert len(editor.get(address).json()["added"]) == 1
