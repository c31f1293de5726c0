"""Scores with extenders, in particular of nodes that an answer has replaced: the columns come out as they were."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from scheduler_core.api.objects import ContainerImage
from scheduler_core.manifests import load_manifests
from scheduler_core.recording import events as ev
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.extended import ExtendedRun, extended_run, extender

if TYPE_CHECKING:
    from scheduler_core.extenders.calls import ExtenderCall

WHOLE = extender(filter_verb="f", node_cache_capable=False)
SCORING = extender(filter_verb="f", prioritize_verb="p", weight=1, node_cache_capable=False)
GHOST = {"metadata": {"name": "ghost"}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}


def echo(call: ExtenderCall) -> Any:
    return {"Nodes": call.request["Nodes"]}


def raw_of(run: ExtendedRun, plugin: str, cycle: int = 1) -> list[int]:
    frame = run.frame(cycle)
    raw: list[int] = frame.raw[frame.score_plugins.index(plugin)].tolist()
    return raw


def test_replaced_nodes_have_no_pods_and_no_images_when_they_are_scored() -> None:
    images = (ContainerImage(("x:1",), 900 << 20),)
    nodes = [make_node("n1", images=images), make_node("n2", images=images)]
    pods = [make_pod("a", cpu="2", node_name="n1"), make_pod("p", cpu="1", image="x:1")]
    real = extended_run([extender(bind_verb="b")], {(0, "bind"): {}}, nodes, pods)
    replaced = extended_run([WHOLE], {(0, "filter"): echo}, nodes, pods)
    assert len(set(raw_of(real, "NodeResourcesFit"))) == 2
    assert len(set(raw_of(replaced, "NodeResourcesFit"))) == 1
    assert min(raw_of(real, "ImageLocality")) > 0
    assert raw_of(replaced, "ImageLocality") == [0, 0]


def test_labels_of_the_answer_are_believed_and_the_cluster_stays_as_it_was() -> None:
    def relabelled(call: ExtenderCall) -> Any:
        items = copy.deepcopy(call.request["Nodes"]["items"])
        items[1]["metadata"]["labels"]["disk"] = "nvme"
        return {"Nodes": {"items": items}}

    term = {"weight": 5, "preference": {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["nvme"]}]}}
    raw = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "uid": "u"},
        "spec": {
            "containers": [{"name": "c", "image": "i"}],
            "affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [term]}},
        },
    }  # fmt: skip
    (pod,) = load_manifests([raw]).objects.pods
    run = extended_run([WHOLE], {(0, "filter"): relabelled}, pods=[pod])
    assert raw_of(run, "NodeAffinity") == [0, 5, 0]
    assert run.ends[0][1] == "n2"
    table = run.session.simulation.context.cluster.table
    assert all("disk" not in node.labels for node in table.nodes if node is not None)


ZONE = "topology.kubernetes.io/zone"


def test_domains_that_only_the_answer_has_hold_no_pods() -> None:
    """By the real labels n1 is in the zone of a pod that counts; in the answer each node has a zone of its own."""

    def moved(call: ExtenderCall) -> Any:
        items = copy.deepcopy(call.request["Nodes"]["items"])
        for i, item in enumerate(items):
            item["metadata"]["labels"][ZONE] = f"new{i}"
        return {"Nodes": {"items": items}}

    selector = {"labelSelector": {"matchLabels": {"a": "b"}}, "topologyKey": ZONE}
    raw = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "uid": "u", "labels": {"a": "b"}},
        "spec": {
            "containers": [{"name": "c", "image": "i"}],
            "topologySpreadConstraints": [{"maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway", **selector}],
            "affinity": {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 5, "podAffinityTerm": selector},
            ]}},
        },
    }  # fmt: skip
    (pod,) = load_manifests([raw]).objects.pods
    nodes = [make_node(f"n{i}", labels={ZONE: f"z{i}"}) for i in range(3)]
    run = extended_run([WHOLE], {(0, "filter"): moved}, nodes, [make_pod("x", labels={"a": "b"}, node_name="n1"), pod])
    assert run.ends[0][0] == "scheduled"
    assert raw_of(run, "InterPodAffinity") == [0, 0, 0]
    assert len(set(raw_of(run, "PodTopologySpread"))) == 1


def test_an_answer_may_have_more_unknown_nodes_than_the_table_has_room_for() -> None:
    many = [copy.deepcopy(GHOST) | {"metadata": {"name": f"g{i:03}"}} for i in range(100)]
    run = extended_run(
        [WHOLE], {(0, "filter"): lambda call: {"Nodes": {"items": [*many, *call.request["Nodes"]["items"]]}}}
    )
    assert len(run.one(ev.ExtendersScored).unknown) == 100
    assert run.ends[0][:2] == ("scheduled", "g000")
    assert run.session.simulation.context.cluster.table.n_rows == 3


def columns(run: ExtendedRun) -> dict[str, Any]:
    cluster = run.session.simulation.context.cluster
    table = cluster.table
    return {
        "amounts": table.amounts.tolist(),
        "layout": table.layout(),
        "order": table.order.tolist(),
        "pods": {name: cluster.pods_of(name) for name in table.row_of},
        "placed": list(cluster.placements.items()),
    }


def test_the_columns_are_put_back_in_their_order() -> None:
    """What an extender sends back as it was changes nothing but scores, so that both runs end in the same columns."""
    nodes = [make_node(f"n{i}", labels={"topology.kubernetes.io/zone": f"z{i % 2}"}) for i in range(5)]
    placed = [make_pod(f"a{i}", cpu="100m", node_name=f"n{i % 3}") for i in range(7)]
    pods = [*placed, make_pod("p", cpu="1")]

    def with_ghost(call: ExtenderCall) -> Any:
        return {"Nodes": {"items": [*call.request["Nodes"]["items"], GHOST]}}

    scores = [{"Host": "n4", "Score": 1000}]
    answers = {(0, "filter"): with_ghost, (0, "prioritize"): scores}
    replaced = extended_run([SCORING], answers, nodes, pods)
    plain = extended_run([extender(prioritize_verb="p", weight=1)], {(0, "prioritize"): scores}, nodes, pods)
    assert replaced.ends[0][1] == plain.ends[0][1] == "n4"
    assert columns(replaced) == columns(plain)


def test_an_unknown_node_is_scored_and_can_be_chosen() -> None:
    answers = {
        (0, "filter"): lambda call: {"Nodes": {"items": [*call.request["Nodes"]["items"], GHOST]}},
        (0, "prioritize"): [{"Host": "ghost", "Score": 9}],
    }
    run = extended_run([SCORING], answers)
    scored = run.one(ev.ExtendersScored)
    (ghost,) = scored.unknown
    frame = run.frame()
    assert ghost.node == run.ends[0][1] == run.one(ev.Bound).node == "ghost"
    weighted = sum(w * n for w, n in zip(frame.weights, ghost.norm, strict=True))
    assert ghost.total == weighted == run.one(ev.HostSelected).total
    assert run.one(ev.ExtendersFiltered).more == ("ghost",)
    assert frame.n_rows == 3


def test_totals_of_the_frame_are_those_of_the_choice() -> None:
    scores = [{"Host": "n1", "Score": -4}, {"Host": "n2", "Score": 2}]
    run = extended_run([extender(prioritize_verb="p", weight=3)], {(0, "prioritize"): scores})
    totals, chosen = run.frame().totals(), run.one(ev.HostSelected)
    assert (int(totals.argmax()), int(totals.max())) == (1, chosen.total)
    assert sorted(totals.tolist())[1] == chosen.second_total


def test_nodes_with_negative_totals_are_chosen_among() -> None:
    scores = [{"Host": name, "Score": score} for name, score in (("n1", -900), ("n2", -800), ("n3", -800))]
    run = extended_run([extender(prioritize_verb="p", weight=1)], {(0, "prioritize"): scores})
    chosen = run.one(ev.HostSelected)
    assert (chosen.node, chosen.second, chosen.tie_count) == ("n2", "n3", 2)
    assert np.unpackbits(np.frombuffer(chosen.ties, dtype=np.uint8)).tolist()[:3] == [0, 1, 1]


def test_a_node_named_twice_is_one_candidate() -> None:
    answers = {(0, "filter"): {"NodeNames": ["n2", "n2"]}, (0, "prioritize"): [{"Host": "n2", "Score": 1}]}
    run = extended_run([extender(filter_verb="f", prioritize_verb="p", weight=1)], answers)
    assert run.source.asked[1].request["NodeNames"] == ["n2", "n2"]
    assert run.ends[0][1] == "n2"
    assert run.one(ev.NodesFiltered).feasible == 2
    assert run.one(ev.HostSelected).tie_count == 1
