"""What Kueue says of a Workload: its conditions, checks and queue, each with a twin that ends otherwise.

Sources: the conditions and fields of Kueue's API, and messages of its flavor assigner.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from scheduler_core.explain.doubts.kueue import is_held, words_of, workloads
from scheduler_core.manifests.masking.secrets import mask
from tests.scheduler_core.explain.doubts.inputs import Raw, inputs, made, pod
from tests.scheduler_core.manifests.expansion.made_cases import changed

_WORKLOAD = "https://kueue.sigs.k8s.io/docs/concepts/workload/"
_CHECKS = "https://kueue.sigs.k8s.io/docs/concepts/admission_check/"
_QUEUES = "https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/"
_PENDING = "https://kueue.sigs.k8s.io/docs/tasks/troubleshooting/troubleshooting_jobs/"
_API = "https://kueue.sigs.k8s.io/docs/reference/kueue.v1beta2/"
SHORT = "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, 2 more needed"
COHORT = SHORT.replace("quota for", "quota in cohort for")


def condition(kind: str, status: str, reason: str = "", message: str = "") -> Raw:
    return {"type": kind, "status": status, "reason": reason, "message": message}


def queued(*conditions: Raw, **status: Any) -> Raw:
    """A Workload of a Job in the queue lq."""
    raw = made("kueue.x-k8s.io/v1beta2", "Workload", "w", "a", spec={"queueName": "lq"},
               status={"conditions": list(conditions), **status})  # fmt: skip
    raw["metadata"]["ownerReferences"] = [{"apiVersion": "batch/v1", "kind": "Job", "name": "j"}]
    return raw


def waiting(message: str = SHORT, reason: str = "Pending") -> Raw:
    return queued(condition("QuotaReserved", "False", reason, message))


def local(**spec: Any) -> Raw:
    return made("kueue.x-k8s.io/v1beta2", "LocalQueue", "lq", "a", spec={"clusterQueue": "cq", **spec})


def cluster(*conditions: Raw, **spec: Any) -> Raw:
    """A ClusterQueue with two flavors of two resources."""

    def flavor(name: str, *amounts: str) -> Raw:
        pairs = zip(("cpu", "memory"), amounts, strict=True)
        return {"name": name, "resources": [{"name": one, "nominalQuota": amount} for one, amount in pairs]}

    used = [{"name": name, "resources": [{"name": "cpu", "total": total, "borrowed": lent}]}
            for name, total, lent in (("spot", "1", "0"), ("default", "9", "2"))]  # fmt: skip
    groups = [
        {
            "coveredResources": ["cpu", "memory"],
            "flavors": [flavor("spot", "4", "8Gi"), flavor("default", "10", "20Gi")],
        }
    ]
    return made("kueue.x-k8s.io/v1beta2", "ClusterQueue", "cq", spec={"resourceGroups": groups, **spec},
                status={"flavorsUsage": used, "conditions": list(conditions)})  # fmt: skip


class KueueCase(NamedTuple):
    source: str
    raws: tuple[Raw, ...]
    needs: Raw
    change: tuple[tuple[str | int, ...], Any]
    """Of the first object."""
    twin: Raw


CASES = {
    "quota-of-a-cohort": KueueCase(
        _QUEUES, (cluster(cohortName="pool"), waiting(), local()),
        {"state": "quota", "clusterQueue": "cq", "cohort": "pool", "localQueue": "lq", "says": SHORT,
         "quota": "cpu in flavor default: 10 nominal, 9 used, 2 of it borrowed"},
        (("spec", "cohortName"), None), {"state": "quota", "clusterQueue": "cq", "cohort": None},
    ),
    "cohort-of-v1beta1": KueueCase(
        _API, (cluster(cohort="pool"), waiting(COHORT), local()), {"cohort": "pool", "says": COHORT},
        (("spec", "cohort"), "other"), {"cohort": "other"},
    ),
    "no-local-queue": KueueCase(
        _PENDING, (waiting("LocalQueue lq doesn't exist", "Inadmissible"), cluster()),
        {"state": "quota", "reason": "Inadmissible", "clusterQueue": None, "quota": None},
        (("status", "conditions", 0, "status"), "True"), {"state": "checks"},
    ),
    "admission-check": KueueCase(
        _CHECKS, (queued(condition("QuotaReserved", "True", "QuotaReserved", "Quota reserved in ClusterQueue cq"),
                         admission={"clusterQueue": "cq"},
                         admissionChecks=[{"name": "prov", "state": "Pending", "message": "no capacity"},
                                          {"name": "ok", "state": "Ready", "message": ""}]), cluster()),
        {"state": "checks", "clusterQueue": "cq", "says": "prov Pending (no capacity)", "quota": None},
        (("status", "admissionChecks", 0, "state"), "Ready"), {"state": "checks", "says": None},
    ),
    "evicted": KueueCase(
        _WORKLOAD, (queued(condition("QuotaReserved", "False", "Pending", SHORT),
                           condition("Evicted", "True", "Preempted", "Preempted to accommodate a workload")),),
        {"state": "quota", "evicted": "Preempted"},
        (("status", "conditions", 1, "status"), "False"), {"state": "quota", "evicted": None},
    ),
    "deactivated": KueueCase(
        _WORKLOAD, (changed(waiting(), ("spec", "active"), False),), {"state": "deactivated"},
        (("spec", "active"), True), {"state": "quota"},
    ),
    "admitted": KueueCase(
        _WORKLOAD, (queued(condition("QuotaReserved", "True"), condition("Admitted", "True", "Admitted")),),
        {"state": "admitted"},
        (("status", "conditions", 1, "status"), "False"), {"state": "checks"},
    ),
}  # fmt: skip


def needs_of(*raws: Raw) -> dict[str, str]:
    unplayed = inputs(*raws, pod()).unplayed.objects
    (ours,) = workloads(unplayed)
    return words_of(ours, unplayed).needs


@pytest.mark.parametrize("name", CASES)
def test_what_the_input_says_is_there_as_values_and_the_twin_ends_otherwise(name: str) -> None:
    case = CASES[name]
    assert case.source.startswith("https://")
    for raws, right in ((case.raws, case.needs), ((changed(case.raws[0], *case.change), *case.raws[1:]), case.twin)):
        needs = needs_of(*raws)
        assert {field: needs.get(field) for field in right} == right
        masked = [changed(raw, ("spec", "x"), "y") for raw in raws]
        for raw in masked:
            mask(raw)
        assert needs_of(*masked) == needs
    assert case.needs != case.twin


@pytest.mark.parametrize(
    ("queue", "said"),
    [
        (cluster(stopPolicy="HoldAndDrain"), "stopPolicy HoldAndDrain"),
        (cluster(condition("Active", "False", "FlavorNotFound", "flavor gone is not there")), "flavor gone"),
        (cluster(stopPolicy="None"), ""),
    ],
)
def test_a_queue_that_is_stopped_says_so(queue: Raw, said: str) -> None:
    unplayed = inputs(waiting(), local(), queue, pod()).unplayed.objects
    text = words_of(workloads(unplayed)[0], unplayed).text
    assert said in text
    assert ("stopPolicy" in text or "not active" in text) == bool(said)


def test_a_queue_that_the_input_lacks_is_named_as_that() -> None:
    unplayed = inputs(waiting(), local(), pod()).unplayed.objects
    text, needs = words_of(workloads(unplayed)[0], unplayed)
    assert needs["clusterQueue"] == "cq"
    assert "not in the input" in text
    assert "quota" not in needs


@pytest.mark.parametrize(("kind", "held"), [("QuotaReserved", True), ("Admitted", False), ("Finished", False)])
def test_it_is_held_until_it_is_admitted(kind: str, held: bool) -> None:
    (ours,) = workloads(inputs(queued(condition(kind, "True")), pod()).unplayed.objects)
    assert is_held(ours) == held
