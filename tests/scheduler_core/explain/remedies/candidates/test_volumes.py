"""What would let a pod fit whose volumes keep it off, each expectation worked out by hand."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import (
    CSIDriverOnNode,
    CSINode,
    Volume,
)
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.remedies.candidates.volume_objects import (
    DRIVER,
    ZONE,
    claim,
    disk,
    using,
    verified,
)


def test_a_volume_of_another_zone_is_done_without_moved_or_gets_a_node_there():
    there = {"persistent_volume_claims": [claim(volume="disk")], "persistent_volumes": [disk("disk")]}
    proposals = verified([make_node("b1", labels={ZONE: "b"})], [using("data")], **there)
    assert {
        ("DROP_VOLUME", "default/data"): 3.0,
        ("MOVE_VOLUME_ZONE", "disk"): 1.0,
        ("ADD_NODE_LIKE", "b1"): 2.0,
    }.items() <= {change: one.size for change, one in proposals.items()}.items()
    assert proposals["MOVE_VOLUME_ZONE", "disk"].edits[0].after == f"{ZONE}=b"


def test_a_volume_whose_labels_alone_name_another_zone_is_moved():
    there = {"persistent_volume_claims": [claim(volume="disk")]}
    there["persistent_volumes"] = [disk("disk", zone="", labels={ZONE: "a"})]
    proposals = verified([make_node("b1", labels={ZONE: "b"})], [using("data")], **there)
    (edit,) = proposals["MOVE_VOLUME_ZONE", "disk"].edits
    assert (edit.path, edit.value) == ("/metadata/labels/topology.kubernetes.io~1zone", "b")


def test_a_node_without_a_label_of_the_volume_gets_it():
    there = {"persistent_volume_claims": [claim(volume="disk")], "persistent_volumes": [disk("disk")]}
    proposals = verified([make_node("n")], [using("data")], **there)
    assert (proposals["LABEL_NODE", ZONE].edits[0].node, proposals["LABEL_NODE", ZONE].edits[0].value) == ("n", "a")


def test_at_the_limit_of_volumes_a_user_goes_or_a_node_comes_and_the_driver_s_limit_is_not_raised():
    there = {
        "persistent_volume_claims": [claim("mine", "d0"), claim("theirs", "d1"), claim("also", "d2")],
        "persistent_volumes": [disk(name, zone="") for name in ("d0", "d1", "d2")],
        "csi_nodes": [CSINode(name="n", drivers=(CSIDriverOnNode(DRIVER, "n", (), 2),))],
    }
    on = [
        using("theirs", name="x", node_name="n", priority=5),
        using("also", name="y", node_name="n", priority=9),
        make_pod("z", node_name="n"),
    ]
    proposals = verified([make_node("n")], [*on, using("mine", preemption_policy="Never")], **there)
    assert {one.code for one in proposals.values()} == {"EVICT_POD", "ADD_NODE_LIKE", "DROP_VOLUME"}
    assert ("EVICT_POD", "default/x") in proposals  # of the two users the less important one


def test_who_uses_a_claim_for_one_pod_only_would_have_to_go():
    there = {
        "persistent_volume_claims": [claim(volume="disk", access_modes=("ReadWriteOncePod",))],
        "persistent_volumes": [disk("disk", zone="")],
    }
    on = using("data", name="holder", node_name="n")
    proposals = verified([make_node("n"), make_node("m")], [on, using("data", preemption_policy="Never")], **there)
    assert proposals["EVICT_POD", "default/holder"].n_fit == 2


def test_who_has_a_disk_on_the_node_would_have_to_go():
    volume = Volume(name="v", source="gcePersistentDisk", attributes={"pdName": "shared"})
    on = make_pod("holder", volumes=(volume,), node_name="n")
    proposals = verified([make_node("n")], [on, make_pod("p", volumes=(volume,), preemption_policy="Never")])
    assert {("EVICT_POD", "default/holder"), ("DROP_VOLUME", "v")} <= proposals.keys()


SHARED = (Volume(name="v", source="gcePersistentDisk", attributes={"pdName": "shared"}),)
OF_ONE_POD = {
    "persistent_volume_claims": [claim(volume="disk", access_modes=("ReadWriteOncePod",))],
    "persistent_volumes": [disk("disk", zone="")],
}
FAR = {"persistent_volume_claims": [claim(volume="disk")], "persistent_volumes": [disk("disk")]}


@pytest.mark.parametrize(
    ("labels", "holder", "pod", "objects", "texts"),
    [
        ({ZONE: "b"}, None, using("data"), FAR,
         ["Add one more node like n with topology.kubernetes.io/zone=a",
          "Make volume disk again in topology.kubernetes.io/zone=b", "Do without claim default/data"]),
        ({}, None, using("data"), FAR,
         ["Label n topology.kubernetes.io/zone=a", "Add one more node like n with topology.kubernetes.io/zone=a",
          "Do without claim default/data"]),
        ({}, using("data", name="x", node_name="n"), using("data", preemption_policy="Never"), OF_ONE_POD,
         ["Let default/x leave their nodes", "Do without claim default/data"]),
        ({}, make_pod("x", volumes=SHARED, node_name="n"), make_pod("p", volumes=SHARED, preemption_policy="Never"),
         {}, ["Let default/x leave n", "Add one more node like n", "Do without volume v"]),
    ],
    ids=["in another zone", "a node without its label", "of one pod only", "a disk"],
)  # fmt: skip
def test_words(labels, holder, pod, objects, texts):
    proposals = verified([make_node("n", labels=labels)], [*([holder] if holder else []), pod], **objects)
    assert [one.text for one in proposals.values()] == texts
