"""Which form a file has, by its beginning, so that a dump costs no second reading; and the file as a List of objects.

A rewritten file begins with a record (model.RECORD) of its form and what that lacks, so that whoever stores the file
stores the gaps with it.
"""

from __future__ import annotations

import zlib
from codecs import BOM_UTF8

import msgspec

from scheduler_core.manifests.forms import simulator
from scheduler_core.manifests.forms.describe import reading as describe
from scheduler_core.manifests.forms.model import FileHead, FormReading, InputForm
from scheduler_core.manifests.forms.traces import openb
from scheduler_core.manifests.kinds.registry import RECORD, RECORD_VERSION
from scheduler_core.manifests.model import Limits, ManifestSource

HEAD_LENGTH = 1 << 16
_GZIP = b"\x1f\x8b"
FORMS: tuple[InputForm, ...] = (simulator.EXPORT, simulator.RECORDING, openb.TABLES, describe.DESCRIBE)
"""The forms in the order in which they are tried."""


def rewritten(source: ManifestSource, limits: Limits | None = None) -> ManifestSource:
    """The file as a List where it has one of the forms, else itself. Raises LoadError for a wrong one, and for one that
    cannot be read."""
    head = file_head(source)
    for form in FORMS:
        if form.recognises(head):
            reading = form.read(source, limits or Limits())
            if reading is not None:
                return ManifestSource(source.name, _as_list(form.name, reading))
    return source


def file_head(source: ManifestSource) -> FileHead:
    """The beginning of a file, of gzipped data too; empty where it cannot be inflated."""
    data = source.data[:HEAD_LENGTH]
    if data[:2] == _GZIP:
        try:
            data = zlib.decompressobj(wbits=31).decompress(data, HEAD_LENGTH)
        except zlib.error:
            data = b""
    return FileHead(source.name, data, data.removeprefix(BOM_UTF8).decode("utf-8", "replace"))


def _as_list(form: str, reading: FormReading) -> bytes:
    record = {
        "apiVersion": RECORD_VERSION,
        "kind": RECORD,
        "metadata": {"name": form},
        "gaps": [msgspec.to_builtins(gap) for gap in reading.gaps],
    }
    items = [record, *reading.items] if reading.gaps else reading.items
    whole = {"apiVersion": "v1", "kind": "List", "items": items}
    return msgspec.json.format(msgspec.json.encode(whole), indent=1)
