"""The run from the beginning of a bundle, with what came from outside as its timeline: found, or started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.common.problems import Problem
from dashboard.runs.actions import MAX_VIRTUAL_US, Launch, create_run
from dashboard.runs.models import Schedule
from scheduler_core.explain.reality import FREE_RUN

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.agreement.models import CollectedBundle
    from dashboard.runs.chosen import ChosenConfiguration
    from dashboard.runs.models import Run

HOUR_US = 3_600_000_000


def find_free_run(bundle: CollectedBundle, configuration: ChosenConfiguration) -> Run | None:
    """Return the newest run from the beginning with the timeline; None where there is none."""
    if bundle.timeline is None:
        return None
    policies = _policies(bundle, configuration)
    runs = configuration.usable_runs(bundle.began).filter(timeline_revision=bundle.timeline)
    same = (run for run in runs.select_related("workspace")[:20] if run.policies == policies)
    return next(same, None)


def find_or_start_free_run(
    member: Member, bundle: CollectedBundle, configuration: ChosenConfiguration, seconds: float
) -> Run:
    """Return the run from the beginning, made in the background where there is none; the bundle lasted `seconds`.

    Raises Forbidden, Problem where nothing can be run.
    """
    if bundle.timeline is None:
        raise Problem(bundle.said or "The timeline was deleted.", title="There is no timeline to run with")
    run = find_free_run(bundle, configuration)
    if run is not None:
        return run
    launch = Launch(
        revision=bundle.began,
        config=configuration.revision,
        preset=configuration.preset,
        leaves_out=bool(configuration.left_out),
        answers=configuration.answers,
        timeline=bundle.timeline,
        schedule=Schedule.TIMELINE,
        policies=_policies(bundle, configuration),
        name=f"From the beginning of {bundle.name}"[:120],
        is_background=True,
        max_virtual_us=max(MAX_VIRTUAL_US, round(seconds * 1_000_000) + HOUR_US),
    )
    return create_run(member, launch)


def _policies(bundle: CollectedBundle, configuration: ChosenConfiguration) -> dict[str, object]:
    """Nobody replaces pods: the timeline says what controllers did."""
    return {**configuration.policies_on(bundle.began), **FREE_RUN}
