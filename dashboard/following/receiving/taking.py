"""Pieces as they are received: each once, in order, by a token that may do nothing else.

What a piece holds is checked and masked before the transaction, which writes its row and raises the number that is
expected next. A piece that was received before is acknowledged again, so that a collector whose answer was lost goes
on. Of two collectors of one cluster the one that began later counts: its piece 0 takes over, and the other gets 409.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from dashboard.clusters.models import Cluster, FollowedCollection, FollowedPiece, Following
from dashboard.common.lru_cache import LruCache
from dashboard.common.problems import NotFound
from dashboard.following.receiving.checked_pieces import checked
from dashboard.following.workers.queue import TASK
from dashboard.runs.lifecycle import quotas, waiting

if TYPE_CHECKING:
    from dashboard.accounts.models import AccessToken
    from dashboard.following.receiving.checked_pieces import CheckedPiece

MOST_WAITING = 2_000
"""Pieces that are received and not folded yet; a collector that gets so far ahead waits."""
RETRY_SECONDS = 30
QUOTA_EVERY = 30.0
"""Seconds; a workspace that is full is noticed so much later at most."""
_quotas: LruCache[str] = LruCache(100)


@dataclass(frozen=True)
class Received:
    """The answer to a piece: its status, its body, and after how many seconds to send again (0: no such word)."""

    status: int
    body: dict[str, Any] = field(default_factory=dict)
    retry_after: int = 0


def find_cluster(token: AccessToken, slug: str) -> Cluster:
    """Return the cluster of the token's workspace; raises NotFound."""
    cluster = Cluster.objects.filter(workspace=token.workspace, slug=slug, archived_at=None).first()
    if cluster is None:
        raise NotFound("This workspace has no cluster of this name that is followed. It may be archived.")
    return cluster


def take(token: AccessToken, cluster: Cluster, data: bytes) -> Received:
    """Store a piece and return the answer to it. Raises Problem for what is none, TooLarge for too much."""
    # Summing up takes long where much is stored.
    half_minute = int(time.monotonic() // QUOTA_EVERY)
    full = _quotas.get((token.workspace_id, half_minute), lambda: quotas.excess(token.workspace))
    if full:
        return Received(507, {"error": full}, RETRY_SECONDS)
    piece = checked(data)
    Following.objects.get_or_create(cluster=cluster, defaults={"began_at": timezone.now()})
    with transaction.atomic():
        following = Following.objects.select_for_update().get(cluster=cluster)
        answer = _decide(following, piece)
        if answer is not None:
            return answer
        _store(following, piece, token)
    waiting.wake_task(TASK)
    return Received(200, {"next": following.next_number})


def _decide(following: Following, piece: CheckedPiece) -> Received | None:
    """The answer to a piece that is not stored; None for the one that is to be stored."""
    head = piece.head
    if head.collection != following.collection:
        return _other_collection(following, piece)
    if head.number < following.next_number:
        return Received(200, {"next": following.next_number})
    if head.number > following.next_number:
        return Received(409, {"error": "Pieces are taken in order.", "next": following.next_number})
    if following.pieces.filter(folded_at=None).count() >= MOST_WAITING:
        error = f"{MOST_WAITING:,} pieces of this cluster wait for a worker here. Send this one again later."
        return Received(429, {"error": error}, RETRY_SECONDS)
    return None


def _other_collection(following: Following, piece: CheckedPiece) -> Received | None:
    was_taken_over = following.collections.filter(collection=piece.head.collection).exists()
    if was_taken_over or piece.head.number != 0:
        error = "Another collection of this cluster has taken over." if was_taken_over else (
            "This collection is not known here. Begin a new one with piece 0."
        )  # fmt: skip
        return Received(409, {"error": error, "collection": following.collection, "next": None})
    return None


def _store(following: Following, piece: CheckedPiece, token: AccessToken) -> None:
    head, now = piece.head, timezone.now()
    if head.collection != following.collection:
        newest = following.collections.first()
        of = FollowedCollection.objects.create(
            following=following,
            collection=head.collection,
            generation=newest.generation + 1 if newest else 1,
            began_at=now,
        )
        following.collection, following.next_number = head.collection, 0
    else:
        of = following.collections.get(collection=head.collection)
    FollowedCollection.objects.filter(pk=of.pk).update(last_piece_at=now)
    FollowedPiece.objects.create(
        following=following, of=of, number=head.number, data=piece.data, size=len(piece.data), received_at=now
    )
    following.next_number += 1
    following.last_piece_at, following.is_ended = now, head.is_last
    following.token_name = token.name
    following.meta = msgspec.to_builtins(head.meta)
    if not following.followed_version and head.meta.server_version:
        following.followed_version, following.followed_since = head.meta.server_version, now
    following.save(
        update_fields=[
            *("collection", "next_number", "last_piece_at", "is_ended", "token_name", "meta"),
            *("followed_version", "followed_since"),
        ]
    )
    Following.objects.filter(pk=following.pk, asked_at=None).update(asked_at=Now(), claimed_at=None)
