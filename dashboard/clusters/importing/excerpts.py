"""Text of imported files: lines around a finding, and whole files to be corrected on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings

from scheduler_core.manifests import Limits, ManifestSource
from scheduler_core.manifests.model import LoadError
from scheduler_core.manifests.parsing.sources import read_text

if TYPE_CHECKING:
    from dashboard.clusters.importing.intake import Upload


MAX_EDITABLE = 1 << 20
EXCERPT_BEFORE, EXCERPT_AFTER = 12, 8
EXCERPT_WIDTH = 200


class Excerpt(NamedTuple):
    """Lines of a file around one line: [(number, text, whether it is that line)]."""

    lines: list[tuple[int, str, bool]]


def excerpt(upload: Upload, line: int) -> Excerpt:
    """Return the lines around `line`, cut to the page's width; none if the file is no text."""
    try:
        text = read_text(ManifestSource(upload.name, upload.data), Limits(max_bytes=settings.UPLOAD_MAX_BYTES))
    except LoadError:
        return Excerpt([])
    start = max(1, line - EXCERPT_BEFORE)
    at = 0
    for _ in range(start - 1):
        at = text.find("\n", at) + 1
        if at == 0:
            return Excerpt([])
    lines = []
    for number in range(start, line + EXCERPT_AFTER + 1):
        end = text.find("\n", at)
        lines.append((number, text[at : end if end >= 0 else len(text)][:EXCERPT_WIDTH], number == line))
        if end < 0:
            break
        at = end + 1
    return Excerpt(lines)


def text_of(upload: Upload) -> str | None:
    """Return the file's text if it can be edited on a page, None if it is too long or no text."""
    try:
        text = read_text(ManifestSource(upload.name, upload.data), Limits(max_bytes=MAX_EDITABLE))
    except LoadError:
        return upload.data.decode("utf-8", "replace") if _is_readable(upload) else None
    return text


def _is_readable(upload: Upload) -> bool:
    return len(upload.data) <= MAX_EDITABLE and b"\0" not in upload.data and upload.data[:2] != b"\x1f\x8b"
