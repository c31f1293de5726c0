"""What would let a pod fit whose volumes keep it off, each expectation worked out by hand."""

from __future__ import annotations

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
    remedy_of_text = verified([make_node("b1", labels={ZONE: "b"})], [using("data")], **there)
    assert {
        "Do without claim default/data": ("DROP_VOLUME", 3.0),
        f"Make volume disk again in {ZONE}=b": ("MOVE_VOLUME_ZONE", 1.0),
        f"Add one more node like b1 with {ZONE}=a": ("ADD_NODE_LIKE", 2.0),
    }.items() <= {text: (one.code, one.size) for text, one in remedy_of_text.items()}.items()


def test_a_volume_whose_labels_alone_name_another_zone_is_moved():
    there = {"persistent_volume_claims": [claim(volume="disk")]}
    there["persistent_volumes"] = [disk("disk", zone="", labels={ZONE: "a"})]
    assert f"Make volume disk again in {ZONE}=b" in verified(
        [make_node("b1", labels={ZONE: "b"})], [using("data")], **there
    )


def test_a_node_without_a_label_of_the_volume_gets_it():
    there = {"persistent_volume_claims": [claim(volume="disk")], "persistent_volumes": [disk("disk")]}
    assert f"Label n {ZONE}=a" in verified([make_node("n")], [using("data")], **there)


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
    remedy_of_text = verified([make_node("n")], [*on, using("mine", preemption_policy="Never")], **there)
    assert {one.code for one in remedy_of_text.values()} == {"EVICT_POD", "ADD_NODE_LIKE", "DROP_VOLUME"}
    assert "Let default/x leave n" in remedy_of_text  # of the two users the less important one


def test_who_uses_a_claim_for_one_pod_only_would_have_to_go():
    there = {
        "persistent_volume_claims": [claim(volume="disk", access_modes=("ReadWriteOncePod",))],
        "persistent_volumes": [disk("disk", zone="")],
    }
    on = using("data", name="holder", node_name="n")
    remedy_of_text = verified([make_node("n"), make_node("m")], [on, using("data", preemption_policy="Never")], **there)
    assert remedy_of_text["Let default/holder leave their nodes"].n_fit == 2


def test_who_has_a_disk_on_the_node_would_have_to_go():
    volume = Volume(name="v", source="gcePersistentDisk", attributes={"pdName": "shared"})
    on = make_pod("holder", volumes=(volume,), node_name="n")
    remedy_of_text = verified([make_node("n")], [on, make_pod("p", volumes=(volume,), preemption_policy="Never")])
    assert {"Let default/holder leave n", "Do without volume v"} <= remedy_of_text.keys()
