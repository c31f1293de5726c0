from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.extenders.tape.blocks import (
    BlockAnswers,
    LoadedAnswers,
    TapeEnd,
    Texts,
    cluster_digest,
    cut,
    decode,
    numbers,
    pack_answers,
    pack_texts,
    read_header,
    unpack_strings,
    unpack_texts,
)
from scheduler_core.extenders.tape.errors import TapeError
from tests.scheduler_core.extenders.tape.taping import HEADER


@given(st.lists(st.sampled_from([b'"metadata":', b"{}", b'"meta', b"\x00\xff"])))
def test_the_pieces_of_a_body_are_the_body(parts):
    body = b"".join(parts)
    pieces = cut(body)
    assert b"".join(pieces) == body
    assert all(pieces)


def test_equal_nodes_are_equal_pieces_whatever_stands_around_them():
    one, other = (
        b"[" + b",".join(b'{"metadata":{"name":"%c"}}' % name for name in names) + b"]" for names in (b"abc", b"cbd")
    )
    assert b'"metadata":{"name":"b"}},{' in set(cut(one)) & set(cut(other))


@given(st.lists(st.binary(max_size=5)))
def test_texts_are_read_as_they_were_packed(values):
    assert unpack_texts(pack_texts(values), "t") == values


def test_answers_are_numbers_of_pieces():
    packed = pack_answers([b"a", b"b"], [[5, 3], [], [4]])
    loaded = LoadedAnswers(packed, 2, 3, "t")
    assert [loaded.piece_numbers(i).tolist() for i in range(3)] == [[5, 3], [], [4]]
    assert [loaded.piece(i) for i in range(2)] == [b"a", b"b"]


def test_a_cluster_is_its_nodes_in_any_order():
    assert cluster_digest([("a", "1"), ("b", "2")]) == cluster_digest([("b", "2"), ("a", "1")])
    assert cluster_digest([("a", "1")]) != cluster_digest([("a", "2")])


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (lambda: unpack_texts(Texts(np.array([3], "<u4").tobytes(), b"ab"), "t"), "lengths of texts do not add up"),
        (lambda: unpack_texts(Texts(b"", b"ab"), "t"), "lengths of texts do not add up"),
        (lambda: unpack_strings(pack_texts([b"\xff"]), "t"), "a name is no UTF-8"),
        (lambda: numbers(b"123", "<u4", "t"), "buffer size must be a multiple"),
        (lambda: decode(b"\xc1", TapeEnd, "t"), "does not hold what it should"),
        (lambda: decode(b"\x80", TapeEnd, "t"), "does not hold what it should"),
        (lambda: decode(b"\x93\x01\x02\x03", BlockAnswers, "t"), "does not hold what it should"),
        (lambda: LoadedAnswers(pack_answers([b"a", b"b"], [[5, 3], [], [4]]), 2, 2, "t"),
         "does not hold the answers that the section before it tells"),
    ],
)  # fmt: skip
def test_wrong_content_is_refused(read, text):
    with pytest.raises(TapeError, match=f"^t: {text}"):
        read()


def header_bytes(**changed):
    return msgspec.msgpack.encode({**msgspec.to_builtins(HEADER), **changed})


def test_a_header_is_read_as_it_was_written():
    written = msgspec.structs.replace(HEADER, recorded_at=1.5, source="a.json", n_nodes=3)
    assert read_header(msgspec.msgpack.encode(written), "t") == written
    assert read_header(header_bytes(later="more"), "t") == HEADER


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\x81\xa4deep" + b"\x91" * 200_000 + b"\xc0", "values are nested too deeply in each other"),
        (b"\x84\xa1a\x01\xa1a\x02" + header_bytes()[1:], "a key stands twice in the header"),
        (header_bytes(extenders=5), r"Expected `array`, got `int` - at `\$.extenders`"),
        (msgspec.msgpack.encode({"extenders": []}), "Object missing required field `cluster`"),
        (b'{"extenders": []}', "Expected `object`, got `int`"),
        (
            header_bytes(extenders=[*msgspec.to_builtins(HEADER.extenders)] * 501),
            "there are 1,002 extenders, at",
        ),
        (header_bytes(recorded_at=float("nan")), "recorded_at is no time: nan"),
        (header_bytes(recorded_at=1e300), "recorded_at is no time"),
        (header_bytes(n_nodes=-5), "n_nodes is no number of nodes: -5"),
        (header_bytes(source="a\0b"), "a text has a NUL in it"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_header_that_cannot_be_is_refused(content, text):
    with pytest.raises(TapeError, match=f"^t: (.*: .*)?({text})"):
        read_header(content, "t")
