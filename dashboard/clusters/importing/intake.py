"""Intake of files for an import: values that may be secret are masked before anything is stored."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from django.conf import settings

from dashboard.common.problems import Problem
from scheduler_core.manifests import (
    ArchiveLimits,
    Limits,
    ManifestSource,
    ParsedSource,
    ProgressCallback,
    is_archive,
    masked_source,
    rewritten,
    unpacked,
)
from scheduler_core.manifests.masking.secrets import WHAT
from scheduler_core.manifests.model import LoadError
from scheduler_core.manifests.progress import YAML_OPENED, ProgressMeter


class Upload(NamedTuple):
    """A file as it was uploaded or stored; `parsed` if it was read already."""

    name: str
    data: bytes
    parsed: ParsedSource | None = None


def opened(uploads: Sequence[Upload]) -> list[Upload]:
    """Return the files with each archive replaced by the manifests in it; raises TooLarge, and Problem for an archive
    that is not taken in, with the names of it and of the entry that is wrong."""
    left, out = settings.UPLOAD_MAX_BYTES, []
    for upload in uploads:
        if not is_archive(upload.data):
            left -= len(upload.data)
            out.append(_rewritten(upload))
            continue
        limits = ArchiveLimits(max_bytes=max(0, left), max_files=settings.DATA_UPLOAD_MAX_NUMBER_FILES)
        try:
            contents = unpacked(ManifestSource(upload.name, upload.data), limits)
        except LoadError as problem:
            raise Problem(f"{problem.message}.", title="This archive is not taken in") from None
        left -= sum(len(file.data) for file in contents.files)
        out += [_rewritten(Upload(file.name, file.data)) for file in contents.files]
    return out


def _rewritten(upload: Upload) -> Upload:
    """Return a file that holds a cluster in a form of another program as a List; raises Problem where it is wrong."""
    try:
        source = rewritten(ManifestSource(upload.name, upload.data), Limits(max_bytes=settings.UPLOAD_MAX_BYTES))
    except LoadError as problem:
        place = f"{upload.name}:{problem.line}" if problem.line else upload.name
        text = ": ".join(part for part in (place, problem.field, f"{problem.message}.") if part)
        raise Problem(text, title="This file is not taken in") from None
    return upload if source.data is upload.data else Upload(upload.name, source.data)


class MaskedUploads(NamedTuple):
    """Files to store, {kind of secret: number of masked values}, and findings about files that were refused; `seconds`
    is how long masking took.
    """

    uploads: Sequence[Upload]
    keeps_values: bool
    masked: dict[str, int]
    unread: list[dict[str, Any]]
    seconds: float = 0.0


def mask_uploads(
    uploads: Sequence[Upload],
    report_progress: ProgressCallback | None = None,
    *,
    keeps_values: bool,
    before: dict[str, Any] | None = None,
) -> MaskedUploads:
    """Return the files with secrets masked; a file that cannot be read is emptied, since its secrets are unknown.

    `before` is the report of the draft that the files come from; files that were emptied then still have to be
    corrected. `report_progress` is called with the share of the whole reading, of which masking is the first part.
    """
    if keeps_values:
        return MaskedUploads(uploads, True, {}, [])
    start = time.perf_counter()
    emptied = {finding["source"]: finding for finding in (before or {}).get("unread", [])}
    limits = Limits(max_bytes=settings.UPLOAD_MAX_BYTES)
    meter = ProgressMeter(report_progress, [len(upload.data) for upload in uploads])
    out, masked, unread = [], Counter[str](), []
    for index, upload in enumerate(uploads):
        if upload.name in emptied and not upload.data:
            unread.append(emptied[upload.name])
            out.append(upload)
            continue
        try:
            source, counts, parsed = masked_source(
                ManifestSource(upload.name, upload.data), limits, partial(meter.opening, index, weight=YAML_OPENED)
            )
        except LoadError as problem:
            unread.append(_unread(upload.name, problem))
            out.append(Upload(upload.name, b""))
            continue
        masked.update(counts)
        out.append(Upload(upload.name, source.data, parsed))
        if parsed is not None:
            meter.opened(index, parsed.share_of_reading)
    counted = {what: masked[what] for what in WHAT if masked[what]}
    return MaskedUploads(out, False, counted, unread, time.perf_counter() - start)


def _unread(name: str, problem: LoadError) -> dict[str, Any]:
    detail = (
        f"{problem.message}. The file could not be read to its end, so what is secret in it is not known and nothing "
        "of it is kept. Correct it and send it again, or import it with its values kept"
    )
    place = {"source": name, "line": problem.line, "object": "", "field": problem.field}
    return {"severity": "error", **place, "message": detail}
