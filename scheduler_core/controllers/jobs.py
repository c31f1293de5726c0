"""Jobs: up to their completions with their parallelism, until too many pods failed (job_controller.go).

A pod that was evicted, deleted or lost counts as failed: at once where it terminates, or when it is gone for Jobs that
replace failed pods only. After a failure the next pod is made after 10 s, 20 s, ... at most 10 min; a success ends
that. More than backoffLimit failures end the Job, and its pods are removed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from msgspec.structs import replace

from scheduler_core.api.objects import JobSpec, Pod, Workload
from scheduler_core.controllers.decision import Decision, Situation, WorkloadProgress, nothing
from scheduler_core.controllers.names import LONGEST_BASE, generated_name
from scheduler_core.controllers.templates import COMPLETION_INDEX, new_pod, new_pods, successors

FIRST_BACKOFF_US = 10_000_000
LONGEST_BACKOFF_US = 600_000_000
COMPLETE = "complete"
BACKOFF_LIMIT_EXCEEDED = "failed: BackoffLimitExceeded"
POD_FAILURE_POLICY = "failed: PodFailurePolicy"


def counts_when_terminating(workload: Workload) -> bool:
    """Whether a pod has failed as soon as it terminates (isPodFailed), else when it is gone."""
    return workload.job is None or not workload.job.replaces_failed_only


def pod_failed(workload: Workload, progress: WorkloadProgress, now: int, *, is_disruption: bool) -> None:
    """Count a pod that was deleted; ``is_disruption``: it has the condition DisruptionTarget (preempted, or lost).

    One that the pod failure policy ignores is replaced without end, so it counts as replaced.
    """
    action = workload.job.on_disruption if workload.job and is_disruption else "Count"
    if action == "Ignore":
        progress.replaced += 1
        return
    if action == "FailJob" and not progress.over:
        progress.over = POD_FAILURE_POLICY
    progress.failed += 1
    progress.failures_in_a_row += 1
    progress.last_failure = now


def pod_succeeded(workload: Workload, progress: WorkloadProgress, pod: Pod) -> None:
    """Count a pod that ran to its end; of an Indexed Job each index counts once."""
    progress.failures_in_a_row, progress.last_failure = 0, -1
    if workload.job is not None and workload.job.is_indexed:
        index = completion_index(pod)
        if index < 0 or index in progress.indexes or _is_within(index, workload.job.completed_indexes):
            return
        progress.indexes.append(index)
    progress.succeeded += 1


def decide(workload: Workload, progress: WorkloadProgress, situation: Situation) -> Decision:
    """Make the pods that are to run now, or end the Job (syncJob, manageJob)."""
    job = job_spec(workload)
    if job.is_over:
        return nothing(progress)
    if not progress.over and job.failed + progress.failed > job.backoff_limit:
        progress.over = BACKOFF_LIMIT_EXCEEDED
    if progress.over:
        active = [pod for pod in situation.pods() if pod.deletion_timestamp is None]
        return Decision(progress, remove=[(pod.key, f"{workload.title} is {progress.over}") for pod in active])
    succeeded = job.succeeded + progress.succeeded
    goal = job.completions
    if situation.active == 0 and (succeeded >= goal if goal is not None else succeeded > 0):
        progress.over = COMPLETE
        return nothing(progress)
    return _make(workload, progress, situation, _missing(job, succeeded, situation))


def job_spec(workload: Workload) -> JobSpec:
    """What the Job asks for; one of which only pods are known wants each of them to succeed."""
    if workload.job is not None:
        return workload.job
    return JobSpec(completions=workload.replicas, parallelism=workload.replicas)


def desired_pods(workload: Workload, progress: WorkloadProgress) -> int:
    """How many pods the Job wants that succeed or run: its completions, or its parallelism where it names none."""
    job = job_spec(workload)
    if job.is_over or (job.completions is None and job.succeeded + progress.succeeded):
        return 0
    more = progress.extra_pods
    return more + (job.parallelism if job.completions is None else job.completions - job.succeeded)


def _missing(job: JobSpec, succeeded: int, situation: Situation) -> int:
    if job.completions is not None:
        n_active = min(job.parallelism, job.completions - succeeded)
    else:
        n_active = situation.active if succeeded else job.parallelism
    terminating = situation.terminating if job.replaces_failed_only else 0
    return n_active - terminating - situation.active


def _make(workload: Workload, progress: WorkloadProgress, situation: Situation, missing: int) -> Decision:
    """Create n pods, or say when: after the backoff of the failures so far (getRemainingTime)."""
    if missing <= 0:
        return nothing(progress)
    backoff = backoff_us(progress.failures_in_a_row)
    if backoff and situation.now < progress.last_failure + backoff:
        return Decision(progress, again_at=progress.last_failure + backoff)
    job = job_spec(workload)
    if job.is_indexed:
        return Decision(progress, make=_indexed(workload, job, progress, situation, missing))
    return Decision(progress, make=new_pods(workload, successors(workload, missing, situation), progress, situation))


def backoff_us(failures: int) -> int:
    """How long after the last of this many failures in a row the next pod is made, in microseconds; 0 without any."""
    return min(FIRST_BACKOFF_US << min(failures - 1, 20), LONGEST_BACKOFF_US) if failures else 0


def _indexed(
    workload: Workload, job: JobSpec, progress: WorkloadProgress, situation: Situation, missing: int
) -> list[Pod]:
    """Pods of the first indexes that neither run nor are complete (firstPendingIndexes)."""
    active = {completion_index(pod) for pod in situation.pods() if pod.deletion_timestamp is None}
    free = pending_indexes(job, active | set(progress.indexes), missing)
    return [pod_of_index(workload, index, progress, situation) for index in free]


def pending_indexes(job: JobSpec, busy: Container[int], count: int) -> list[int]:
    """The first ``count`` indexes that are neither busy nor complete; steps over whole intervals of complete ones."""
    ends = dict(job.completed_indexes)
    index, indexes = 0, list[int]()
    while index < (job.completions or 0) and len(indexes) < count:
        if index in ends:
            index = ends[index] + 1
            continue
        if index not in busy:
            indexes.append(index)
        index += 1
    return indexes


def _is_within(index: int, intervals: Iterable[tuple[int, int]]) -> bool:
    return any(first <= index <= last for first, last in intervals)


def pod_of_index(workload: Workload, index: int, progress: WorkloadProgress, situation: Situation) -> Pod:
    """A pod of a completion index."""
    number, key = progress.made, workload.key
    name = generated_name(
        index_base(workload.name, index),
        key,
        number,
        situation.seed,
        lambda name: situation.is_taken(f"{workload.namespace}/{name}"),
    )
    progress.made += 1
    return new_pod(workload, index_template(workload.template, index), name, number, situation)


def index_template(template: Pod, index: int) -> Pod:
    """The template with the label and the annotation of a completion index."""
    mark = {COMPLETION_INDEX: str(index)}
    return replace(template, labels={**template.labels, **mark}, annotations={**template.annotations, **mark})


def index_base(job_name: str, index: int) -> str:
    """What the name of an index's pod begins with, without the last dash; long names of Jobs are cut."""
    end = f"-{index}"
    return job_name[: LONGEST_BASE - 1 - len(end)] + end


def completion_index(pod: Pod) -> int:
    """The completion index that a pod's annotation names, -1 where there is none."""
    text = pod.annotations.get(COMPLETION_INDEX, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
