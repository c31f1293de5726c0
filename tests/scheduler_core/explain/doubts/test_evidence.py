"""What the input says of a gate of Kueue, a group of Volcano and its missing nodes is part of the cause."""

from __future__ import annotations

import pytest

from scheduler_core.explain.diagnosis.model import Obstacle, ObstacleSet
from scheduler_core.explain.doubts.evidence import left_to_others, with_evidence
from scheduler_core.versions.semantics import behaviours_of
from tests.scheduler_core.explain.doubts.inputs import inputs, made, node, pod

GATE = "kueue.x-k8s.io/admission"
QUEUED = {"labels": {"kueue.x-k8s.io/queue-name": "lq"}, "schedulingGates": [{"name": GATE}]}


def cause(code: str, text: str = "It waits.") -> ObstacleSet:
    return ObstacleSet(codes=(code,), obstacles=(Obstacle(code=code, text=text),), text=text)


def workload(name: str, queue: str = "lq", owners: tuple[str, ...] = (), says: str = "LocalQueue lq doesn't exist"):
    raw = made(
        "kueue.x-k8s.io/v1beta1",
        "Workload",
        name,
        "a",
        spec={"queueName": queue},
        status={"conditions": [{"type": "QuotaReserved", "status": "False", "message": says}]},
    )
    raw["metadata"]["ownerReferences"] = [{"kind": "Job", "name": one} for one in owners]
    return raw


def test_a_gate_of_kueue_says_what_kueue_says():
    given = inputs(workload("job-w"), workload("other", "another"), pod(**QUEUED))
    answers = with_evidence(cause("GATED"), given.objects.pods[0], given)
    needs = answers.obstacles[0].needs
    assert needs["workload"] == "kueue.x-k8s.io/v1beta1/Workload/a/job-w"
    assert needs["says"].startswith("LocalQueue lq")
    assert all(part in answers.text for part in (GATE, "job-w", needs["says"]))


def test_the_workload_of_the_owner_counts_before_the_queue():
    owners = [{"apiVersion": "batch/v1", "kind": "Job", "name": "mine", "uid": "u", "controller": True}]
    given = inputs(
        workload("theirs", owners=("yours",)), workload("ours", owners=("mine",)), pod(owners=owners, **QUEUED)
    )
    answers = with_evidence(cause("GATED"), given.objects.pods[0], given)
    assert answers.obstacles[0].needs["workload"].endswith("/ours")


def test_other_gates_stay_as_they_are():
    given = inputs(workload("job-w"), pod(schedulingGates=[{"name": "acme.io/gate"}]))
    assert with_evidence(before := cause("GATED"), given.objects.pods[0], given) is before


@pytest.mark.parametrize(("least", "lacks"), [(3, True), (2, False)])
def test_a_group_of_volcano_says_what_it_needs(least, lacks):
    group = made("scheduling.volcano.sh/v1beta1", "PodGroup", "pg", "a", spec={"minMember": least})
    asks = {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "3"}}}]}
    given = inputs(group, *[pod(name=f"p{i}", schedulerName="volcano", **asks) for i in range(3)])
    answers = with_evidence(cause("OTHER_SCHEDULER"), given.objects.pods[0], given)
    assert answers.obstacles[0].needs["minMember"] == f"{least}"
    assert ("9 cpu" in answers.text) == ("8 cpu" in answers.text) == lacks


def test_the_input_holds_no_node_not_the_cluster():
    given = inputs(node(), pod(), pod("a", "there", node="n1"))
    given.objects.nodes.clear()
    assert "n1" in with_evidence(cause("NO_NODES"), given.objects.pods[0], given).text


def test_what_is_left_to_others_has_no_remedies():
    given = inputs(pod(**QUEUED), pod("a", "gated", schedulingGates=[{"name": "acme.io/gate"}]),
                   pod("a", "claims", resourceClaims=[{"name": "x", "resourceClaimName": "fixed"}]))  # fmt: skip
    without, newest = behaviours_of(""), behaviours_of("1.36")
    assert [bool(left_to_others(one, without)) for one in given.objects.pods] == [True, False, True]
    assert [bool(left_to_others(one, newest)) for one in given.objects.pods] == [True, False, False]
