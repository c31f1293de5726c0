"""Rows of the tables: what is requested of a node, the state of a pod, zones."""

from __future__ import annotations

import random

import msgspec

from dashboard.clusters.map.cluster_map import ClusterMap
from dashboard.clusters.revisions.object_rows import build_rows, rows_after
from dashboard.clusters.revisions.totals import group_zones
from tests.dashboard.clusters.conftest import node, pod
from tests.dashboard.clusters.revisions.revision_helpers import loaded
from tests.seeds import each_seed


def test_requested_counts_bound_pods_that_still_run():
    done = pod("done", "n", cpu="4")
    done["status"] = {"phase": "Succeeded"}
    cluster = loaded(node("n"), pod("a", "n", cpu="1"), done, pod("waiting", cpu="2"), pod("away", "elsewhere"))
    row = cluster.rows.nodes[0]
    assert (row.requested["cpu"], row.n_pods) == (1000, 1)
    assert [pod.status for pod in cluster.rows.pods] == ["bound", "finished", "pending", "bound"]
    assert [pod.node_is_known for pod in cluster.rows.pods] == [True, True, False, False]


def test_gated_pods_say_so():
    cluster = loaded(pod("g", schedulingGates=[{"name": "a/b"}]))
    assert cluster.rows.pods[0].status == "gated"


def test_a_node_without_a_resource_counts_as_over_when_it_is_asked():
    empty = node("n")
    empty["status"]["allocatable"].pop("cpu")
    cluster = loaded(empty, pod("a", "n", cpu="1"))
    assert cluster.rows.nodes[0].share("cpu") == 1.0


def test_zones_group_by_zone_and_pool_and_put_nodes_without_a_zone_last():
    bare = node("bare")
    bare["metadata"]["labels"] = {}
    pooled = node("pooled", "a")
    pooled["metadata"]["labels"]["pool"] = "gpu"
    zones = group_zones(loaded(bare, node("x", "b"), pooled, node("y", "a")).rows.nodes)
    assert [(zone.name, [pool for pool, _ in zone.pools]) for zone in zones] == [
        ("a", ["", "gpu"]),
        ("b", [""]),
        ("", [""]),
    ]


def cluster_at_random(chance):
    """Return nodes and pods of a few names, so that changes meet: on nodes, on nodes that are not there, on none."""
    nodes = {f"n-{i}": node(f"n-{i}", cpu=chance.choice(["4", "8"])) for i in chance.sample(range(6), 4)}
    places = [f"n-{chance.randrange(6)}" if chance.random() < 0.7 else "" for _ in range(20)]
    pods = {
        f"p-{i}": pod(f"p-{i}", *([place] if place else []), cpu=chance.choice(["1", "2"]))
        for i, place in enumerate(places)
        if chance.random() < 0.8
    }
    return nodes | pods


def kept_where_equal(old, new):
    """Return the new objects, those that equal an old one replaced by it, as a draft shares them with its base."""
    fields = {}
    for name in ("nodes", "pods"):
        object_of_name = {one.name: one for one in getattr(old, name)}
        fields[name] = [
            object_of_name[one.name] if object_of_name.get(one.name) == one else one for one in getattr(new, name)
        ]
    return msgspec.structs.replace(new, **fields)


@each_seed(range(40), together=20)
def test_rows_and_map_after_a_change_equal_those_made_anew(seed):
    chance = random.Random(seed)
    old = cluster_at_random(chance)
    changed = {name: one for name, one in cluster_at_random(chance).items() if chance.random() < 0.3}
    gone = {name for name in old if chance.random() < 0.1}
    new = {name: one for name, one in (old | changed).items() if name not in gone}
    before, after = loaded(*old.values()), loaded(*new.values())
    objects = kept_where_equal(before.loaded.objects, after.loaded.objects)
    was = build_rows(before.loaded.objects, before.by_key.keys())
    rows = rows_after(before.rows, before.loaded.objects, objects, after.by_key.keys())
    assert rows == build_rows(objects, after.by_key.keys())
    assert before.rows == was
    followed, anew = ClusterMap(rows, ClusterMap(before.rows)), ClusterMap(rows)
    names = {row.node for row in rows.pods}
    assert [followed.pods_on(name) for name in names] == [anew.pods_on(name) for name in names]
    assert (followed.resources, followed.missing_nodes) == (anew.resources, anew.missing_nodes)


def test_rows_of_what_did_not_change_are_the_same_objects():
    before = loaded(node("n"), node("m"), pod("a", "n"), pod("b", "m"))
    objects = before.loaded.objects
    moved = loaded(node("n"), node("m"), pod("b")).loaded.objects.pods[0]
    after = msgspec.structs.replace(objects, pods=[objects.pods[0], moved])
    rows = rows_after(before.rows, objects, after, before.by_key.keys())
    assert [row is other for row, other in zip(rows.nodes, before.rows.nodes, strict=True)] == [True, False]
    assert [row is other for row, other in zip(rows.pods, before.rows.pods, strict=True)] == [True, False]
    assert rows.nodes[1].n_pods == 0
