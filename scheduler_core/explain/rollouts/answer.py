"""The report on a workload: its rollout does not go on, or its pods were refused."""

from __future__ import annotations

from collections.abc import Callable

from scheduler_core.explain.not_created.by_input import refused_workload, report_of_refused
from scheduler_core.explain.not_created.in_run import refused_in_run, report_of_refusal
from scheduler_core.explain.pending import WhyPending
from scheduler_core.explain.pending.model import ON_PURPOSE, STUCK, DominantReason
from scheduler_core.explain.report import WhyReport
from scheduler_core.explain.rollouts.at_seq import rollout_of
from scheduler_core.explain.rollouts.model import RolloutAnswer
from scheduler_core.explain.rollouts.moving import rollout_remedies
from scheduler_core.explain.sessions import TrialsOf


def report_of_owner(trials: TrialsOf, key: str, is_over: Callable[[], bool]) -> WhyReport | None:
    """The report on a workload (namespace/name) at the end of a run, or on a pod that admission refused, by the run or
    as the input says; None where its rollout goes on or has come to its end, and all its pods were made. Remedies are
    tried until ``is_over``."""
    rollout = rollout_of(trials, key, trials.reader.head_seq())
    if rollout is not None and rollout.cause is not None:
        return report_of_rollout(trials, rollout, is_over)
    refused = refused_in_run(trials, key)
    if refused is not None:
        return report_of_refusal(trials, refused, is_over)
    by_input = refused_workload(trials.inputs, key)
    return None if by_input is None else report_of_refused(by_input)


def report_of_rollout(trials: TrialsOf, answer: RolloutAnswer, is_over: Callable[[], bool]) -> WhyReport:
    """The report on a workload whose rollout is stuck or waits on purpose; remedies are tried until ``is_over``."""
    state = answer.state
    text = answer.text if answer.cause is None else answer.cause.text
    pending = WhyPending(
        pod=state.title.partition(" ")[2],
        seq=answer.seq,
        at=answer.at,
        state=ON_PURPOSE if state.is_on_purpose else STUCK,
        because=DominantReason(text),
    )
    tried = None if state.is_on_purpose else rollout_remedies(trials, answer, is_over)
    return WhyReport(pending=pending, cause=answer.cause, remedies=tried, rollout=state)
