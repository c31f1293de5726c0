"""Clusters with their revisions, drafts and imports, what collectors send of them, and tasks of background workers."""

from __future__ import annotations

from dashboard.clusters.models.background import BackgroundTask, SealedPiece
from dashboard.clusters.models.following import (
    CondemnedBlob,
    FollowedCollection,
    FollowedObject,
    FollowedPiece,
    FollowedRevision,
    Following,
    KeptMoment,
)
from dashboard.clusters.models.inputs import (
    KEY_LENGTH,
    NAME_LENGTH,
    OPERATION_LENGTH,
    TOKEN_LENGTH,
    Cluster,
    Draft,
    DraftChange,
    DraftObject,
    DraftOperation,
    ImportBundle,
    ImportDraft,
    ImportFile,
    NamedInput,
    NumberedRevision,
    ObjectBlob,
    ObjectText,
    OfObject,
    Revision,
)

__all__ = [
    "KEY_LENGTH",
    "NAME_LENGTH",
    "OPERATION_LENGTH",
    "TOKEN_LENGTH",
    "BackgroundTask",
    "Cluster",
    "CondemnedBlob",
    "Draft",
    "DraftChange",
    "DraftObject",
    "DraftOperation",
    "FollowedCollection",
    "FollowedObject",
    "FollowedPiece",
    "FollowedRevision",
    "Following",
    "ImportBundle",
    "ImportDraft",
    "ImportFile",
    "KeptMoment",
    "NamedInput",
    "NumberedRevision",
    "ObjectBlob",
    "ObjectText",
    "OfObject",
    "Revision",
    "SealedPiece",
]
