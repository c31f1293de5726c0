"""The words of facts; each expectation is worked out by hand."""

from __future__ import annotations

import pytest

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.taints import Toleration
from scheduler_core.explain.facts import text, toleration
from scheduler_core.framework.contracts import facts as f

WEB = LabelSelector((Requirement("app", "In", ("web",)),))
GI, MI = 1 << 30, 1 << 20
SAID = [
    (
        f.ResourceFact(resource="cpu", asked=6000, allocatable=8000, requested=2500, refuses=True),
        "short of 0.5 cpu: needs 6, 5.5 free",
    ),
    (f.ResourceFact(resource="cpu", asked=2000, allocatable=8000, requested=2500), "needs 2 cpu, 5.5 free"),
    (
        f.ResourceFact(resource="cpu", asked=6000, allocatable=4000, requested=0, refuses=True),
        "too small: needs 6 cpu, has 4 in all",
    ),
    (
        f.ResourceFact(resource="cpu", asked=4000, allocatable=8000, requested=5000, promised=2000, refuses=True),
        "short of 1 cpu: needs 4, 5 free, 2 promised to nominated pods",
    ),
    (
        f.ResourceFact(resource="memory", asked=6 * GI, allocatable=8 * GI, requested=6656 * MI, refuses=True),
        "short of 4.5Gi memory: needs 6Gi, 1.5Gi free",
    ),
    (
        f.ResourceFact(resource="memory", asked=6 * GI, allocatable=8 * GI, requested=6656 * MI - 1, refuses=True),
        "short of 4831838207 memory: needs 6442450944, 1610612737 free",
    ),
    (
        f.ResourceFact(resource="pods", asked=1, allocatable=3, requested=3, promised=1, refuses=True),
        "takes 3 pods and has 2, and 1 more nominated",
    ),
    (
        f.ResourceFact(resource="nvidia.com/gpu", asked=2, allocatable=8, requested=7, refuses=True),
        "short of 1 nvidia.com/gpu: needs 2, 1 free",
    ),
    (
        f.LabelFact(source="nodeSelector", key="disk", operator="In", values=("ssd",), refuses=True),
        "needs disk=ssd; the label is missing",
    ),
    (
        f.LabelFact(source="nodeSelector", key="disk", operator="In", values=("ssd",), value="hdd", refuses=True),
        "needs disk=ssd; it is hdd",
    ),
    (
        f.LabelFact(source="addedAffinity", key="pool", operator="NotIn", values=("a", "b"), value="a", refuses=True),
        "the scheduler's addedAffinity needs pool not in a, b; it is a",
    ),
    (
        f.LabelFact(source="required node affinity", key="old", operator="DoesNotExist", value="yes", refuses=True),
        "must not have the label old",
    ),
    (
        f.LabelFact(source="required node affinity", key="", operator="", refuses=True),
        "the required node affinity has a term without requirements, which no node matches",
    ),
    (f.TaintFact(key="gpu", value="present", refuses=True), "no toleration for the taint gpu=present:NoSchedule"),
    (
        f.TaintFact(key="down", effect="NoExecute", by=Toleration(operator="Exists")),
        "tolerates the taint down:NoExecute",
    ),
    (f.CordonFact(cordoned=True, tolerated=False, refuses=True), "the node is cordoned"),
    (f.NodeNameFact(node_name="b", refuses=True), "the pod names another node: b"),
    (f.PortFact(port=8443, holder="web/ingress-2", refuses=True), "host port 8443/TCP is held by web/ingress-2"),
    (f.PortFact(port=53, protocol="UDP"), "host port 53/UDP is free"),
    (
        f.ShareFact(resource="cpu", asked=600, requested=600, allocatable=4000, points=85),
        "cpu: 0.6 of 4 requested with the pod, 85 points",
    ),
    (
        f.ShareFact(resource="cpu", asked=600, requested=600, allocatable=4000, weight=3),
        "cpu: 0.6 of 4 requested with the pod",
    ),
    (
        f.SpreadFact(
            topology_key="zone",
            selector=WEB,
            max_skew=1,
            domain="eu-b",
            here=2,
            adds=1,
            least=1,
            n_domains=3,
            refuses=True,
        ),
        "zone=eu-b would have 3 pods of app=web, the least is 1: skew 2, allowed 1",
    ),
    (
        f.SpreadFact(
            topology_key="zone",
            selector=WEB,
            max_skew=1,
            domain="eu-b",
            here=1,
            adds=1,
            least=0,
            n_domains=2,
            min_domains=3,
            refuses=True,
        ),
        "zone=eu-b would have 2 pods of app=web, the least counts as 0, as there are 2 of at least 3 domains: "
        "skew 2, allowed 1",
    ),
    (
        f.PodTermFact(
            kind="anti-affinity",
            topology_key="host",
            domain="b-1",
            selector=WEB,
            pods=("shop/api-0",),
            n_pods=1,
            refuses=True,
        ),
        "must not be with app=web; host=b-1 has shop/api-0",
    ),
    (
        f.PodTermFact(kind="affinity", topology_key="host", domain="b-1", selector=WEB, refuses=True),
        "must be with app=web; host=b-1 has none",
    ),
    (
        f.PodTermFact(
            kind="anti-affinity of placed pods",
            topology_key="host",
            domain="b-1",
            pods=("a", "b", "c", "d"),
            n_pods=30,
            refuses=True,
        ),
        "a, b, c and 27 more in host=b-1 must not be with a pod like this one",
    ),
    (
        f.ClaimFact(
            claim="shop/data-0",
            volume="pv-1",
            problem="x",
            refuses=True,
            requirements=(
                f.LabelFact(source="volume's node affinity", key="zone", operator="In", values=("eu-c",), value="eu-b"),
            ),
        ),
        "claim shop/data-0: volume pv-1 needs zone in eu-c; it is eu-b",
    ),
    (
        f.VolumeZoneFact(claim="shop/d", volume="pv-1", key="zone", values=("a", "b"), value="c", refuses=True),
        "claim shop/d: volume pv-1 is in zone=a or b; the node is in c",
    ),
    (
        f.VolumeLimitFact(driver="csi.example.com", attached=24, adds=2, limit=25, refuses=True),
        "csi.example.com: 24 volumes attached, 2 more with the pod, a limit of 25",
    ),
    (
        f.DiskFact(volume="v", source="gcePersistentDisk", holder="shop/db-0", refuses=True),
        "disk v (gcePersistentDisk) is in use by shop/db-0 on the node",
    ),
    (
        f.ClaimInUseFact(claim="shop/d", holders=("shop/db-0",), refuses=True),
        "claim shop/d (ReadWriteOncePod) is in use by shop/db-0",
    ),
    (
        f.DeviceClaimFact(entry="gpu", problem="resource claims are not simulated", refuses=True),
        "resource claim gpu: resource claims are not simulated",
    ),
    (
        f.SpreadScoreFact(topology_key="zone", selector=WEB, max_skew=3, domain="a", here=2, weight=1.5, term=5.0),
        "zone=a has 2 pods of app=web, times 1.500: 5.00 (low is good)",
    ),
    (
        f.AttractionFact(topology_key="zone", domain="a", points=-7),
        "preferred terms that match in zone=a: -7",
    ),
    (f.DeviationFact(deviation=0.045), "the used shares deviate by 4.5 %"),
    (f.ImageFact(image="web:1", here=False), "web:1 is not there"),
    (
        f.ImageFact(image="web:1", here=True, size=400 * MI, nodes=3, of_nodes=6, counted=200 * MI),
        "web:1 is there and on 3 of 6 nodes: 200 MiB of its 400 MiB count",
    ),
]


@pytest.mark.parametrize(("fact", "sentence"), SAID, ids=[sentence for _, sentence in SAID])
def test_a_fact_is_said_in_plain_words(fact: f.Fact, sentence: str) -> None:
    assert text(fact) == sentence


def test_a_toleration_is_written_as_in_a_manifest() -> None:
    written = toleration(Toleration("gpu", "Exists", "", "NoSchedule"))
    assert written.split(", ") == ["key: gpu", "operator: Exists", "effect: NoSchedule"]
