"""The overview with its map: totals, selection by the address, the data once per revision, pods without a node."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from dashboard.clusters.drafts.actions import new_draft
from dashboard.clusters.map.cluster_map import requested_amount
from dashboard.clusters.map.views import column, map_etag, map_json, packed, pod_names_json
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import NewCluster
from scheduler_core.manifests import DEVICES_COMMAND
from tests.dashboard.clusters.conftest import node, pod
from tests.dashboard.clusters.drafts.draft_helpers import change
from tests.dashboard.clusters.map.test_cluster_map import generated, map_of

HERE = "/w/team/clusters/prod/"


def text(person, path):
    response = person.get(path)
    assert response.status_code == 200, path
    return response.content.decode()


@pytest.fixture
def crowded(editor):
    """A cluster of two nodes with 45 pods on one, 70 unbound ones of an owner, one on a node that is not there."""
    owner = {"ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "many", "uid": "u"}]}
    waiting = [pod(f"many-{i}") for i in range(70)]
    for one in waiting:
        one["metadata"].update(owner)
    bound = [pod(f"full-{i}", "node-a", cpu="10m") for i in range(45)]
    ended = {**pod("ended", "node-a"), "status": {"phase": "Succeeded"}}
    objects = [node("node-a"), node("node-b", "zone-b"), *bound, *waiting, pod("lost", "node-z"), ended, pod("single")]
    return actions.create_cluster(editor.member, NewCluster("prod"), objects)


def test_each_resource_is_named_with_its_totals(viewer, cluster):
    page = text(viewer, HERE)
    assert 'title="cpu: 2.5 ' in page
    assert 'title="pods: 2 ' in page


def test_the_chosen_resource_and_grouping_are_in_the_address(viewer, cluster):
    page = text(viewer, f"{HERE}?resource=memory&group=none")
    assert 'data-resource="memory"' in page
    assert 'data-group="none"' in page
    assert "?resource=cpu&amp;group=none" in page


def test_pods_that_claim_devices_where_none_were_kept_say_so(viewer, editor):
    claiming = pod("gpu-0")
    claiming["spec"]["resourceClaims"] = [{"name": "g", "resourceClaimTemplateName": "t"}]
    slices = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "s"},
        "spec": {"driver": "a.example", "pool": {"name": "p", "resourceSliceCount": 1}, "allNodes": True},
    }
    for name, objects, lacks in (
        ("dropped", [claiming], True),
        ("whole", [claiming, slices], False),
        ("no claims", [pod("a")], False),
    ):
        made = actions.create_cluster(editor.member, NewCluster(name), [node("node-a"), *objects])
        page = text(viewer, f"/w/team/clusters/{made.slug}/")
        assert ('id="lacks-devices"' in page) == lacks
        assert not lacks or DEVICES_COMMAND.split(",")[0] in page


def test_a_resource_that_nothing_requests_is_refused_by_name(viewer, cluster):
    response = viewer.get(f"{HERE}?resource=nvidia.com/gpu")
    assert response.status_code == 400
    assert "(cpu, memory, pods)" in response.content.decode()


def test_a_node_is_selected_by_the_address(viewer, crowded):
    page = text(viewer, f"{HERE}?node=node-a")
    assert 'data-node="node-a"' in page
    assert "450m of 8" in page
    assert "5 more pods" in page


def test_a_selected_pod_brings_its_node(viewer, crowded):
    card = text(viewer, f"{HERE}map/selected?pod=default/full-44")
    assert 'data-node="node-a"' in card
    assert 'aria-current="true"' in card
    assert "450m of 8" in card


def test_a_pod_without_a_node_has_a_card_of_its_own(viewer, crowded):
    card = text(viewer, f"{HERE}map/selected?pod=default/single")
    assert 'data-node=""' in card
    assert "500m" in card


def test_a_pod_on_a_node_that_is_not_there_says_so(viewer, crowded):
    assert "node-z is not" in text(viewer, f"{HERE}map/selected?pod=default/lost")
    assert "its pods count" in text(viewer, f"{HERE}map/selected?node=node-z")


def test_what_is_not_there_is_named(viewer, crowded):
    assert "no node nowhere" in text(viewer, f"{HERE}?node=nowhere")
    assert "no pod default/nobody" in text(viewer, f"{HERE}?pod=default/nobody")


def test_pods_that_are_on_no_node_are_counted_apart(viewer, crowded):
    page = text(viewer, HERE)
    assert "45 bound pods" in " ".join(page.split())
    assert "71 unbound" in page
    assert 'data-map-node="node-z"' in page
    assert "1 pod succeeded" in page


def test_every_unbound_pod_of_a_group_is_reachable(viewer, crowded):
    names = []
    for page in (1, 2, 3):
        part = text(viewer, f"{HERE}map/unbound?ns=default&owner=many&status=pending&page={page}")
        names.extend(name for name in (f"many-{i}" for i in range(70)) if f'title="default/{name}"' in part)
    assert sorted(names) == sorted(f"many-{i}" for i in range(70))


def test_the_data_are_sent_once_per_revision(viewer, cluster):
    first = viewer.get(f"{HERE}map/")
    assert first.json()["nodes"] == ["node-a", "node-b"]
    again = viewer.get(f"{HERE}map/", headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304
    assert viewer.get(f"{HERE}map/?names=1")["ETag"] != first["ETag"]


def test_another_revision_has_another_tag(viewer, edited):
    newest, old = viewer.get(f"{HERE}map/"), viewer.get(f"{HERE}map/?r=1")
    assert newest["ETag"] != old["ETag"]
    assert (len(newest.json()["resources"]), newest.json()["version"] != old.json()["version"]) == (3, True)


def test_strangers_see_nothing(client, cluster):
    for path in ("map/", "map/selected?node=node-a", "map/unbound"):
        assert client.get(HERE + path).status_code in (302, 403, 404)


def test_the_table_has_the_same_nodes_in_pages(editor, viewer):
    actions.create_cluster(editor.member, NewCluster("prod"), [node(f"n-{i}") for i in range(120)])
    first, last = text(viewer, f"{HERE}?view=table"), text(viewer, f"{HERE}?view=table&page=3")
    assert first.count("data-fit-of") == 50
    assert last.count("data-fit-of") == 20
    assert "120 of 120" in " ".join(last.split())
    assert 'aria-selected="true"' in text(viewer, f"{HERE}?view=table&node=n-77")


@pytest.mark.parametrize("objects", [[pod("p")], [node("n")], []])
def test_a_cluster_without_nodes_or_pods_has_a_page(editor, viewer, objects):
    actions.create_cluster(editor.member, NewCluster("prod"), objects)
    page = text(viewer, HERE)
    assert (">This cluster has" in page) == (len(objects) == 1 and objects[0]["kind"] == "Pod")
    assert ('id="cluster-map"' in page) == (len(objects) == 1 and objects[0]["kind"] == "Node")


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("", 'title="cpu: 450m requested of 16 allocatable, 35.5 more by unbound pods"'),
        ("", "1 bound to node not in this cluster"),
        ("", "1 pod succeeded or failed and counts for no node."),
        ("?node=node-a", "5 more pods in the table"),
        ("?node=nowhere", "There is no node nowhere in this revision."),
        ("?pod=default/nobody", "There is no pod default/nobody in this revision."),
        ("map/selected?pod=default/lost", "Its node node-z is not in this cluster."),
        ("map/selected?node=node-z", "No node of this name is in the cluster; its pods count for no node."),
    ],
)
def test_words(viewer, crowded, path, sentence):
    assert sentence in text(viewer, HERE + path)


def test_words_of_an_empty_cluster(editor, viewer):
    actions.create_cluster(editor.member, NewCluster("prod"), [pod("p")])
    assert "<h3>This cluster has no node</h3>" in text(viewer, HERE)


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
    assert unpacked(sent["taints"]) == [", ".join(node.taints) for node in shown.nodes]
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
