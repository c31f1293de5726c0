"""CSI migration against csi-translation-lib v0.34: handles, topologies and which nodes count as migrated.

Expected values are written from the rules of plugins/*.go there; recorded cases with in-tree volumes lie in
tests/conformance (gke, vol2, differences/05*).
"""

from __future__ import annotations

import pytest

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import CSINode, PersistentVolume, Volume
from scheduler_core.framework.plugin_helpers.csi_migration import (
    IN_TREE,
    IN_TREE_BY_NAME,
    TranslationError,
    inline_handle,
    is_bound_by_driver,
    is_counted_by_driver,
    translate,
    volume_handle,
)

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
BETA_ZONE, BETA_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
GCE_ZONE, EBS_ZONE = "topology.gke.io/zone", "topology.ebs.csi.aws.com/zone"
GCE, EBS, AZURE = "gcePersistentDisk", "awsElasticBlockStore", "azureDisk"


def disk(source, labels=None, affinity=None, **attributes):
    return PersistentVolume(name="v", labels=labels or {}, source=source, attributes=attributes, node_affinity=affinity)


def either(*terms):
    return NodeSelector(tuple(NodeSelectorTerm(tuple(Requirement(*r) for r in term)) for term in terms))


def needs(key, *values):
    return either([(key, "In", values)])


@pytest.mark.parametrize(
    ("volume", "handle"),
    [
        pytest.param(disk(GCE, pdName="d"), "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d", id="GCE without a zone"),
        pytest.param(
            disk(GCE, {ZONE: "us-a1-b"}, pdName="d"), "projects/UNSPECIFIED/zones/us-a1-b/disks/d", id="GCE in a zone"
        ),
        pytest.param(
            disk(GCE, {ZONE: "x-y-z", BETA_ZONE: "us-a1-b"}, pdName="d"),
            "projects/UNSPECIFIED/zones/us-a1-b/disks/d", id="the beta zone label of GCE comes first",
        ),
        pytest.param(
            disk(GCE, {ZONE: "us-a1-b__us-a1-c"}, pdName="d"),
            "projects/UNSPECIFIED/regions/us-a1/disks/d", id="GCE in a region",
        ),
        pytest.param(disk(EBS, volumeID="vol-1"), "vol-1", id="EBS"),
        pytest.param(disk(EBS, volumeID="aws://us-east-1a/vol-1"), "vol-1", id="EBS with its zone"),
        pytest.param(disk(EBS, volumeID="aws:///vol-1"), "vol-1", id="EBS with an empty zone"),
        pytest.param(disk(AZURE, kind="managed", diskURI="/s/d"), "/s/d", id="a managed disk of Azure"),
        pytest.param(disk("cinder", volumeID="c"), "c", id="Cinder"),
        pytest.param(disk("portworxVolume", volumeID="p"), "p", id="Portworx"),
    ],
)  # fmt: skip
def test_the_driver_knows_a_disk_by_its_handle(volume, handle):
    assert volume_handle(volume) == handle


@pytest.mark.parametrize(
    ("volume", "text"),
    [
        (disk(GCE, {ZONE: "a__us-a1-b"}), "got: a$"),
        (disk(GCE, {ZONE: "us-a1-b__us-a2-b"}), r"multiple or no regions .* got: map\[us-a1:{} us-a2:{}\]"),
        (disk(EBS, volumeID="aws://us-east-1a/snap-1"), r"Invalid format for AWS volume \(aws://us-east-1a/snap-1\)"),
        (disk(EBS, volumeID="aws://us-east-1a/x/vol-1"), "Invalid format for AWS volume"),
        (disk(EBS, volumeID="aws://[/vol-1"), "Invalid format for AWS volume"),
        (disk(AZURE, kind="Dedicated", diskURI="http://d"), r"kind\(Dedicated\) is not supported in csi migration"),
        (disk(AZURE, diskURI="http://d"), r"kind\(Shared\) is not supported"),
    ],
)  # fmt: skip
def test_a_disk_that_no_driver_can_know_is_told(volume, text):
    with pytest.raises(TranslationError, match=text):
        volume_handle(volume)
    with pytest.raises(TranslationError, match=text):
        translate(volume)


def test_an_inline_disk_tells_no_zone():
    inline = Volume(name="v", source=GCE, attributes={"pdName": "d"})
    assert inline_handle(inline) == "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"


@pytest.mark.parametrize(
    ("labels", "affinity", "expected"),
    [
        pytest.param({}, None, None, id="nothing known"),
        pytest.param({ZONE: "a"}, None, needs(EBS_ZONE, "a"), id="the zone label"),
        pytest.param({BETA_ZONE: "a"}, None, needs(EBS_ZONE, "a"), id="the beta zone label"),
        pytest.param({BETA_ZONE: "a", ZONE: "b"}, None, needs(EBS_ZONE, "b"), id="the general label counts"),
        pytest.param({ZONE: "b__ a __b__"}, None, needs(EBS_ZONE, "a", "b"), id="several zones"),
        pytest.param({ZONE: " __ "}, None, None, id="a label without any zone"),
        pytest.param({ZONE: "a"}, needs(ZONE, "c", "b"), needs(EBS_ZONE, "c", "b"), id="the affinity's zones win"),
        pytest.param(
            {ZONE: "a"}, either([("disk", "Exists")], [("x", "In", ("1",))]),
            either([("disk", "Exists"), (EBS_ZONE, "In", ("a",))], [("x", "In", ("1",)), (EBS_ZONE, "In", ("a",))]),
            id="every term gets the label's zones",
        ),
        pytest.param(
            {ZONE: "a"}, either([(ZONE, "In", ("b",))], [("x", "In", ("1",))]),
            either([(EBS_ZONE, "In", ("b",))], [("x", "In", ("1",))]), id="one term that names zones is enough",
        ),
        pytest.param(
            {ZONE: "a"}, either([(ZONE, "Exists")]), either([(ZONE, "Exists"), (EBS_ZONE, "In", ("a",))]),
            id="a zone without values is kept, and the label's zones come beside it",
        ),
        pytest.param(
            {}, either([(BETA_ZONE, "In", ("a",)), (BETA_REGION, "In", ("r",))]),
            either([(EBS_ZONE, "In", ("a",)), (REGION, "In", ("r",))]), id="the beta region becomes the general one",
        ),
        pytest.param(
            {ZONE: "a"}, needs(BETA_REGION, "r"), either([(BETA_REGION, "In", ("r",)), (EBS_ZONE, "In", ("a",))]),
            id="beside a general zone the beta region stays",
        ),
        pytest.param(
            {BETA_ZONE: "a"}, needs(BETA_REGION, "r"), either([(REGION, "In", ("r",)), (EBS_ZONE, "In", ("a",))]),
            id="a beta zone label brings the general region",
        ),
        pytest.param({ZONE: "a"}, NodeSelector(), needs(EBS_ZONE, "a"), id="an affinity without terms"),
    ],
)  # fmt: skip
def test_the_topology_is_in_the_drivers_words(labels, affinity, expected):
    assert translate(disk(EBS, labels, affinity, volumeID="vol-1")).node_affinity == expected


@pytest.mark.parametrize(
    ("source", "key"),
    [
        (EBS, EBS_ZONE),
        (GCE, GCE_ZONE),
        ("cinder", "topology.cinder.csi.openstack.org/zone"),
        (AZURE, ""),
        ("portworxVolume", ""),
    ],
)
def test_each_driver_has_its_label_of_zones_or_takes_the_topology_as_written(source, key):
    affinity = translate(disk(source, {ZONE: "a"}, volumeID="vol-1", kind="Managed")).node_affinity
    assert affinity == (needs(key, "a") if key else None)


MIGRATED = CSINode(name="n", migrated_plugins=tuple(IN_TREE_BY_NAME))


@pytest.mark.parametrize(
    ("source", "bound", "counted", "counted_when_migrated"),
    [
        (GCE, True, True, True),
        (EBS, True, True, True),
        (AZURE, True, True, True),
        ("cinder", True, True, True),
        ("portworxVolume", True, False, True),
        ("azureFile", False, False, False),
        ("vsphereVolume", False, False, False),
    ],
)
def test_what_the_scheduler_reads_as_the_drivers(source, bound, counted, counted_when_migrated):
    plugin, plain = IN_TREE[source], CSINode(name="n")
    assert [is_bound_by_driver(plugin, csi_node) for csi_node in (None, plain, MIGRATED)] == [False, False, bound]
    assert [is_counted_by_driver(plugin, csi_node) for csi_node in (None, plain, MIGRATED)] == [
        False,
        counted,
        counted_when_migrated,
    ]
