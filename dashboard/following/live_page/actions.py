"""What people do with a followed cluster: ask why a pod waits as of now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.agreement import why_actions
from dashboard.clusters.models import KeptMoment
from dashboard.clusters.revisions.contents import read_contents
from dashboard.common.problems import Problem
from dashboard.following.moments import revisions

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Following
    from dashboard.runs.models import Run


def why_now(member: Member, following: Following, pod: str) -> Run:
    """Keep the objects as of now as a revision and return the run that answers why the pod (namespace/name) waits.

    Raises Forbidden, Problem before the first listing, NotFound where no such pod waits.
    """
    require(member, Role.EDITOR, "start runs here")
    if not following.generation:
        raise Problem("The first listing of this cluster is not whole yet. Ask again in a moment.")
    moment = revisions.keep(following, KeptMoment.ASKED, following.moment)
    rows = read_contents(moment.revision).rows.pods
    why_actions.check_waits({f"{row.namespace}/{row.name}": row.status for row in rows}, pod)
    return why_actions.find_or_start_run(member, moment.revision, pod)
