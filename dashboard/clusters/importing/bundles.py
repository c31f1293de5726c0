"""Bundles of live clusters in imports: masked, and kept beside the files until the import is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.clusters.models import ImportBundle
from scheduler_core.manifests import ManifestSource
from scheduler_core.manifests.bundle.reading import open_bundle
from scheduler_core.manifests.masking.bundles import masked_bundle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.clusters.models import ImportDraft
    from dashboard.clusters.uploads.opening import Upload


def masked(upload: Upload) -> bytes:
    """Return the upload's bundle with secrets masked, b"" where it has none. Raises LoadError."""
    if not upload.bundle:
        return b""
    return masked_bundle(open_bundle(ManifestSource(upload.name, upload.bundle)))[0]


def put(draft: ImportDraft, uploads: Sequence[Upload]) -> None:
    """Keep the bundle beside the draft where the import is of it alone, in place of one that was kept before."""
    ImportBundle.objects.filter(draft=draft).delete()
    if len(uploads) == 1 and uploads[0].bundle:
        name, data = uploads[0].name, uploads[0].bundle
        ImportBundle.objects.create(draft=draft, name=name[:255], size=len(data), data=data)


def is_there(draft: ImportDraft) -> bool:
    """Return whether the import is of a bundle."""
    return ImportBundle.objects.filter(draft=draft).exists()
