"""One door to the groups of an input: objects, then labels, each pool once, under a name of its own."""

from __future__ import annotations

import pytest

from scheduler_core.capacity.groups.found import FoundGroups, groups_of
from scheduler_core.capacity.groups.model import like
from scheduler_core.manifests.kinds.unplayed import MOST_NAMED
from tests.scheduler_core.capacity.inputs import SHAPE, inputs, machines, node, node_pool

POOL, EKS = "karpenter.sh/nodepool", "eks.amazonaws.com/nodegroup"


def all_groups(*raws: dict) -> FoundGroups:
    return groups_of(inputs(*raws))


def names(*raws: dict) -> list[str]:
    return [group.name for group in all_groups(*raws).groups]


def test_a_pool_with_object_and_label_is_one_and_others_follow():
    raws = [
        node_pool("p", (SHAPE, "In", ["m5.large"])),
        node("n1", labels={POOL: "p"}),
        node("n2", labels={EKS: "web"}),
    ]
    p, web = all_groups(*raws).groups
    assert (p.name, p.present, web.name, web.present) == ("p", ("n1",), "web", ("n2",))


def test_pools_of_higher_weight_come_first():
    assert names(node_pool("a", weight=1), node_pool("b", weight=9), node_pool("c"), node("n")) == ["b", "a", "c"]


def test_nodes_of_machines_are_no_pool_of_their_label():
    notes = {"machine.openshift.io/machine": "m/w-x2x4p"}
    raws = machines("MachineSet", "w", {}, {}), node("n", labels={EKS: "w"}, annotations=notes)
    (group,) = all_groups(*raws).groups
    assert (group.source, group.present) == ("MachineSet m/w, like n", ("n",))


def test_what_is_not_known_is_listed_with_its_reason():
    odd = node_pool("odd", limits={"cpu": "x"})
    answer = all_groups(
        node_pool("p", (SHAPE, "In", ["x1.large"])), odd, machines("MachineDeployment", "md", {}, {}), node("n")
    )
    assert not answer.groups
    assert [one.name for one in answer.unknown] == ["NodePool p", "NodePool odd", "MachineDeployment m/md"]


def test_nodes_of_an_object_whose_fields_were_not_kept_are_a_pool_by_label():
    of = inputs(node_pool("p"), node("n", labels={POOL: "p"}))
    bare = [type(one)(api_version=one.api_version, kind=one.kind, name=one.name) for one in of.unplayed.objects]
    of.unplayed.objects[:] = bare
    answer = groups_of(of)
    assert [group.source for group in answer.groups] == [f"label {POOL}"]
    assert [one.name for one in answer.unknown] == ["NodePool p"]


def test_equal_names_are_told_apart():
    raws = (
        node_pool("web"),
        node("n1", labels={EKS: "web"}),
        node("n2", labels={"cloud.google.com/gke-nodepool": "web"}),
    )
    named = names(*raws)
    assert (named[0], len(set(named))) == ("web", 3)


def test_given_groups_replace_others_but_for_pools_of_which_they_are_shapes():
    of = inputs(node_pool("p", (SHAPE, "In", ["big"])), node("n1", labels={EKS: "web"}), node("n2", "big"))
    plain, big = (like(one) for one in of.objects.nodes)
    answer = groups_of(of, [plain, big])
    assert [(one.name, POOL in one.template.labels) for one in answer.groups] == [("p", True), ("like-n1", False)]


def test_objects_beyond_those_that_are_kept_are_counted():
    pools = [node_pool(f"p{i}") for i in range(MOST_NAMED + 3)]
    assert [one.name for one in all_groups(node("n"), *pools).unknown] == ["3 more NodePools"]


@pytest.mark.parametrize("spec", [None, [], "x", {"template": []}, {"template": {"spec": {"requirements": {"a": 1}}}}])
def test_objects_of_any_form_are_answered(spec):
    raw = {**node_pool("p"), "spec": spec}
    answer = all_groups(raw, node("n"))
    assert len(answer.groups) + len(answer.unknown) == 1


def test_groups_with_nodes_stay_where_there_are_too_many(monkeypatch):
    monkeypatch.setattr("scheduler_core.capacity.groups.found.MOST_GROUPS", 2)
    answer = all_groups(node_pool("a"), node_pool("b"), node("n1", labels={POOL: "a"}), node("n2", labels={EKS: "web"}))
    assert [group.present for group in answer.groups] == [("n1",), ("n2",)]
    assert [one.name for one in answer.unknown] == ["1 more group"]
