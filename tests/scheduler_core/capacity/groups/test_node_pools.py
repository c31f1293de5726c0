"""A NodePool gives a group for each shape and zone that is known and that it takes, and none that is guessed."""

from __future__ import annotations

import pytest

from scheduler_core.api.unplayed import UnplayedObject
from scheduler_core.capacity.groups.model import GroupError, NodeGroup, like
from scheduler_core.capacity.groups.node_pools import groups_of_node_pool, weight_of
from tests.scheduler_core.capacity.inputs import SHAPE, ZONE, inputs, node, node_pool

POOL, TYPE = "karpenter.sh/nodepool", "karpenter.sh/capacity-type"
AMD = ("kubernetes.io/arch", "In", ["amd64"])


def groups(*raws: dict, given: tuple[NodeGroup, ...] = ()) -> list[NodeGroup]:
    """Return the groups of the first object, a NodePool."""
    of = inputs(*raws)
    return groups_of_node_pool(of.unplayed.objects[0], of.objects.nodes, given)[0]


def names(*raws: dict) -> list[str]:
    return [group.name for group in groups(*raws)]


def test_shapes_of_the_pool_and_of_other_nodes_that_meet_it():
    own = node("n1", labels={POOL: "p"})
    others = [node("n2", "c5.large", labels={"eks.amazonaws.com/nodegroup": "x"}), node("n3", "t4g.large")]
    others[1]["metadata"]["labels"]["kubernetes.io/arch"] = "arm64"
    pool = node_pool("p", AMD, labels={"team": "x"}, taints=[{"key": "gpu", "effect": "NoSchedule"}])
    first, second = groups(pool, own, *others)
    assert (first.name, first.present, second.name, second.present) == ("p/m5.large", ("n1",), "p/c5.large", ())
    labels = second.template.labels
    assert (labels[SHAPE], labels[POOL], labels["team"]) == ("c5.large", "p", "x")
    assert "eks.amazonaws.com/nodegroup" not in labels
    assert [taint.key for taint in second.template.taints] == ["gpu"]
    assert (second.node(1).allocatable["cpu"], second.source) == (2000, "NodePool p, shape of node n2")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ((SHAPE, "In", ["m5.large"]), ["p"]),
        ((SHAPE, "NotIn", ["m5.large"]), []),
        (("karpenter.k8s.aws/instance-cpu", "Gt", ["1"]), ["p"]),
        (("karpenter.k8s.aws/instance-cpu", "Lt", ["2"]), []),
        (("karpenter.k8s.aws/instance-gpu-count", "Exists", []), []),
        # What a label says that no node has is not known.
        (("karpenter.k8s.aws/instance-family", "NotIn", ["t3"]), []),
        (("karpenter.k8s.aws/instance-family", "DoesNotExist", []), ["p"]),
        (("example.com/team", "In", ["x"]), ["p"]),
        (("example.com/team", "Exists", []), ["p"]),
    ],
)
def test_requirements_are_held_against_the_labels_of_a_shape(asked, expected):
    raws = node_pool("p", asked), node("n", labels={"karpenter.k8s.aws/instance-cpu": "2"})
    if expected:
        assert names(*raws) == expected
    else:
        with pytest.raises(GroupError, match="no shape of it is known"):
            names(*raws)


def test_a_label_of_the_pool_s_own_is_given_to_its_nodes():
    (group,) = groups(node_pool("p", ("example.com/team", "In", ["x"]), (TYPE, "In", ["on-demand", "spot"])), node("n"))
    assert (group.template.labels["example.com/team"], group.template.labels[TYPE]) == ("x", "spot")


def test_zones_that_the_pool_names_are_known_beside_those_at_hand():
    zones = (ZONE, "In", ["a", "b"])
    ebs = {"topology.ebs.csi.aws.com/zone": "a", "topology.k8s.aws/zone-id": "use1-az1"}
    first, second = groups(node_pool("p", zones), node("n", labels=ebs), node("far", zone="c"))
    assert (first.name, second.name) == ("p/a", "p/b")
    labels = second.template.labels
    assert (labels[ZONE], labels["topology.ebs.csi.aws.com/zone"]) == ("b", "b")
    assert "topology.k8s.aws/zone-id" not in labels


def test_limits_count_what_nodes_of_other_groups_have():
    own = [node("n1", labels={POOL: "p"}), node("n2", "m5.xlarge", labels={POOL: "p"}, cpu="4")]
    small, large = groups(node_pool("p", AMD, limits={"cpu": "11", "nodes": "10"}), *own)
    assert (small.limits, small.maximum, small.room) == ({"cpu": 7000}, 9, 2)
    assert (large.limits, large.maximum, large.room) == ({"cpu": 9000}, 9, 1)


def test_a_pool_that_is_not_ready_says_so():
    status = {"conditions": [{"type": "Ready", "status": "False", "message": "NodeClass not found"}]}
    (group,) = groups(node_pool("p", status=status), node("n"))
    assert "NodeClass not found" in group.says


def test_given_groups_are_shapes_in_place_of_nodes():
    raws = node_pool("p", (SHAPE, "In", ["m5.large", "big"]), labels={"team": "x"}), node("n"), node("n2", "big")
    of = inputs(*raws)
    of_another = like(of.objects.nodes[0], "other")
    of_another.template.labels["eks.amazonaws.com/nodegroup"] = "x"
    big = NodeGroup(name="big", template=like(of.objects.nodes[1]).template, maximum=3, price=2.0)
    of_pool, used = groups_of_node_pool(of.unplayed.objects[0], of.objects.nodes, [of_another, big])
    assert used == ["big"]
    assert [(one.name, one.maximum, one.price, one.template.labels["team"]) for one in of_pool] == [("p", 3, 2.0, "x")]


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"limits": {"cpu": "many"}}, "spec.limits.cpu"),
        ({"limits": ["cpu"]}, "spec.limits"),
        ({"limits": {"nodes": -1}}, "spec.limits.nodes"),
        ({"taints": [{"key": "a b", "effect": "NoSchedule"}]}, "spec.template.spec.taints[0].key"),
        ({"labels": {"a": 1}}, "spec.template.metadata.labels.a"),
        ({"labels": "x"}, "spec.template.metadata.labels"),
    ],
)
def test_what_cannot_be_read_is_said_by_its_field(fields, where):
    with pytest.raises(GroupError) as problem:
        groups(node_pool("p", **fields), node("n"))
    assert str(problem.value).startswith(f"{where}: ")


def test_an_unknown_operator_is_said_by_its_field():
    with pytest.raises(GroupError, match=r"^spec.template.spec.requirements\[0\].operator: "):
        groups(node_pool("p", (SHAPE, "Near", ["m5"])), node("n"))


def test_an_object_without_kept_fields_is_not_guessed():
    bare = UnplayedObject(api_version="karpenter.sh/v1", kind="NodePool", name="p")
    assert weight_of(bare) == 0
    with pytest.raises(GroupError, match="its name alone"):
        groups_of_node_pool(bare, [])
