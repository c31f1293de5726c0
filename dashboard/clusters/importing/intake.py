"""Masking of values that may be secret in files for an import, before anything is stored."""

from __future__ import annotations

import time
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from django.conf import settings

from dashboard.clusters.importing import bundles
from dashboard.clusters.uploads.opening import Upload
from scheduler_core.manifests import (
    Limits,
    ManifestSource,
    ProgressCallback,
    masked_source,
    rewritten,
)
from scheduler_core.manifests.masking.secrets import WHAT
from scheduler_core.manifests.model import LoadError
from scheduler_core.manifests.progress import YAML_OPENED, ProgressMeter

if TYPE_CHECKING:
    from collections.abc import Sequence


REFUSED = "Nothing of the file is kept"
CUT_SHORT = (
    "The file could not be read to its end, so what is secret in it is not known and nothing of it is kept. Correct it "
    "and send it again, or import it with its values kept"
)


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
    limits = Limits(max_bytes=settings.UPLOAD_MAX_BYTES)
    if keeps_values:
        return MaskedUploads([_rewritten(upload, limits) for upload in uploads], True, {}, [])
    start = time.perf_counter()
    emptied = {finding["source"]: finding for finding in (before or {}).get("unread", [])}
    meter = ProgressMeter(report_progress, [len(upload.data) for upload in uploads])
    out, masked, unread = [], Counter[str](), []
    for index, upload in enumerate(uploads):
        if upload.name in emptied and not upload.data:
            unread.append(emptied[upload.name])
            out.append(upload)
            continue
        consequence = REFUSED
        try:
            read_as = rewritten(ManifestSource(upload.name, upload.data), limits)
            consequence = CUT_SHORT
            source, counts, parsed = masked_source(read_as, limits, partial(meter.opening, index, weight=YAML_OPENED))
        except LoadError as problem:
            unread.append(_unread(upload.name, problem, consequence))
            out.append(Upload(upload.name, b""))
            continue
        masked.update(counts)
        out.append(Upload(upload.name, source.data, parsed, bundles.masked(upload)))
        if parsed is not None:
            meter.opened(index, parsed.share_of_reading)
    counted = {what: masked[what] for what in WHAT if masked[what]}
    return MaskedUploads(out, False, counted, unread, time.perf_counter() - start)


def _rewritten(upload: Upload, limits: Limits) -> Upload:
    """A file of another form as the List that is read of it; one that is refused as it is: reading says why."""
    try:
        return upload._replace(data=rewritten(ManifestSource(upload.name, upload.data), limits).data)
    except LoadError:
        return upload


def _unread(name: str, problem: LoadError, consequence: str) -> dict[str, Any]:
    detail = f"{problem.message}. {consequence}"
    place = {"source": name, "line": problem.line, "object": "", "field": problem.field}
    return {"severity": "error", **place, "message": detail}
