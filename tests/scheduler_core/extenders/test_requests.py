"""Bodies in the two forms of each request."""

from __future__ import annotations

from scheduler_core.extenders.requests import Bodies
from scheduler_core.framework.contracts.extending.hooks import NodeReplacement, NodeVictims
from scheduler_core.manifests.writing.objects import read_object
from scheduler_core.testing.builders import make_cluster, make_node, make_pod

NODE, POD = make_node("n1", labels={"disk": "ssd"}), make_pod("p", priority=7, uid="u", labels={"a": "b"})
CLUSTER = make_cluster([NODE], {"n1": [make_pod("v", uid="u-v", node_name="n1")]})


def bodies() -> Bodies:
    return Bodies(CLUSTER.table)


def test_nodes_are_sent_by_name_or_whole() -> None:
    by_name = bodies().of_nodes(POD, ["n1"], None, by_name=True)
    assert (by_name["Nodes"], by_name["NodeNames"]) == (None, ["n1"])
    whole = bodies().of_nodes(POD, ["n1"], None, by_name=False)
    assert whole["NodeNames"] is None
    (item,) = whole["Nodes"]["items"]
    assert read_object({"apiVersion": "v1", "kind": "Node", **item}) == NODE


def test_the_pod_is_sent_with_what_admission_filled_in() -> None:
    pod = bodies().of_pod(POD)
    assert pod["metadata"] == {"name": "p", "namespace": "default", "uid": "u", "labels": {"a": "b"}}
    assert pod["spec"]["priority"] == 7
    assert pod["spec"]["schedulerName"] == "default-scheduler"
    assert pod["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "100m"}
    assert "kind" not in pod


def test_a_replaced_node_is_sent_on_as_it_was_answered() -> None:
    raw = {"metadata": {"name": "n1"}, "spec": {"providerID": "x"}}
    replaced = {"n1": NodeReplacement(NODE, raw)}
    assert bodies().of_nodes(POD, ["n1"], replaced, by_name=False)["Nodes"]["items"] == [raw]


def test_a_node_that_changed_is_written_anew() -> None:
    cluster = make_cluster([NODE])
    cached = Bodies(cluster.table)
    assert cached.of_node("n1")["metadata"]["labels"]["disk"] == "ssd"
    cluster.put_node(make_node("n1", labels={"disk": "hdd"}))
    assert cached.of_node("n1")["metadata"]["labels"]["disk"] == "hdd"


def test_victims_are_sent_by_uid_or_whole() -> None:
    candidates = {"n1": NodeVictims((CLUSTER.pods["default/v"],), 2)}
    by_uid = bodies().of_victims(POD, candidates, by_uid=True)
    assert by_uid["NodeNameToVictims"] is None
    assert by_uid["NodeNameToMetaVictims"] == {"n1": {"Pods": [{"UID": "u-v"}], "NumPDBViolations": 2}}
    whole = bodies().of_victims(POD, candidates, by_uid=False)
    assert whole["NodeNameToMetaVictims"] is None
    assert whole["NodeNameToVictims"]["n1"]["Pods"][0]["metadata"]["uid"] == "u-v"


def test_a_binding_names_pod_and_node() -> None:
    info = CLUSTER.info(POD)
    expected = {"PodName": "p", "PodNamespace": "default", "PodUID": "u", "Node": "n1"}
    assert bodies().of_binding(info, "n1") == expected
