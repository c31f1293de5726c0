"""What a form of input is: how it is recognised, and what reading it gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from scheduler_core.api.unplayed import InputGap
from scheduler_core.manifests.kinds.registry import RECORD as RECORD
from scheduler_core.manifests.kinds.registry import RECORD_VERSION as RECORD_VERSION
from scheduler_core.manifests.model import Content, Limits, ManifestSource

READ_FROM = "schedscope/read-from"
"""The annotation of an object that a text shows in part: SHOWN or COUNTED. Where the input holds it whole, that
counts."""
SHOWN, COUNTED = "describe", "node's table"


class FileHead(NamedTuple):
    """The beginning of a file, inflated: at most HEAD_LENGTH bytes, and the same as text, wrong bytes replaced."""

    name: str
    data: bytes
    text: str


class FormReading(msgspec.Struct, frozen=True):
    """The objects of a file, what its form lacks, and in ``notes`` what else of it was passed over: each a warning."""

    items: Sequence[Content]
    gaps: tuple[InputGap, ...] = ()
    notes: tuple[str, ...] = ()


class FormRecord(msgspec.Struct):
    """What the record of a rewritten file says of its form."""

    gaps: list[InputGap] = []
    notes: list[str] = []


class InputForm(NamedTuple):
    """A form. ``recognises`` looks at the head alone; ``read`` returns None where the file is something else after
    all, and raises LoadError where it is of this form and wrong, or is of a form that cannot be read (then the message
    names it and says what to fetch instead)."""

    name: str
    recognises: Callable[[FileHead], bool]
    read: Callable[[ManifestSource, Limits], FormReading | None]


def as_source(name: str, reading: FormReading, form: str = "files") -> ManifestSource:
    """What was read, as a file of this name."""
    return ManifestSource(name, _as_list(form, reading))


def _as_list(form: str, reading: FormReading) -> bytes:
    record = {
        "apiVersion": RECORD_VERSION,
        "kind": RECORD,
        "metadata": {"name": form},
        "gaps": [msgspec.to_builtins(gap) for gap in reading.gaps],
        "notes": list(reading.notes),
    }
    items = [record, *reading.items] if reading.gaps or reading.notes else reading.items
    whole = {"apiVersion": "v1", "kind": "List", "items": items}
    return msgspec.json.format(msgspec.json.encode(whole), indent=1)
