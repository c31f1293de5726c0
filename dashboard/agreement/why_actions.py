"""The run that answers "Why?": one that has the answer already, or a new run of the pending pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.clusters.models import Cluster, Revision
from dashboard.clusters.revisions.contents import version_in
from dashboard.common.problems import NotFound
from dashboard.runs import chosen
from dashboard.runs.chosen import ChosenConfiguration
from dashboard.runs.models import Schedule

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.accounts.models import Member
    from dashboard.clusters.revisions.contents import Contents
    from dashboard.runs.models import Run


def find_or_start_run(member: Member, revision: Revision, pod: str) -> Run:
    """Return a run of the revision's pending pods with the cluster's configuration: the newest that there is of this
    engine, or a new one in the background.

    Raises Forbidden, NotFound where no such pod waits, Problem where nothing can be run.
    """
    configuration = chosen.of_cluster(revision.cluster)
    run = fresh_run(revision, configuration)
    if run is not None:
        return run
    return configuration.run_pending(member, revision, _name(pod), configuration.policies_on(revision))


def prepare_new_run(member: Member, cluster: Cluster | None, contents: Contents, pod: str) -> Callable[[Revision], Run]:
    """Return what makes the run of a revision that will be stored with these contents; raises as `find_or_start_run`.

    It has the configuration of the cluster that the revision is added to, the defaults for None, a new one.
    """
    configuration = ChosenConfiguration() if cluster is None else chosen.of_cluster(cluster)
    stand_in = Revision(cluster=cluster or Cluster(workspace=member.workspace))
    policies = configuration.policies_in(version_in(contents))
    return configuration.prepare_pending(member, stand_in, _name(pod), policies, contents.loaded.objects)


def _name(pod: str) -> str:
    return f"Why {pod} waits"


def fresh_run(revision: Revision, configuration: ChosenConfiguration) -> Run | None:
    """Return the newest run of this revision's pending pods with this configuration that this engine made or will
    make; None where there is none."""
    runs = configuration.usable_runs(revision).filter(schedule=Schedule.PENDING, timeline_revision=None)
    policies = configuration.policies_on(revision)
    same = (run for run in runs[:20] if run.policies == policies)
    return next(same, None)


def check_waits(statuses: dict[str, str], pod: str) -> None:
    """Raise NotFound where there is no such pod, or it does not wait."""
    status = statuses.get(pod)
    if status is None:
        raise NotFound(f"This revision has no pod {pod}.")
    if status not in ("pending", "gated"):
        raise NotFound(f"{pod} does not wait: it is {status}.")
