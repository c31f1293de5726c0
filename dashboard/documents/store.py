"""Revisions of documents in the database: texts as rows, timelines as content by its address."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import msgspec
from django.db import transaction

from dashboard.clusters.revisions.object_keys import canonical
from dashboard.clusters.revisions.object_store import next_number, put_blobs, read_blob
from dashboard.documents.models import TimelineRevision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard.clusters.revisions.object_store import Manifest, Saving
    from dashboard.documents.models import Timeline


def save_text(document: Any, text: str, saving: Saving) -> Any:
    """Return a new revision of a document whose revisions are texts.

    Raises Conflict where somebody saved since revision `saving.expected`.
    """
    with transaction.atomic():
        newest = document.revisions.order_by("-number").first()
        return document.revisions.create(
            number=next_number(newest, saving.expected),
            parent=newest,
            author=saving.author,
            message=saving.message,
            text=text,
            sha256=hashlib.sha256(text.encode()).hexdigest(),
        )


def save_timeline(timeline: Timeline, raw: Manifest, saving: Saving, text: str = "") -> TimelineRevision:
    """Return a new revision of the timeline ({"entries": [...]}); raises Conflict as `save_text` does.

    `text` is what a person typed for these entries, "" where nobody did.
    """
    contents = [canonical(raw), *([text.encode()] if text else [])]
    with transaction.atomic():
        sha256, *typed = put_blobs(timeline.workspace_id, contents)
        newest = timeline.revisions.order_by("-number").first()
        return TimelineRevision.objects.create(
            timeline=timeline,
            number=next_number(newest, saving.expected),
            parent=newest,
            author=saving.author,
            message=saving.message,
            sha256=sha256.hex(),
            text_sha256=typed[0].hex() if typed else "",
            n_entries=len(raw.get("entries") or []),
        )


def read_timeline(revision: TimelineRevision) -> Manifest:
    """Return the timeline as it was saved: {"entries": [...]}."""
    return msgspec.json.decode(read_blob(revision.timeline.workspace_id, bytes.fromhex(revision.sha256)))


def read_typed_text(revision: TimelineRevision) -> str:
    """Return the text that a person typed for the timeline, "" where nobody did."""
    if not revision.text_sha256:
        return ""
    return read_blob(revision.timeline.workspace_id, bytes.fromhex(revision.text_sha256)).decode()


def addresses_of_timelines(workspace_id: int) -> Iterator[bytes]:
    """Yield the addresses of the stored content that revisions of timelines refer to."""
    revisions = TimelineRevision.objects.filter(timeline__workspace=workspace_id)
    for pair in revisions.values_list("sha256", "text_sha256"):
        yield from (bytes.fromhex(address) for address in pair if address)
