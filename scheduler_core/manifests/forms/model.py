"""What a form of input is: how it is recognised, and what reading it gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from scheduler_core.api.unplayed import InputGap
from scheduler_core.manifests.kinds.registry import RECORD as RECORD
from scheduler_core.manifests.kinds.registry import RECORD_VERSION as RECORD_VERSION
from scheduler_core.manifests.model import Limits, ManifestSource, Raw

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

    items: list[Raw]
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
