"""Which form a file has, by its beginning, so that a dump costs no second reading; and the file as a List of objects.

A rewritten file begins with a record (model.RECORD) of its form and what that lacks, so that the gaps are
stored with the file.
"""

from __future__ import annotations

import zlib
from codecs import BOM_UTF8

from scheduler_core.manifests.forms import (
    bundles,
    cut,
    event_tables,
    info_dump,
    kindless,
    refused,
    simulator,
    watch_events,
)
from scheduler_core.manifests.forms.describe import reading as describe
from scheduler_core.manifests.forms.model import FileHead, InputForm, as_source
from scheduler_core.manifests.forms.traces import azure, openb, pai, philly, simkube
from scheduler_core.manifests.model import Limits, ManifestSource

HEAD_LENGTH = 1 << 16
_GZIP = b"\x1f\x8b"
FORMS: tuple[InputForm, ...] = (
    bundles.PART,
    simkube.TRACE,
    simulator.EXPORT,
    simulator.RECORDING,
    openb.TABLES,
    *pai.FORMS,
    *philly.FORMS,
    *azure.FORMS,
    watch_events.EVENTS,
    info_dump.DUMP,
    describe.DESCRIBE,
    event_tables.TABLE,
    kindless.KINDLESS,
    *refused.REFUSED,
    cut.CUT,
)
"""The forms in the order in which they are tried."""


def rewritten(source: ManifestSource, limits: Limits | None = None) -> ManifestSource:
    """The file as a List where it has one of the forms, else itself. Raises LoadError for a wrong one, and for one that
    cannot be read."""
    head = file_head(source)
    for form in FORMS:
        if form.recognises(head):
            reading = form.read(source, limits or Limits())
            if reading is not None:
                return as_source(source.name, reading, form.name)
    return source


def form_of(head: FileHead) -> InputForm | None:
    """The first form that recognises a file and is surer than that it may be cut off."""
    return next((form for form in FORMS if form is not cut.CUT and form.recognises(head)), None)


def file_head(source: ManifestSource) -> FileHead:
    """The beginning of a file, of gzipped data too; empty where it cannot be inflated."""
    data = source.data[:HEAD_LENGTH]
    if data[:2] == _GZIP:
        try:
            data = zlib.decompressobj(wbits=31).decompress(data, HEAD_LENGTH)
        except zlib.error:
            data = b""
    return FileHead(source.name, data, data.removeprefix(BOM_UTF8).decode("utf-8", "replace"))
