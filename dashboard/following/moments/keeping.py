"""Which moments and pieces of a followed cluster are kept.

Of hours and first listings the newest 48 are kept, of older ones the first of each of 30 days. What somebody asked
about is kept as long as an hour is. A revision that anything else refers to stays as long as that does: a run, a
review, a draft. Revisions that people saved are never removed, and neither is the newest one.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from dashboard.clusters import sweeping
from dashboard.clusters.models import FollowedPiece, FollowedRevision, Following, KeptMoment, Revision
from dashboard.clusters.models.inputs import COLLECTOR
from dashboard.following.moments.revisions import PERIODIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import Model

HOURLY, DAILY = 48, 30
PIECES_KEPT_FOR = timedelta(hours=48)
AT_ONCE = 200
COLLECTIONS = 500
"""Of more the oldest are forgotten; one of these could begin again."""
DERIVED = frozenset(
    {
        *("agreement.AgreementResult", "preview.Computation", "preview.PreviewResult"),
        *("upgrade.StoredUpgrade", "clusters.FollowedRevision", "clusters.Revision"),
    }
)
"""Models whose rows are computed from a revision, or belong to its history, and go with it."""


def forget_old(following: Following) -> int:
    """Remove what is not kept any more; return how many moments."""
    removed = 0
    for moment in _not_kept(following)[:AT_ONCE]:
        removed += _remove(following, moment)
    oldest = timezone.now() - PIECES_KEPT_FOR
    pieces = FollowedPiece.objects.filter(following=following, folded_at__lt=oldest)
    FollowedPiece.objects.filter(pk__in=list(pieces.values_list("pk", flat=True)[:AT_ONCE])).delete()
    _forget_collections(following)
    sweeping.sweep(following.cluster.workspace_id)
    return removed


def _forget_collections(following: Following) -> None:
    newest = following.collections.values_list("generation", flat=True).first() or 0
    following.collections.filter(generation__lte=newest - COLLECTIONS).exclude(generation=following.generation).delete()


def kept_of(moments: Sequence[float]) -> set[float]:
    """Return those of these moments (seconds since 1970) that are kept."""
    newest_first = sorted(moments, reverse=True)
    days: dict[object, float] = {}
    for moment in newest_first[HOURLY:]:
        days[datetime.fromtimestamp(moment, UTC).date()] = moment  # the last one written is the first of its day
    newest_days = sorted(days, key=str, reverse=True)[:DAILY]
    return {*newest_first[:HOURLY], *(days[day] for day in newest_days)}


def _not_kept(following: Following) -> list[FollowedRevision]:
    moments = list(following.moments.select_related("revision__cluster"))
    to_keep = kept_of([one.moment for one in moments if one.kind in PERIODIC])
    oldest = max(to_keep, default=0.0) - HOURLY * 3600
    return [
        one for one in moments if (one.moment < oldest if one.kind == KeptMoment.ASKED else one.moment not in to_keep)
    ]


def _remove(following: Following, moment: FollowedRevision) -> int:
    with transaction.atomic():
        revision = Revision.objects.select_for_update().select_related("cluster").get(pk=moment.revision_id)
        shared = revision.moments.exclude(pk=moment.pk).exists()
        if shared:
            moment.delete()
            return 1
        if is_used(revision) or not _is_collected(revision):
            return 0
        moment.delete()
        _remove_revision(revision)
    return 1


def _is_collected(revision: Revision) -> bool:
    """Whether a collector's moment made the revision, and it is not the newest one."""
    newest = revision.cluster.revisions.order_by("-number").values_list("pk", flat=True).first()
    return revision.source.startswith(f"{COLLECTOR} ") and revision.author_id is None and revision.pk != newest


def is_used(revision: Revision) -> bool:
    """Return whether anything refers to the revision that does not go with it."""
    return any(
        model._base_manager.filter(**{field: revision.pk}).exists()
        for model, field in references()
        if model._meta.label not in DERIVED
    )


@cache
def references() -> list[tuple[type[Model], str]]:
    """Return (model, field) of everything that refers to revisions."""
    fields = Revision._meta.get_fields(include_hidden=True)
    relations: list[Any] = [one for one in fields if one.one_to_many or one.one_to_one]
    return [(one.related_model, one.field.name) for one in relations]


def _remove_revision(revision: Revision) -> None:
    Revision.objects.filter(parent=revision).update(parent=revision.parent_id)
    sweeping.condemn(revision)
    revision.delete()
