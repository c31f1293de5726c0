"""Refusals name the byte where the wrong section begins."""

from __future__ import annotations

from io import BytesIO

import pytest
import zstandard

from scheduler_core.extenders.tape import sections
from scheduler_core.extenders.tape.errors import TapeError

START = sections.prologue()
END = sections.packed(sections.END, b"the end")
HEADER = sections.packed(sections.HEADER, b"the header")


def read(data):
    return [(one.kind, sections.content(one, "t")) for one in sections.read_sections(BytesIO(data), "t")]


def forged(kind, size, stored):
    """A section that declares another size than it has, with the right checksum."""
    checksum = sections._checksum(kind, size, stored)
    return sections._HEAD.pack(kind, size, len(stored), checksum) + stored


def test_what_is_packed_is_read():
    assert read(START + HEADER + END) == [(b"H", b"the header"), (b"E", b"the end")]


ZEROS = zstandard.ZstdCompressor().compress(bytes(1 << 20))
UNSIZED = zstandard.ZstdCompressor(write_content_size=False).compress(b"12345")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "t: is no tape: it does not begin with 'schedscope extender tape'"),
        (b"PK\x03\x04" + bytes(80), "t: is no tape: it does not begin with 'schedscope extender tape'"),
        (START[:-1], "t: byte 25: the tape is cut off"),
        (sections.MAGIC + b"\x02\x00", "t: has version 2 of the format; this program reads version 1"),
        (START, "t: byte 27: the tape is cut off: its end is missing"),
        (START + HEADER, f"t: byte {27 + len(HEADER)}: the tape is cut off: its end is missing"),
        (START + HEADER[:-1], "t: byte 27: the tape is cut off inside of a section"),
        (START + END + b"x", f"t: byte {27 + len(END)}: there is more after the end of the tape"),
        (START + b"Z" + END[1:], "t: byte 27: there is no section of kind b'Z'"),
        (START + END[:-1] + b"\x00", "t: byte 27: a section is damaged: its checksum is another one"),
        (
            START + forged(b"E", 1 << 31, b""),
            "t: byte 27: a section declares 2,147,483,648 bytes, at most 1,024 are allowed",
        ),
        (START + forged(b"E", 1, bytes(1 << 21)), "t: byte 27: a section of 1 bytes is stored as 2,097,152"),
        (
            START + forged(b"E", 1000, bytes((1 << 20) + 1001)),
            "t: byte 27: a section of 1,000 bytes is stored as 1,049,577",
        ),
        (
            START + forged(b"E", 1000, ZEROS),
            "t: byte 27: a section declares 1,000 bytes, what it holds declares another size",
        ),
        (
            START + forged(b"E", 5, UNSIZED),
            "t: byte 27: a section declares 5 bytes, what it holds declares another size",
        ),
    ],
)
def test_a_wrong_tape_is_refused_with_the_place(data, text):
    with pytest.raises(TapeError) as error:
        read(data)
    assert str(error.value) == text


CUT_OFF, WITH_MORE = ZEROS[:-3], zstandard.ZstdCompressor().compress(b"12345") + b"more"


@pytest.mark.parametrize(
    ("stored", "sentence"),
    [(stored, "t: byte 27: a section cannot be decompressed: ") for stored in (b"no zstd", CUT_OFF, WITH_MORE)],
    ids=["another format", "cut off", "with more at its end"],
)
def test_what_cannot_be_decompressed_is_refused(stored, sentence):
    size = max(zstandard.frame_content_size(stored), 0) if stored != b"no zstd" else 5
    section = sections.Section(sections.ANSWERS, 27, size, stored)
    with pytest.raises(TapeError) as refused:
        sections.content(section, "t")
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("size", "sentence"), [(1025, "the calls of one attempt need a section of 1,025 bytes; 1,024 may be")]
)
def test_words_of_content_over_the_limit(size, sentence):
    assert sections.packed(sections.END, bytes(size - 1))
    with pytest.raises(TapeError) as refused:
        sections.packed(sections.END, bytes(size))
    assert str(refused.value) == sentence
