"""Clusters with their revisions, drafts and imports, and tasks of background workers."""

from __future__ import annotations

from dashboard.clusters.models.background import BackgroundTask, SealedPiece
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
    "Draft",
    "DraftChange",
    "DraftObject",
    "DraftOperation",
    "ImportBundle",
    "ImportDraft",
    "ImportFile",
    "NamedInput",
    "NumberedRevision",
    "ObjectBlob",
    "ObjectText",
    "OfObject",
    "Revision",
    "SealedPiece",
]
