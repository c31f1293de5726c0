"""What nodes have in common, in words."""

from __future__ import annotations

from scheduler_core.explain.diagnosis.shared_labels import SharedLabels, distinguishing_label, label_columns
from scheduler_core.testing.builders import make_node, make_pod

MODEL, ZONE = "gpu.example.com/model", "topology.kubernetes.io/zone"
NODES = [make_node(f"t{i}", labels={MODEL: "T4", ZONE: "a" if i < 4 else "b"}) for i in range(8)]
NODES += [make_node(f"g{i}", labels={MODEL: "G2", ZONE: "a"}) for i in range(4)]
NODES += [make_node("bare", labels={ZONE: "b"})]
NAMES = [node.name for node in NODES]


def labels(first: str = MODEL) -> SharedLabels:
    return SharedLabels({name: i for i, name in enumerate(NAMES)}, label_columns(NODES), first)


def test_few_nodes_are_named() -> None:
    assert labels().common(["t0", "g1", "bare"]) == "t0, g1, bare"


def test_a_label_that_only_these_nodes_have_comes_before_one_that_others_share() -> None:
    assert labels(ZONE).common(NAMES[:8]) == "model=T4"
    assert labels().value(NAMES[:8]) == "T4"


def test_without_a_common_label_the_values_are_counted() -> None:
    assert labels().common([*NAMES[2:12], "bare"]).split(", ") == ["T4 6", "G2 4", "no model 1"]
    assert labels("").common(NAMES) == ""


def test_host_names_and_labels_of_one_value_tell_nothing() -> None:
    nodes = [make_node(f"n{i}", labels={"kubernetes.io/hostname": f"n{i}", "os": "linux", "x": str(i)}) for i in (1, 2)]
    assert list(label_columns(nodes)) == ["x"]


def test_nodes_are_told_apart_by_what_the_pod_chooses_them_by() -> None:
    columns = label_columns(NODES)
    assert distinguishing_label(columns, make_pod("p", node_selector={MODEL: "T4"})) == MODEL
    assert distinguishing_label(columns, make_pod("p"), ("gpu.example.com/count",)) == MODEL
    assert distinguishing_label(columns, make_pod("p"), ("cpu",)) == ZONE
    assert distinguishing_label({}, None) == ""
