from __future__ import annotations

from io import BytesIO

import msgspec
import numpy as np
import pytest

from scheduler_core.extenders.tape import answer_store, blocks, sections
from scheduler_core.extenders.tape.answer_store import AnswerStore
from scheduler_core.extenders.tape.blocks import pack_answers
from scheduler_core.extenders.tape.errors import TapeError
from scheduler_core.extenders.tape.limits import USUAL_LIMITS, TapeLimits


def store_of(*blocks, limits=USUAL_LIMITS):
    """A store of blocks, each (pieces, numbers of pieces by answer, sizes of answers)."""
    file, added = BytesIO(), []
    for pieces, answers, sizes in blocks:
        position = file.tell()
        stored = sections.packed(sections.ANSWERS, msgspec.msgpack.encode(pack_answers(pieces, answers)))
        file.write(stored)
        file.seek(position)
        added.append((sections._section(file, position, "t"), len(pieces), np.array(sizes)))
    store = AnswerStore(file, "t", limits)
    for block in added:
        store.add_block(*block)
    return store


def test_a_body_may_consist_of_pieces_of_earlier_blocks(monkeypatch):
    store = store_of(([b"one", b"two"], [[0, 1]], [6]), ([b"three"], [[1, 2], []], [8, 0]))
    assert (store.n_blocks, store.n_answers) == (2, 3)
    assert [store.body(i) for i in range(3)] == [b"onetwo", b"twothree", b""]


def test_blocks_that_were_forgotten_are_read_again(monkeypatch):
    monkeypatch.setattr(answer_store, "_CACHED_BYTES", 1)
    store = store_of(*(([b"%d" % i], [[i, 0]], [2]) for i in range(3)))
    assert [store.body(i) for i in (0, 2, 1, 0)] == [b"00", b"20", b"10", b"00"]


NO_PIECE, NO_SIZE = "an answer names a piece that is not on the tape", "an answer has another size than it should"


@pytest.mark.parametrize(
    ("answers", "size", "sentence"),
    [
        ([[1]], 3, NO_PIECE),
        ([[-1]], 3, NO_PIECE),
        ([[0]], 4, NO_SIZE),
        ([[0, 0]], 3, NO_SIZE),
        ([[0] * 1000], 3, NO_SIZE),
    ],
)
def test_wrong_pieces_are_refused(answers, size, sentence):
    with pytest.raises(TapeError) as refused:
        store_of(([b"one"], answers, [size])).body(0)
    assert str(refused.value) == f"t: byte 0: {sentence}"


def test_a_check_reads_all_blocks_and_refuses_none_that_is_whole(monkeypatch):
    monkeypatch.setattr(answer_store, "_CACHED_BYTES", 1)
    store_of(([b"one", b"two"], [[0, 1]], [6]), ([], [], []), ([b"three"], [[1, 2], []], [8, 0])).check()


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (([b"two"], [[2]], [3]), NO_PIECE),
        (([b"two"], [[-1]], [3]), NO_PIECE),
        (([b"two"], [[0], [0, 1]], [3, 7]), NO_SIZE),
        (([b"two"], [[0] * 1000], [3]), NO_SIZE),
    ],
)
def test_a_check_names_the_block_of_a_wrong_answer(block, text):
    store = store_of(([b"one"], [[0]], [3]), block)
    assert store.body(0) == b"one"
    with pytest.raises(TapeError, match=f"^t: byte [1-9][0-9]*: {text}"):
        store.check()


TWO = ([b"one", b"two"], [[0, 1]], [6])


def test_as_many_parts_and_pieces_as_are_allowed_pass():
    store_of(TWO, ([], [[1]], [3]), limits=TapeLimits(max_parts=3, max_pieces=2)).check()


@pytest.mark.parametrize(
    ("blocks_of_store", "limits", "sentence"),
    [
        ([TWO, ([], [[1]], [3])], TapeLimits(max_parts=2), r"byte [1-9][0-9]*: answers consist of more than 2 parts"),
        ([TWO], TapeLimits(max_pieces=1), "byte 0: answers are cut into more than 1 pieces"),
        ([TWO], None, "byte 0: answers of one section consist of 2 parts, at most 1 are allowed"),
        ([([b"one"], [[1]], [3]), ([b"two"], [], [])], USUAL_LIMITS, f"byte 0: {NO_PIECE}"),
    ],
    ids=["parts", "pieces", "parts of a section", "a piece of a later block"],
)
def test_words(monkeypatch, blocks_of_store, limits, sentence):
    if limits is None:
        monkeypatch.setattr(blocks, "MAX_PARTS_OF_BLOCK", 1)
    with pytest.raises(TapeError, match=f"^t: {sentence}$"):
        store_of(*blocks_of_store, limits=limits or USUAL_LIMITS).check()


def test_a_file_that_shrank_meanwhile_is_told():
    store = store_of(([b"one"], [[0]], [3]))
    store._file.truncate(10)
    with pytest.raises(TapeError, match=r"^t: "):
        store.check()
