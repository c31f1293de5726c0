"""The files of tapes: checked when they are uploaded, kept in parts, put together again where a run asks them.

A tape is checked as a whole before anything is stored: its sections and their checksums, calls, and every answer.
"""

from __future__ import annotations

import tempfile
import weakref
from contextlib import ExitStack
from typing import TYPE_CHECKING, BinaryIO

from django.conf import settings

from dashboard.documents.models import ExtenderTapePart
from scheduler_core.extenders.tape.limits import TapeLimits
from scheduler_core.extenders.tape.reader import Tape

if TYPE_CHECKING:
    from dashboard.documents.models import ExtenderTapeRevision

PART_BYTES = 1 << 20
LIMITS = TapeLimits(
    max_bytes=64 << 20,
    max_index_bytes=32 << 20,
    max_calls=200_000,
    max_answers_bytes=256 << 20,
    max_blocks=1_000,
    max_names=400_000,
    max_pieces=2_000_000,
    max_parts=32_000_000,
)
"""2,000 attempts that ask three extenders, which answer with 5,000 whole nodes, have a few megabytes, 12,000 calls,
13,000 names, some 50,000 pieces and 30,000,000 parts."""


def checked_tape(file: BinaryIO, name: str) -> Tape:
    """Return the tape in a file, checked to its last answer; raises TapeError, which names the file and the byte."""
    tape = Tape(file, name, LIMITS)
    tape.check_answers()
    return tape


def store_file(revision: ExtenderTapeRevision, file: BinaryIO) -> None:
    """Store the file as the revision's parts."""
    file.seek(0)
    position = 0
    while data := file.read(PART_BYTES):
        ExtenderTapePart.objects.create(revision=revision, position=position, data=data)
        position += 1


def open_tape(revision: ExtenderTapeRevision) -> Tape:
    """Return the tape of a revision, in a file that has no name and is gone with it; raises TapeError."""
    file = _whole(revision)
    tape = Tape(file, str(revision), LIMITS)
    weakref.finalize(tape, file.close)
    return tape


def _whole(revision: ExtenderTapeRevision) -> BinaryIO:
    with ExitStack() as unless_whole:
        file = unless_whole.enter_context(tempfile.TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR))
        for data in revision.parts.order_by("position").values_list("data", flat=True).iterator(chunk_size=4):
            file.write(bytes(data))
        file.seek(0)
        unless_whole.pop_all()
    return file
