"""How imported objects are written in their files, kept beside them when the import is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

from dashboard.clusters.importing.compression import decompressed
from dashboard.clusters.revisions.object_keys import Key, normal_key, text_of, written_key
from dashboard.clusters.texts.documents import texts_in
from dashboard.clusters.texts.store import WrittenText, address_of
from scheduler_core.manifests import Limits, ManifestSource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.clusters.models import ImportDraft
    from scheduler_core.manifests import Content

MAX_DOCUMENTS = 50_000
MAX_FILE = 64 << 20
"""Larger files are written by programs."""


def written_texts(draft: ImportDraft, stored: Sequence[Content]) -> dict[Key, WrittenText]:
    """Return the texts of those of the stored objects that are documents of their own in the import's YAML files."""
    limits = Limits(max_bytes=settings.UPLOAD_MAX_BYTES)
    texts: dict[Key, str] = {}
    for file in draft.files.filter(size__lte=MAX_FILE):
        data = decompressed(bytes(file.data))
        if data[:200].lstrip()[:1] in (b"{", b"["):
            continue
        for (kind, namespace, name), text in texts_in(ManifestSource(file.name, data), limits):
            texts[normal_key(kind, namespace, name)] = text
    if not texts or len(texts) > MAX_DOCUMENTS:
        return {}
    named = ((normal_key(*written_key(content)), content) for content in stored)
    return {key: WrittenText(address_of(text_of(content)), texts[key]) for key, content in named if key in texts}
