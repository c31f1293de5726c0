"""What was collected of a followed cluster since a kept moment, as a bundle: what agreement is computed from.

The objects of the moment's revision are the first listing, and the lines that were folded after it the changes. So it
begins with a moment of the newest collection, in the last day, and as late as keeps it within MOST_BYTES.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from django.db.models import Sum
from django.utils import timezone

from dashboard.clusters.models import KeptMoment
from dashboard.clusters.revisions.contents import read_contents
from dashboard.common.problems import Problem
from dashboard.following.moments.revisions import PERIODIC
from scheduler_core.manifests.bundle.model import BundleGap, BundleMeta, Change, ListedObject
from scheduler_core.manifests.bundle.packing import packed
from scheduler_core.manifests.bundle.pieces import read_piece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.models import QuerySet

    from dashboard.clusters.models import FollowedPiece, FollowedRevision, Following

LONGEST_SECONDS = 86_400.0
MOST_BYTES = 48 << 20
"""Of its pieces as they are stored, compressed."""


class CollectedRecord(NamedTuple):
    """The bundle packed, the moments that it begins and ends with, and what it says of itself."""

    data: bytes
    began: FollowedRevision
    ended: FollowedRevision
    meta: BundleMeta


def record_of(following: Following) -> CollectedRecord:
    """Return the record; raises Problem where no hour of the collection is over."""
    began, ended = _moments(following)
    meta = _meta(following, began.moment)
    listed = (ListedObject(t=began.moment, object=_text(one)) for one in read_contents(began.revision).stored)
    changes, events = list[Change](), list[Change]()
    for of_piece, its_events in _lines_since(following, began.moment):
        changes += of_piece
        events += its_events
    return CollectedRecord(packed(meta, listed, events, changes), began, ended, meta)


def _moments(following: Following) -> tuple[FollowedRevision, FollowedRevision]:
    moments = list(following.moments.filter(kind__in=PERIODIC).select_related("revision__cluster"))
    listed = next((one.moment for one in moments if one.kind == KeptMoment.LISTED), None)
    if listed is None:
        raise Problem("The first listing of this cluster is not whole yet. Compare again in a moment.")
    oldest = max(listed, timezone.now().timestamp() - LONGEST_SECONDS)
    usable = [one for one in moments if one.moment >= oldest] or moments[:1]
    for one in reversed(usable):
        if _bytes_since(following, one.moment) <= MOST_BYTES:
            return one, moments[0]
    return usable[0], moments[0]


def _pieces_since(following: Following, moment: float) -> QuerySet[FollowedPiece]:
    """The pieces of the newest collection that may have lines after the moment: none counts later than its receipt."""
    since = datetime.fromtimestamp(moment, UTC)
    return following.pieces.filter(of__generation=following.generation, received_at__gte=since)


def _bytes_since(following: Following, moment: float) -> int:
    return int(_pieces_since(following, moment).aggregate(total=Sum("size"))["total"] or 0)


def _lines_since(following: Following, moment: float) -> Iterator[tuple[list[Change], list[Change]]]:
    """Changes and events of each piece that were folded after the moment: as folding does, a line counts at the latest
    time of those before it, and never later than it was received."""
    last = 0.0
    pieces = _pieces_since(following, moment).exclude(folded_at=None).order_by("number")
    for piece in pieces.iterator(chunk_size=20):
        received = piece.received_at.timestamp()
        _, _, events, changes = read_piece(bytes(piece.data))
        times: dict[int, float] = {}
        for one in sorted((*events, *changes), key=lambda change: change.t):
            last = max(last, min(one.t, received))
            times[id(one)] = last
        yield (
            [one for one in changes if times[id(one)] >= moment],
            [one for one in events if times[id(one)] >= moment],
        )


def _meta(following: Following, began: float) -> BundleMeta:
    meta = msgspec.convert(following.meta, BundleMeta)
    gaps = tuple(gap for gap in meta.gaps if gap.until is None or gap.until >= began)
    return msgspec.structs.replace(meta, began=began, ended=max(following.moment, began), gaps=_from(gaps, began))


def _from(gaps: tuple[BundleGap, ...], began: float) -> tuple[BundleGap, ...]:
    return tuple(msgspec.structs.replace(gap, since=max(gap.since, began)) for gap in gaps)


def _text(content: object) -> msgspec.Raw:
    return content if isinstance(content, msgspec.Raw) else msgspec.Raw(msgspec.json.encode(content))
