"""Pieces folded into the objects as of now, in the order in which they were received.

A part of a piece and the note of how far it is folded are one transaction, so a worker that dies at any place leaves
nothing folded twice or not at all. Where a piece goes over an hour, what came before is folded first, the hour is kept
as a revision, and folding goes on: the hour's revision is the state at that hour, however late a worker comes to it.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from dashboard.clusters.models import FollowedCollection, FollowedPiece, Following, KeptMoment
from dashboard.following.moments import folded, revisions
from dashboard.following.moments.folded import FoldedPart, TooManyObjects
from scheduler_core.manifests.bundle.pieces import read_piece

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

log = logging.getLogger(__name__)

HOUR = 3600.0
LAG = 60.0
"""Seconds that changes may need from the API server to here: that long after an hour a quiet cluster's hour is over."""
OVERVIEW_EVERY = 60.0


class FoldedLine(NamedTuple):
    """A line of a piece: an object as it is at `at`, or that it is gone."""

    at: float
    content: msgspec.Raw
    is_gone: bool = False


def fold_next(following: Following, renew: Callable[[], object]) -> bool:
    """Fold the piece that was received first; return whether there was one. `renew` is called between its parts."""
    piece = FollowedPiece.objects.select_related("of").filter(following=following, folded_at=None).first()
    if piece is None:
        return False
    following.refresh_from_db()
    keep_listed(following)
    if piece.number == 0:
        folded.forget_unlisted(following, piece.of.generation)
    received = piece.received_at.timestamp()
    head, objects, events, changes = read_piece(bytes(piece.data))
    lines = [FoldedLine(one.t, one.object) for one in objects]
    later = [FoldedLine(one.t, one.object, one.type == "DELETED") for one in (*events, *changes)]
    lines += sorted(later, key=attrgetter("at"))
    try:
        for part in _parts(lines[piece.folded_lines :], following.moment, received):
            _keep_hour(following, part[0].at)
            _fold(following, piece, part)
            renew()
        last = min(max((line.at for line in lines), default=0.0), received)
        quiet = max(following.moment, received - LAG, last)
        if piece.of.is_listed:
            _keep_hour(following, quiet)
        _end(following, piece, quiet, is_listed=head.is_listed)
        keep_listed(following)
    except TooManyObjects as problem:
        _give_up(following, piece, str(problem))
    return True


def _parts(lines: list[FoldedLine], moment: float, received: float) -> Iterator[list[FoldedLine]]:
    """The lines with times between the moment before them and that of their receipt, those of an hour together."""
    timed, last = [], moment
    for line in lines:
        last = max(last, min(line.at, received))
        timed.append(line._replace(at=last))
    for _, part in groupby(timed, key=lambda line: line.at // HOUR):
        yield list(part)


def _keep_hour(following: Following, at: float) -> None:
    """Keep the first hour that lies between the moment of the objects and this one: of later ones nothing is known."""
    hour = (following.moment // HOUR + 1) * HOUR
    if following.generation and hour <= at:
        revisions.keep(following, KeptMoment.HOUR, hour)


@transaction.atomic
def _fold(following: Following, piece: FollowedPiece, lines: list[FoldedLine]) -> None:
    part = FoldedPart()
    for line in lines:
        part.put(line.content, line.at, is_gone=line.is_gone)
    part.write(following, piece.of.generation)
    piece.folded_lines += len(lines)
    FollowedPiece.objects.filter(pk=piece.pk).update(folded_lines=piece.folded_lines)
    if piece.of.generation == following.generation:
        _move(following, lines[-1].at)


def _move(following: Following, moment: float) -> None:
    """Note that the objects are those as of this moment, and that the overview is of older ones."""
    following.moment = moment
    following.version += 1
    due = timezone.now()
    if following.overview_at is not None:
        due = max(due, following.overview_at + timedelta(seconds=OVERVIEW_EVERY))
    rows = Following.objects.filter(pk=following.pk)
    rows.update(moment=moment, version=F("version") + 1, generation=following.generation)
    rows.filter(overview_due_at=None).update(overview_due_at=due)


@transaction.atomic
def _end(following: Following, piece: FollowedPiece, moment: float, *, is_listed: bool) -> None:
    FollowedPiece.objects.filter(pk=piece.pk).update(folded_at=timezone.now())
    if is_listed and not piece.of.is_listed:
        FollowedCollection.objects.filter(pk=piece.of_id).update(is_listed=True)
        folded.begin(following, piece.of.generation)
        Following.objects.filter(pk=following.pk).update(problem="")
        _move(following, moment)
    elif moment > following.moment and piece.of.generation == following.generation:
        following.moment = moment
        Following.objects.filter(pk=following.pk).update(moment=moment)


def keep_listed(following: Following) -> None:
    """Keep the moment at which the first listing of the newest collection was whole, where that was not done yet."""
    listed = following.collections.filter(generation=following.generation, is_listed=True, is_kept=False)
    if listed.exists():
        revisions.keep(following, KeptMoment.LISTED, following.moment)
        listed.update(is_kept=True)


@transaction.atomic
def _give_up(following: Following, piece: FollowedPiece, problem: str) -> None:
    """Leave the rest of a piece out and say why: the next ones would fail as this one did."""
    log.warning("%s: piece %s cannot be folded: %s", following, piece.number, problem)
    FollowedPiece.objects.filter(pk=piece.pk).update(folded_at=timezone.now())
    Following.objects.filter(pk=following.pk).update(problem=problem[:300])
