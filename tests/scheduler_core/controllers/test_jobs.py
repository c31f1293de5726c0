"""Jobs; second source: job_controller.go (syncJob, manageJob, isPodFailed), backoff_utils.go, indexed_job_utils.go."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import JobSpec, Workload
from scheduler_core.controllers import jobs
from scheduler_core.controllers.decision import WorkloadProgress
from scheduler_core.controllers.registry import decide
from tests.scheduler_core.controllers.controller_helpers import made, pod_of, situation, workload

SECOND = 1_000_000


def job(**fields: object) -> Workload:
    return workload("Job", job=JobSpec(**fields))  # type: ignore[arg-type]


def running(count: int, **fields: object) -> list:
    return [pod_of(job(), f"p-{i}", **fields) for i in range(count)]


@pytest.mark.parametrize(
    ("spec", "active", "succeeded", "count"),
    [
        pytest.param({"completions": 5, "parallelism": 2}, 0, 0, 2, id="as many as run in parallel"),
        pytest.param({"completions": 5, "parallelism": 2}, 1, 3, 1, id="one ended"),
        pytest.param({"completions": 5, "parallelism": 2}, 1, 4, 0, id="no more than completions that are missing"),
        pytest.param({"completions": 5, "parallelism": 2, "succeeded": 4}, 0, 0, 1, id="some succeeded before the run"),
        pytest.param({"completions": None, "parallelism": 3}, 0, 0, 3, id="a work queue starts all"),
        pytest.param({"completions": None, "parallelism": 3}, 2, 1, 0, id="a work queue starts none after a success"),
        pytest.param({"completions": 5, "is_over": True}, 0, 0, 0, id="suspended or over"),
    ],
)
def test_how_many_pods_are_made(spec: dict[str, object], active: int, succeeded: int, count: int) -> None:
    progress = WorkloadProgress(succeeded=succeeded)
    assert len(made(job(**spec), situation(*running(active)), progress)) == count
    assert progress.over == ""


def test_a_job_is_complete_when_enough_succeeded_and_none_runs() -> None:
    done = WorkloadProgress(succeeded=2)
    assert made(job(completions=2), situation(*running(1)), done) == []
    assert done.over == ""
    assert made(job(completions=2), situation(), done) == []
    assert done.over == "complete"


def test_a_deleted_pod_counts_as_failed_and_its_successor_waits_ten_seconds_then_twenty() -> None:
    owner, progress = job(completions=1), WorkloadProgress()
    jobs.pod_failed(owner, progress, 3 * SECOND, is_disruption=True)
    decision = decide(owner, progress, situation(now=3 * SECOND))
    assert (decision.make, decision.again_at) == ([], 13 * SECOND)
    assert len(made(owner, situation(now=13 * SECOND), progress)) == 1
    jobs.pod_failed(owner, progress, 20 * SECOND, is_disruption=False)
    assert decide(owner, progress, situation(now=20 * SECOND)).again_at == 40 * SECOND
    for _ in range(9):
        jobs.pod_failed(owner, progress, 50 * SECOND, is_disruption=False)
    progress.failed = 1
    assert decide(owner, progress, situation(now=50 * SECOND)).again_at == 650 * SECOND


def test_a_success_ends_the_backoff() -> None:
    owner, progress = job(completions=3), WorkloadProgress()
    jobs.pod_failed(owner, progress, 0, is_disruption=False)
    jobs.pod_succeeded(owner, progress, pod_of(owner, "p"))
    assert len(made(owner, situation(), progress)) == 1


def test_more_failures_than_the_limit_end_the_job_and_remove_its_pods() -> None:
    owner, progress = job(completions=3, parallelism=2, backoff_limit=1, failed=1), WorkloadProgress()
    jobs.pod_failed(owner, progress, 0, is_disruption=False)
    decision = decide(owner, progress, situation(*running(1), pod_of(owner, "leaving", leaves=True)))
    assert decision.progress.over == "failed: BackoffLimitExceeded"
    assert decision.make == []
    ((removed, why),) = decision.remove
    assert (removed, why.endswith("failed: BackoffLimitExceeded")) == ("shop/p-0", True)


@pytest.mark.parametrize(
    ("action", "is_disruption", "failed", "over"),
    [
        ("Count", True, 1, ""),
        ("Ignore", True, 0, ""),
        ("Ignore", False, 1, ""),
        ("FailJob", True, 1, "failed: PodFailurePolicy"),
    ],
)
def test_the_pod_failure_policy_decides_about_disruptions(
    action: str, is_disruption: bool, failed: int, over: str
) -> None:
    progress = WorkloadProgress()
    jobs.pod_failed(job(on_disruption=action), progress, 0, is_disruption=is_disruption)
    assert (progress.failed, progress.over) == (failed, over)
    assert progress.replaced == (action == "Ignore" and is_disruption), "no backoffLimit ends these"


def test_a_job_that_replaces_failed_pods_only_waits_for_the_end_of_one_that_terminates() -> None:
    leaving = pod_of(job(), "leaving", leaves=True)
    assert len(made(job(completions=1), situation(leaving))) == 1
    assert made(job(completions=1, replaces_failed_only=True), situation(leaving)) == []
    assert jobs.counts_when_terminating(job())
    assert not jobs.counts_when_terminating(job(replaces_failed_only=True))


def test_an_indexed_job_makes_the_first_indexes_that_neither_run_nor_are_complete() -> None:
    owner = job(completions=6, parallelism=3, is_indexed=True, completed_indexes=((1, 2),), succeeded=2)
    runs = pod_of(owner, "web-0-abcde", annotations={jobs.COMPLETION_INDEX: "0"})
    names = made(owner, situation(runs), WorkloadProgress(succeeded=1, indexes=[4]))
    assert [name.rsplit("-", 1)[0] for name in names] == ["web-3", "web-5"]


def test_an_index_succeeds_once() -> None:
    owner, progress = job(completions=3, is_indexed=True, completed_indexes=((0, 0),)), WorkloadProgress()
    for index in ("1", "1", "0", "x"):
        jobs.pod_succeeded(owner, progress, pod_of(owner, "p", annotations={jobs.COMPLETION_INDEX: index}))
    assert (progress.succeeded, progress.indexes) == (1, [1])


def test_pending_indexes_step_over_intervals_however_long() -> None:
    spec = JobSpec(completions=2**31 - 1, completed_indexes=((0, 2**31 - 4),))
    assert jobs.pending_indexes(spec, {2**31 - 3}, 5) == [2**31 - 2]


def test_a_job_of_which_only_pods_are_known_wants_each_of_them_to_succeed() -> None:
    owner, progress = workload("Job", 2, is_implied=True), WorkloadProgress(succeeded=1)
    assert made(owner, situation(*running(1)), progress) == []
    assert made(owner, situation(), progress) != []
    assert jobs.desired_pods(owner, progress) == 2
