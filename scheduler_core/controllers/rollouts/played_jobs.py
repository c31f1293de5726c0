"""Jobs as recorded: counted a second after pods end, pods made again after a backoff, ended with conditions
(job_controller.go, backoff_utils.go, indexed_job_utils.go).

Pods that end are noted (``EndedPod``) and counted in the next sync. A pod that was deleted counts as failed and holds
the next one back until it is gone and its backoff is over; one that the Job itself removed (suspended, fewer in
parallel) does not count.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scheduler_core.api.objects import JobSpec, Pod, Workload
from scheduler_core.controllers.decision import Decision, Situation, WorkloadProgress
from scheduler_core.controllers.jobs import (
    backoff_us,
    completion_index,
    job_spec,
    pending_indexes,
    pod_of_index,
)
from scheduler_core.controllers.rollouts.pods_seen import SECOND_US, SeenPod
from scheduler_core.controllers.rollouts.progress import OwnerCondition
from scheduler_core.controllers.rollouts.victims import victims
from scheduler_core.controllers.templates import new_pods

LIMIT, DEADLINE, POLICY = "BackoffLimitExceeded", "DeadlineExceeded", "PodFailurePolicy"
TOO_MANY_INDEXES, INDEXES = "MaxFailedIndexesExceeded", "FailedIndexes"
REACHED = "CompletionsReached"
_MESSAGES = {
    LIMIT: "Job has reached the specified backoff limit",
    DEADLINE: "Job was active longer than specified deadline",
    POLICY: "A pod failed as a rule of the Job's podFailurePolicy says",
    TOO_MANY_INDEXES: "Job has exceeded the specified maximal number of failed indexes",
    INDEXES: "Job has failed indexes",
    REACHED: "Reached expected number of succeeded pods",
}
SUCCEEDED, FAILED, IGNORED = "succeeded", "failed", "ignored"


class EndedPod(msgspec.Struct, frozen=True):
    """A pod that ended: how, when (microseconds), its completion index, and what the failure policy says of it."""

    how: str
    at: int
    index: int = -1
    action: str = ""


class JobStatus(msgspec.Struct, frozen=True):
    """The numbers of the status."""

    active: int = 0
    ready: int = 0
    terminating: int = 0
    succeeded: int = 0
    failed: int = 0


class JobState(msgspec.Struct):
    """What is counted of a Job beside ``WorkloadProgress``; JSON-ready, for keyframes.

    ``started`` is when it began, or went on (a whole second in microseconds; None: it did
    not, or is suspended). ``ended`` waits to be counted. ``own`` are
    uids of pods that the Job removed without counting them. ``bad`` are the indexes that failed, ``index_failures`` how
    often each did, ``index_last`` when last. ``reason``: why it ends, "" while it goes on; ``is_over``: it has ended.
    """

    started: int | None = None
    ended: list[EndedPod] = []
    own: list[str] = []
    bad: list[int] = []
    index_failures: dict[int, int] = {}
    index_last: dict[int, int] = {}
    reason: str = ""
    message: str = ""
    is_over: bool = False
    conditions: dict[str, OwnerCondition] = {}
    status: JobStatus = JobStatus()


def exit_action(job: JobSpec, code: int, container: str) -> tuple[str, int]:
    """The action of the first rule that matches the exit code, with the rule's index; ("Count", -1) where none does."""
    for number, rule in enumerate(job.rules):
        if (not rule.container or rule.container == container) and (code in rule.values) == (rule.operator == "In"):
            return rule.action, number
    return "Count", -1


def decide(
    workload: Workload, progress: WorkloadProgress, state: JobState, situation: Situation, pods: Sequence[SeenPod]
) -> Decision:
    """One sync (syncJob): count what ended, end the Job, or make and remove pods; notes both counts in place."""
    sync = _JobSync(workload, progress, state, situation, pods)
    sync.run()
    return sync.decision


class _JobSync:
    def __init__(
        self,
        workload: Workload,
        progress: WorkloadProgress,
        state: JobState,
        situation: Situation,
        pods: Sequence[SeenPod],
    ) -> None:
        self.workload, self.progress, self.state, self.situation = workload, progress, state, situation
        self.job, self.now = job_spec(workload), situation.now
        self.active = [one for one in pods if not one.is_terminating]
        self.terminating = [one for one in pods if one.is_terminating]
        self.decision = Decision(progress)

    def run(self) -> None:
        if self.state.is_over or (self.job.is_over and not self.job.is_suspended):
            return
        self._count()
        if self.job.is_suspended:
            self._suspend()
        else:
            self._go_on()
        self.state.status = JobStatus(
            active=len(self.active) + len(self.decision.make),
            ready=sum(one.is_ready for one in self.active),
            terminating=len(self.terminating),
            succeeded=self.job.succeeded + self.progress.succeeded,
            failed=self.job.failed + self.progress.failed,
        )

    # --- counting ---------------------------------------------------------------------------------------------------
    def _count(self) -> None:
        progress, state = self.progress, self.state
        for one in sorted(state.ended, key=lambda one: one.at):
            if one.how == SUCCEEDED:
                self._succeeded(one)
            elif one.how == FAILED:
                progress.failed += 1
                progress.failures_in_a_row += 1
                progress.last_failure = one.at
                self._failed(one)
        state.ended = []

    def _succeeded(self, one: EndedPod) -> None:
        progress = self.progress
        progress.failures_in_a_row, progress.last_failure = 0, -1
        if self.job.is_indexed:
            done = any(first <= one.index <= last for first, last in self.job.completed_indexes)
            if one.index < 0 or one.index in progress.indexes or done:
                return
            progress.indexes.append(one.index)
        progress.succeeded += 1

    def _failed(self, one: EndedPod) -> None:
        state = self.state
        if state.reason:
            return
        if one.action.startswith("FailJob"):
            self._end(POLICY, one.action.partition(" ")[2])
        if self.job.limit_per_index is None or one.index < 0:
            return
        state.index_failures[one.index] = count = state.index_failures.get(one.index, 0) + 1
        state.index_last[one.index] = one.at
        if (count > self.job.limit_per_index or one.action.startswith("FailIndex")) and one.index not in state.bad:
            state.bad.append(one.index)

    # --- the course of the Job --------------------------------------------------------------------------------------
    def _suspend(self) -> None:
        self._remove(self.active, "it is suspended")
        self.active = []
        self.state.started = None
        self._say("Suspended", "True", "JobSuspended", "Job suspended")

    def _go_on(self) -> None:
        state = self.state
        if state.started is None:
            state.started = self.now - round(self.situation.wall_time % 1 * SECOND_US)
            if "Suspended" in state.conditions:
                self._say("Suspended", "False", "JobResumed", "Job resumed")
        self._look_for_an_end()
        if state.reason:
            self._finish()
        else:
            self._manage()

    def _look_for_an_end(self) -> None:
        job, progress, state = self.job, self.progress, self.state
        if state.reason:
            return
        if job.failed + progress.failed > job.backoff_limit:
            self._end(LIMIT)
        elif job.deadline_seconds is not None:
            ends = (state.started or 0) + job.deadline_seconds * SECOND_US
            if self.now >= ends:
                self._end(DEADLINE)
            else:
                self._again(ends)
        if not state.reason and job.most_failed_indexes is not None and len(state.bad) > job.most_failed_indexes:
            self._end(TOO_MANY_INDEXES)
        if not state.reason and self._is_complete():
            self._end(INDEXES if state.bad else REACHED)

    def _is_complete(self) -> bool:
        succeeded, goal = self.job.succeeded + self.progress.succeeded, self.job.completions
        if self.job.is_indexed and goal is not None:
            return succeeded + len(self.state.bad) >= goal
        return not self.active and (succeeded > 0 if goal is None else succeeded >= goal)

    def _end(self, reason: str, message: str = "") -> None:
        if not self.state.reason:
            self.state.reason, self.state.message = reason, message or _MESSAGES[reason]

    def _finish(self) -> None:
        """Say why it ends, remove what runs, and end once nothing is left; pods that are removed count as failed."""
        state, succeeds = self.state, self.state.reason == REACHED
        self._say("SuccessCriteriaMet" if succeeds else "FailureTarget", "True", state.reason, state.message)
        why = f"{self.workload.title} is {'complete' if succeeds else f'failed: {state.reason}'}"
        self.decision.remove = [(one.pod.key, why) for one in self.active]
        if not self.active and not self.terminating:
            state.is_over = True
            self.progress.over = "complete" if succeeds else f"failed: {state.reason}"
            self._say("Complete" if succeeds else "Failed", "True", state.reason, state.message)
        self.active = []

    def _say(self, kind: str, status: str, reason: str, message: str) -> None:
        old = self.state.conditions.get(kind)
        if old is None or (old.status, old.reason) != (status, reason):
            self.state.conditions[kind] = OwnerCondition(status, reason, message, self.now)

    # --- pods -------------------------------------------------------------------------------------------------------
    def _manage(self) -> None:
        job = self.job
        target = self._wanted()
        if len(self.active) > target:
            ranked = victims(self.active, len(self.active) - target, self.now)
            self._remove(ranked, f"it runs {target:,} at once")
            self.active = [one for one in self.active if one not in ranked]
        missing = target - len(self.active) - (len(self.terminating) if job.replaces_failed_only else 0)
        if missing <= 0 or self._waits_for_the_end_of_a_pod():
            return
        if job.limit_per_index is not None:
            self._make_indexes(missing)
            return
        backoff = backoff_us(self.progress.failures_in_a_row)
        if backoff and self.now < self.progress.last_failure + backoff:
            self._again(self.progress.last_failure + backoff)
        elif job.is_indexed:
            self._make_indexes(missing)
        else:
            templates = [self.workload.template] * missing
            self.decision.make = new_pods(self.workload, templates, self.progress, self.situation)

    def _waits_for_the_end_of_a_pod(self) -> bool:
        return any(one.pod.uid not in self.state.own for one in self.terminating)

    def _wanted(self) -> int:
        """How many pods run at once (manageJob)."""
        job, succeeded = self.job, self.job.succeeded + self.progress.succeeded
        if job.completions is None:
            return len(self.active) if succeeded else job.parallelism
        return max(0, min(job.parallelism, job.completions - succeeded - len(self.state.bad)))

    def _make_indexes(self, missing: int) -> None:
        busy = {completion_index(one.pod) for one in self.active} | set(self.progress.indexes) | set(self.state.bad)
        if self.job.limit_per_index is not None:
            for index, count in self.state.index_failures.items():
                ready = self.state.index_last[index] + backoff_us(count)
                if index not in busy and self.now < ready:
                    busy.add(index)
                    self._again(ready)
        for index in pending_indexes(self.job, busy, missing):
            self.decision.make.append(pod_of_index(self.workload, index, self.progress, self.situation))

    def _remove(self, pods: Sequence[SeenPod], why: str) -> None:
        self.decision.remove += [(one.pod.key, f"{self.workload.title}: {why}") for one in pods]
        self.state.own += [one.pod.uid for one in pods]

    def _again(self, at: int) -> None:
        self.decision.again_at = at if self.decision.again_at is None else min(at, self.decision.again_at)


def ended(job: JobSpec, pod: Pod, at: int, *, succeeded: bool, is_disruption: bool, exit_code: int | None) -> EndedPod:
    """How a pod of the Job ended; ``exit_code`` where a container failed, ``is_disruption`` where it was evicted."""
    index = completion_index(pod)
    if succeeded:
        return EndedPod(SUCCEEDED, at, index)
    if is_disruption and job.on_disruption != "Count":
        if job.on_disruption == "Ignore":
            return EndedPod(IGNORED, at, index)
        return EndedPod(FAILED, at, index, f"FailJob Pod {pod.key} has condition DisruptionTarget")
    if exit_code is None or not pod.containers:
        return EndedPod(FAILED, at, index)
    container = pod.containers[0].name
    action, rule = exit_action(job, exit_code, container)
    if action == "Ignore":
        return EndedPod(IGNORED, at, index)
    failed = f"Container {container} for pod {pod.key} failed with exit code {exit_code}"
    text = f"{failed} matching {action} rule at index {rule}"
    return EndedPod(FAILED, at, index, f"{action} {text}" if rule >= 0 else "")
