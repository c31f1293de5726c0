"""Clusters that a collector follows: what it sent, the objects as of now, the moments that are kept."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone

from dashboard.clusters.models.inputs import KEY_LENGTH, Cluster, Revision

COLLECTION_LENGTH = 64
VERSION_LENGTH = 60


class Following(models.Model):
    """How far a collector's pieces of a cluster were received and folded.

    Received: `collection` is the one whose pieces are taken, `next_number` the piece that is expected, `meta` the
    bundle's as of its latest piece (BundleMeta), `token_name` that of the token that sent it.

    Folded by a worker: `generation` numbers the collections whose first listing is whole, and names the rows of
    FollowedObject that are the objects as of `moment` (seconds since 1970); 0 before the first. `version` grows with
    each change of them. `asked_at` and `claimed_at` make it a queue of work (common/database/work_queue.py).

    `followed_version` is the server version that comparisons keep until somebody follows another one.
    """

    cluster = models.OneToOneField(Cluster, on_delete=models.CASCADE, related_name="following")
    began_at = models.DateTimeField(default=timezone.now)
    collection = models.CharField(max_length=COLLECTION_LENGTH, blank=True)
    next_number = models.PositiveIntegerField(default=0)
    is_ended = models.BooleanField(default=False)
    last_piece_at = models.DateTimeField(null=True)
    token_name = models.CharField(max_length=120, blank=True)
    meta: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    generation = models.PositiveIntegerField(default=0)
    moment = models.FloatField(default=0.0)
    version = models.PositiveBigIntegerField(default=0)
    problem = models.CharField(max_length=300, blank=True)
    asked_at = models.DateTimeField(null=True)
    claimed_at = models.DateTimeField(null=True)
    followed_version = models.CharField(max_length=VERSION_LENGTH, blank=True)
    followed_since = models.DateTimeField(null=True)
    # What the Live page shows (dashboard.following.workers), and of which version of the objects.
    overview: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    overview_version = models.PositiveBigIntegerField(default=0)
    overview_at = models.DateTimeField(null=True)
    overview_due_at = models.DateTimeField(null=True, db_index=True)

    def __str__(self) -> str:
        return f"following of {self.cluster}"


class FollowedCollection(models.Model):
    """A collection that was begun: a later one takes over, and this one sends no more. `generation` numbers it.

    `is_listed`: its first listing is whole and folded; `is_kept`: that moment is kept as a revision.
    """

    following = models.ForeignKey(Following, on_delete=models.CASCADE, related_name="collections")
    collection = models.CharField(max_length=COLLECTION_LENGTH)
    generation = models.PositiveIntegerField()
    began_at = models.DateTimeField(default=timezone.now)
    is_listed = models.BooleanField(default=False)
    is_kept = models.BooleanField(default=False)
    last_piece_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-generation"]
        constraints = [
            models.UniqueConstraint(fields=["following", "collection"], name="followed_collection_once"),
            models.UniqueConstraint(fields=["following", "generation"], name="followed_generation_once"),
        ]

    def __str__(self) -> str:
        return self.collection


class FollowedPiece(models.Model):
    """A piece as it was received (manifests/bundle/pieces.py), masked and compressed.

    `folded_lines` of its lines are folded; all of them once there is `folded_at`.
    """

    following = models.ForeignKey(Following, on_delete=models.CASCADE, related_name="pieces", db_index=False)
    of = models.ForeignKey(FollowedCollection, on_delete=models.CASCADE, related_name="pieces", db_index=False)
    number = models.PositiveIntegerField()
    data = models.BinaryField()
    size = models.PositiveIntegerField()
    received_at = models.DateTimeField()
    folded_lines = models.PositiveIntegerField(default=0)
    folded_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["of", "number"], name="followed_piece_once")]
        indexes = [models.Index(fields=["following", "folded_at", "id"], name="followed_piece_waiting")]

    def __str__(self) -> str:
        return f"piece {self.number} of {self.of_id}"


class FollowedObject(models.Model):
    """An object as of the moment that is folded: `data` is its zstd-compressed canonical JSON, `sha256` of that text.

    `key` is the SHA-256 of group, kind, namespace and name. `managers` are the field managers that its latest change
    names, with commas; `changed_at` is the time of that change.
    """

    following = models.ForeignKey(Following, on_delete=models.CASCADE, related_name="+", db_index=False)
    generation = models.PositiveIntegerField()
    key = models.BinaryField(max_length=32)
    kind = models.CharField(max_length=KEY_LENGTH)
    namespace = models.CharField(max_length=KEY_LENGTH, blank=True)
    name = models.CharField(max_length=KEY_LENGTH)
    sha256 = models.BinaryField(max_length=32)
    data = models.BinaryField()
    managers = models.CharField(max_length=200, blank=True)
    changed_at = models.FloatField(default=0.0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["following", "generation", "key"], name="followed_object_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class KeptMoment(models.TextChoices):
    """Why a moment is kept: the hour, the first listing of a collection, somebody asked."""

    HOUR = "hour", "hour"
    LISTED = "listed", "first listing"
    ASKED = "asked", "asked for"


class FollowedRevision(models.Model):
    """A moment of a followed cluster (seconds since 1970) that is kept as a revision; equal moments share one.

    `changes` is {kind: [added, gone, changed]} since the kept moment before it, of hours and first listings;
    `server_version` is what the API server said then.
    """

    following = models.ForeignKey(Following, on_delete=models.CASCADE, related_name="moments", db_index=False)
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="moments")
    kind = models.CharField(max_length=10, choices=KeptMoment.choices)
    moment = models.FloatField()
    changes: models.JSONField[dict[str, list[int]], dict[str, list[int]]] = models.JSONField(default=dict)
    server_version = models.CharField(max_length=VERSION_LENGTH, blank=True)

    class Meta:
        ordering = ["-moment", "-id"]
        constraints = [models.UniqueConstraint(fields=["following", "kind", "moment"], name="followed_moment_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.moment:.0f} of {self.following_id}"


class CondemnedBlob(models.Model):
    """An ObjectBlob that nothing may need any more since a revision was removed; who stores its content again takes it
    out here (dashboard.clusters.sweeping)."""

    workspace = models.ForeignKey("accounts.Workspace", on_delete=models.CASCADE, related_name="+", db_index=False)
    sha256 = models.BinaryField(max_length=32)
    condemned_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "sha256"], name="condemned_blob_once")]

    def __str__(self) -> str:
        return bytes(self.sha256).hex()[:12]
