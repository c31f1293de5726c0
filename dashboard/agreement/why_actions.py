"""The run behind "Why?": one that has the answer already, or a new one of the pods that wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q

from dashboard.common.problems import NotFound
from dashboard.runs import actions, chosen
from dashboard.runs.actions import Launch
from dashboard.runs.models import Run, Schedule, State
from scheduler_core import ENGINE_VERSION

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Revision
    from dashboard.runs.chosen import ChosenConfiguration

USABLE = (State.QUEUED, State.RUNNING, State.FINISHED)


def run_of(member: Member, revision: Revision, pod: str) -> Run:
    """Return a run of the revision's pending pods with the cluster's configuration: the newest that there is of this
    engine, or a new one in the background.

    Raises Forbidden, NotFound where no such pod waits, Problem where nothing can be run.
    """
    configuration = chosen.of_cluster(revision.cluster)
    found = fresh_run(revision, configuration)
    if found is not None:
        return found
    launch = Launch(
        revision=revision,
        config=configuration.revision,
        preset=configuration.preset,
        schedule=Schedule.PENDING,
        name=f"Why {pod} waits"[:120],
        is_background=True,
    )
    return actions.create_run(member, launch)


def fresh_run(revision: Revision, configuration: ChosenConfiguration) -> Run | None:
    """Return the newest run of this revision's pending pods with this configuration that this engine made or will
    make; None where there is none."""
    runs = Run.objects.filter(
        Q(engine_version="") | Q(engine_version=ENGINE_VERSION),
        revision=revision,
        config_revision=configuration.revision,
        preset=configuration.preset,
        schedule=Schedule.PENDING,
        timeline_revision=None,
        state__in=USABLE,
    )
    same = (run for run in runs.order_by("-number")[:20] if run.policies == configuration.policies)
    return next(same, None)


def check_waits(statuses: dict[str, str], pod: str) -> None:
    """Raise NotFound where there is no such pod, or it does not wait."""
    status = statuses.get(pod)
    if status is None:
        raise NotFound(f"This revision has no pod {pod}.")
    if status not in ("pending", "gated"):
        raise NotFound(f"{pod} does not wait: it is {status}.")
