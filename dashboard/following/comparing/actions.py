"""Having a followed cluster compared with the engine, and no longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import timezone

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.agreement.models import FollowedComparison
from dashboard.agreement.reality import keeping
from dashboard.clusters.revisions import actions
from dashboard.common.problems import Problem
from dashboard.following.comparing.working import TASK
from dashboard.runs.lifecycle import waiting
from scheduler_core.manifests import configuration_text

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Following
    from dashboard.documents.models import ConfigRevision

DOING = "compare clusters with the engine"


def compare(member: Member, following: Following) -> None:
    """Have what was collected in the last day compared now, and by the hour from then on.

    The configuration that the collector sends becomes a document, where there is none of the same text. Raises
    Forbidden, Problem before the first listing.
    """
    require(member, Role.EDITOR, DOING)
    if not following.generation:
        raise Problem("The first listing of this cluster is not whole yet. Compare in a moment.")
    comparison, _ = FollowedComparison.objects.get_or_create(cluster=following.cluster)
    config = _configuration(member, following, comparison)
    FollowedComparison.objects.filter(pk=comparison.pk).update(config=config, due_at=timezone.now(), problem="")
    waiting.wake_task(TASK)


def stop(member: Member, following: Following) -> None:
    """Compare no more; what was compared stays. Raises Forbidden."""
    require(member, Role.EDITOR, DOING)
    FollowedComparison.objects.filter(cluster=following.cluster).update(due_at=None)


def _configuration(member: Member, following: Following, comparison: FollowedComparison) -> ConfigRevision | None:
    text = str(following.meta.get("configuration") or "")
    if not text:
        return None
    text, last = configuration_text(text), comparison.config
    if last is not None and last.text == text:
        return last
    number = actions.newest_number(following.cluster)
    return keeping.store_configuration(member, following.cluster, number, text)
