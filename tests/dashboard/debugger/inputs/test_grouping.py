"""By which label the nodes of the map stand in groups, and in which order."""

from __future__ import annotations

import pytest

from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.inputs.facts import facts_of
from dashboard.debugger.inputs.grouping import grouping_of
from tests.dashboard.run_helpers import node, pod

ZONE, POOL, MODEL = "topology.kubernetes.io/zone", "pool", "nvidia.com/gpu.product"


def required(key, operator="Exists"):
    """Return a required node affinity on a label."""
    terms = [{"matchExpressions": [{"key": key, "operator": operator}]}]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


@pytest.fixture
def grouped(execute):
    """A function that returns the grouping for a pod of a spec, and the names by place."""

    def grouped(nodes, spec=None, requests=None):
        made = pod("one", **(spec or {}))
        resources = made["spec"]["containers"][0]["resources"]
        resources["requests"].update(requests or {})
        resources["limits"] = requests or {}
        run = execute([*nodes, made], slug="grouped", schedule="pending")
        run_facts, state = facts_of(run), state_at(run, 0)
        grouping = grouping_of(run_facts, state, run_facts.pod("default/one", state))
        return grouping, [sorted(state.nodes)[i] for i in grouping.order]

    return grouped


NODES = [
    node("n-0", disk="ssd", **{ZONE: "eu-b", POOL: "x"}),
    node("n-1", disk="nvme", **{ZONE: "eu-a", POOL: "x"}),
    node("n-2", disk="nvme", **{ZONE: "eu-a", POOL: "y"}),
    node("n-3", **{ZONE: "eu-b", POOL: "y", MODEL: "T4"}),
]


@pytest.mark.parametrize(
    ("spec", "requests", "label"),
    [
        pytest.param({"nodeSelector": {"disk": "ssd"}}, {}, "disk", id="what the selector names comes first"),
        pytest.param({"affinity": required("disk")}, {}, "disk", id="or the required affinity"),
        pytest.param({"affinity": required("kubernetes.io/os")}, {}, ZONE, id="but not what no node has"),
        pytest.param({}, {"nvidia.com/gpu": "1"}, MODEL, id="then the model of the devices that it requests"),
        pytest.param({}, {}, ZONE, id="then the zone"),
    ],
)
def test_nodes_are_grouped_by_what_the_pod_selects_on(grouped, spec, requests, label):
    assert grouped(NODES, spec, requests)[0].label == label


def test_zones_stand_by_name_and_other_values_by_size(grouped):
    zones, names = grouped(NODES)
    assert [(group.value, group.start, group.end) for group in zones.groups] == [("eu-a", 0, 2), ("eu-b", 2, 4)]
    assert (names, zones.kind) == (["n-1", "n-2", "n-0", "n-3"], "zone")
    disks, names = grouped(NODES, {"nodeSelector": {"disk": "ssd"}})
    assert [disks.name(group) for group in disks.groups] == ["nvme", "ssd", "no disk"]
    assert names == ["n-1", "n-2", "n-0", "n-3"]
    assert disks.version != zones.version


def test_pool_groups_where_all_nodes_are_in_one_zone(grouped):
    one_zone = [node(f"n-{n}", **{ZONE: "eu-a", POOL: f"p{n % 2}"}) for n in range(4)]
    assert (grouped(one_zone)[0].label, grouped(one_zone)[0].kind) == (POOL, "pool")


def test_a_label_with_a_value_per_node_makes_no_groups(grouped):
    many = [node(f"n-{n}") for n in range(50)]
    grouping, names = grouped(many, {"nodeSelector": {"kubernetes.io/hostname": "n-1"}})
    assert (grouping.label, [grouping.name(group) for group in grouping.groups]) == ("", ["all nodes"])
    assert len(names) == 50
