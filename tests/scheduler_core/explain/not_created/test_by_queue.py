"""A Job that Kueue suspended has no pods: the cause is what Kueue says."""

from __future__ import annotations

from scheduler_core.explain.not_created.by_queue import cause_of_queued, queued_workload, report_of_queued
from scheduler_core.framework.contracts.obstacles import KINDS
from tests.scheduler_core.explain.doubts.inputs import Raw, inputs, made, owner, pod
from tests.scheduler_core.explain.doubts.test_kueue import SHORT, cluster, condition, local, queued, waiting


def job(*, suspend: bool = True) -> Raw:
    template = {"spec": {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}}
    return made("batch/v1", "Job", "j", "a", spec={"suspend": suspend, "parallelism": 2, "template": template})


def test_the_owner_and_the_workload_are_answered_alike() -> None:
    given = inputs(job(), waiting(), local(), cluster(cohortName="pool"), pod("b"))
    assert [one.key for one in given.objects.pods] == ["b/p"]
    for key in ("a/j", "a/w"):
        ours = queued_workload(given, key)
        assert ours is not None
        cause = cause_of_queued(given, ours)
        assert (cause.codes, cause.stage) == (("NOT_CREATED_QUEUE",), KINDS["NOT_CREATED_QUEUE"].stage)
        (obstacle,) = cause.obstacles
        assert (obstacle.object, obstacle.subject) == ("batch/v1/Job/a/j", "kueue.x-k8s.io/v1beta2/Workload/a/w")
        assert obstacle.needs["says"] == SHORT
        assert obstacle.needs["cohort"] == "pool"
        assert report_of_queued(given, ours).pending.pod == "a/j"


def test_others_and_those_that_have_pods_or_are_admitted_are_not_answered_so() -> None:
    assert queued_workload(inputs(job(), waiting(), pod()), "a/other") is None
    admitted = queued(condition("Admitted", "True"))
    assert queued_workload(inputs(job(suspend=False), admitted), "a/j") is None
    gated = pod(owners=[owner("Job", "j", "batch/v1")])
    assert queued_workload(inputs(job(), waiting(), gated), "a/j") is None
