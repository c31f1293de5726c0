"""Hostile tapes: whatever the bytes, opening a tape and reading its answers raises nothing but TapeError."""

from __future__ import annotations

import os
import tracemalloc
from contextlib import suppress
from io import BytesIO
from time import process_time

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_core.extenders.tape import sections
from scheduler_core.extenders.tape.blocks import (
    COLUMNS,
    BlockAnswers,
    BlockIndex,
    TapedExtender,
    TapeEnd,
    TapeHeader,
    Texts,
    pack_texts,
)
from scheduler_core.extenders.tape.errors import TapeError
from scheduler_core.extenders.tape.limits import MAX_TAPE_BYTES, TapeLimits
from scheduler_core.extenders.tape.reader import Tape
from tests.scheduler_core.extenders.tape.taping import HEADER, answer, on_bind, on_nodes, on_victims, write_tape

CASES = int(os.environ.get("TAPE_CASES", "50"))
CALLS = [
    (on_nodes(["n1", "n2", "n3"]), answer(b'{"NodeNames":["n1","n2"]}')),
    (on_nodes(["n1", "n2"], extender=1, objects=True), answer(b'{"metadata":{"a":1}},{"metadata":{"b":1}}')),
    (on_victims({"n1": (["a", "b"], 1)}, step=2), answer(b"{}")),
    (on_bind(step=3), msgspec.structs.replace(answer(b""), status=0, fault="timeout")),
]


@pytest.fixture(scope="module")
def tape_bytes(tmp_path_factory):
    return write_tape(tmp_path_factory.mktemp("tape") / "run.tape", CALLS).read_bytes()


def read_all(path):
    """Every answer of the tape at this path."""
    with Tape(path) as tape:
        return [tape.reply(call) for calls in tape.calls.values() for call in calls]


def test_a_tape_says_what_it_belongs_to(tmp_path, tape_bytes):
    path = tmp_path / "run.tape"
    path.write_bytes(tape_bytes)
    with Tape(path) as tape:
        assert (tape.header, tape.n_calls, len(tape.digest)) == (HEADER, 4, 64)
        tape.check_belongs(HEADER)
    assert len(read_all(path)) == 4


EXTENDERS = HEADER.extenders


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (TapeHeader(EXTENDERS, "others"), "was recorded on another cluster: names or UIDs of its nodes are others"),
        (TapeHeader(EXTENDERS[:1], HEADER.cluster), "was recorded with 2 extenders; the configuration has 1"),
        (
            TapeHeader((EXTENDERS[0], TapedExtender("http://c.example", "f", "p", "v")), HEADER.cluster),
            'another configuration: extenders[1].urlPrefix was "http://b.example/x", and is "http://c.example"',
        ),
        (
            TapeHeader((msgspec.structs.replace(EXTENDERS[0], node_cache_capable=False), EXTENDERS[1]), HEADER.cluster),
            "another configuration: extenders[0].nodeCacheCapable was true, and is false",
        ),
    ],
)
def test_a_tape_of_another_run_is_refused(tmp_path, tape_bytes, run, text):
    path = tmp_path / "run.tape"
    path.write_bytes(tape_bytes)
    with Tape(path) as tape, pytest.raises(TapeError) as error:
        tape.check_belongs(run)
    assert str(error.value).startswith(f"{path}: was recorded ")
    assert str(error.value).endswith(text)


@pytest.mark.parametrize(
    ("size", "sentence"),
    [
        (None, "cannot be read: No such file or directory"),
        (MAX_TAPE_BYTES + 1, "has 1,073,741,825 bytes, at most 1,073,741,824 are allowed"),
    ],
    ids=["no file", "a file over the limit"],
)
def test_words_of_files(tmp_path, size, sentence):
    path = tmp_path / "run.tape"
    if size is not None:
        with path.open("wb") as file:
            file.truncate(size)
    with pytest.raises(TapeError) as refused:
        Tape(path)
    assert str(refused.value) == f"{path}: {sentence}"


@pytest.mark.slow
def test_a_tape_cut_anywhere_is_refused(tmp_path, tape_bytes):
    path = tmp_path / "run.tape"
    for size in range(0, len(tape_bytes), 3):
        path.write_bytes(tape_bytes[:size])
        with pytest.raises(TapeError):
            Tape(path)


@settings(max_examples=CASES, deadline=None)
@given(data=st.data())
def test_changed_bytes_raise_nothing_but_the_error_of_tapes(tmp_path_factory, tape_bytes, data):
    changed = bytearray(tape_bytes)
    for at in data.draw(st.lists(st.integers(0, len(changed) - 1), min_size=1, max_size=4)):
        changed[at] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "changed.tape"
    path.write_bytes(changed)
    if changed != tape_bytes:
        with pytest.raises(TapeError):
            read_all(path)


@settings(max_examples=CASES, deadline=None)
@given(data=st.data())
def test_changed_contents_raise_nothing_but_the_error_of_tapes(tmp_path_factory, tape_bytes, data):
    """As above, behind the checksums: a tape that somebody made up."""
    path = tmp_path_factory.getbasetemp() / "forged.tape"
    path.write_bytes(tape_bytes)
    with path.open("rb") as file:
        contents = [(one.kind, sections.content(one, "t")) for one in sections.read_sections(file, "t")]
    number = data.draw(st.integers(0, len(contents) - 1))
    kind, content = contents[number]
    changed = bytearray(content)
    for at in data.draw(st.lists(st.integers(0, len(changed) - 1), min_size=1, max_size=4)):
        changed[at] = data.draw(st.integers(0, 255))
    contents[number] = kind, bytes(changed)
    path.write_bytes(sections.prologue() + b"".join(sections.packed(*one) for one in contents))
    with suppress(TapeError):
        read_all(path)


def row(**changed):
    """A call: the filter of the first extender for the first pod and set of nodes, answered by the first body."""
    values = dict.fromkeys(COLUMNS, 0) | {"status": 200} | changed
    return [values[column] for column in COLUMNS]


def made_up(rows, nodes=(b"n1",), answer_sizes=(0,), n_calls=None, order=b"HIAE", n_victims=None):
    """A tape with one block of these calls."""
    index = BlockIndex(
        nodes=pack_texts(nodes),
        pods=pack_texts([b"default", b"p", b"uid-p"]),
        uids=pack_texts([]),
        node_sets=pack_texts([b"\x80"]),
        faults=pack_texts([b"", b"timeout"]),
        calls=np.array(rows, dtype="<i8").tobytes(),
        victims=pack_texts([b""] * (len(rows) if n_victims is None else n_victims)),
        answer_sizes=np.array(answer_sizes, dtype="<i8").tobytes(),
        n_pieces=0,
    )
    values = {
        "H": HEADER,
        "I": index,
        "A": (([b"", b""]), bytes(4 * len(answer_sizes)), b""),
        "E": TapeEnd(len(rows) if n_calls is None else n_calls, 1),
    }
    parts = (sections.packed(bytes([kind]), msgspec.msgpack.encode(values[chr(kind)])) for kind in order)
    return sections.prologue() + b"".join(parts)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (made_up([row(extender=2)]), "a call names a extender that is not on the tape"),
        (made_up([row(pod=1)]), "a call names a pod that is not on the tape"),
        (made_up([row(nodes=-1)]), "a call names a nodes that is not on the tape"),
        (made_up([row(answer=1)]), "a call names an answer that is not on the tape"),
        (made_up([row(step=2), row(step=1)]), "a later one is of an earlier attempt"),
        (made_up([row(fault=1, status=0)]), "it failed and has an answer, or neither"),
        (made_up([row(answer=-1)]), "it failed and has an answer, or neither"),
        (made_up([row(status=0)]), "it failed and has an answer, or neither"),
        (made_up([row(extender=1, verb=3)]), r"contradicts the header: extenders\[1\] has no bindVerb"),
        (made_up([row()], nodes=(b"n1", b"n1")), "a name stands twice in a table of names"),
        (made_up([row()], answer_sizes=(1 << 40,)), "an answer has a size that none may have"),
        (made_up([row()], n_calls=2), "the end tells 2 calls in 1 blocks; before it are 1 in 1"),
        (made_up([row()], answer_sizes=(0, 0)), "there are more answers than calls"),
        (made_up([row()], nodes=()), "a set of nodes has a node that is not on the tape"),
        (made_up([row()], n_victims=2), "calls do not have 9 numbers each"),
        (made_up([row()], order=b"IAE"), "a tape begins with its header"),
        (made_up([row()], order=b"HIE"), "answers have to follow the calls before them"),
        (made_up([row()], order=b"HAE"), "this section does not belong here"),
        (made_up([row()], order=b"HHE"), "this section does not belong here"),
    ],
)
def test_a_tape_that_contradicts_itself_is_refused(tmp_path, data, text):
    path = tmp_path / "run.tape"
    path.write_bytes(data)
    with pytest.raises(TapeError, match=rf"^{path}: byte \d+: .*{text}"):
        Tape(path)


def test_what_the_contradictions_are_made_from_is_a_tape(tmp_path):
    path = tmp_path / "run.tape"
    path.write_bytes(made_up([row(), row(answer=-1, status=0, fault=1)]))
    assert [(one.status, one.body, one.fault) for one in read_all(path)] == [(200, b"", ""), (0, b"", "timeout")]


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (TapeLimits(max_names=6), "there are more than 6 names of nodes, pods and victims"),
        (TapeLimits(max_calls=1), "there are more than 1 calls"),
        (TapeLimits(max_blocks=0), "calls lie in more than 0 blocks"),
    ],
)
def test_things_are_counted_beside_bytes(limits, text):
    data = made_up([row(), row()])
    with Tape(BytesIO(data), "t", TapeLimits(max_names=7, max_calls=2, max_blocks=1)) as tape:
        assert tape.n_calls == 2
    with pytest.raises(TapeError, match=rf"^t: byte \d+: {text}"):
        Tape(BytesIO(data), "t", limits)


def bomb(n, names=False):
    """A tape of one block that declares so many pieces of answers, or names of pods, of a byte each."""
    texts = Texts(np.ones(n, dtype="<u4").tobytes(), b"a" * n)
    one_call = {"calls": np.array([row()], dtype="<i8").tobytes(), "victims": pack_texts([b""])}
    index = BlockIndex(
        nodes=pack_texts([b"n1"]),
        pods=texts if names else pack_texts([b"default", b"p", b"uid-p"]),
        uids=pack_texts([]),
        node_sets=pack_texts([b"\x80"]),
        faults=pack_texts([b""]),
        answer_sizes=np.array([0], dtype="<i8").tobytes(),
        n_pieces=0 if names else n,
        **one_call,
    )
    answers = BlockAnswers(pack_texts([]) if names else texts, np.zeros(1, dtype="<u4").tobytes(), b"")
    parts = [(b"H", HEADER), (b"I", index), (b"A", answers), (b"E", TapeEnd(1, 1))]
    return sections.prologue() + b"".join(sections.packed(kind, msgspec.msgpack.encode(one)) for kind, one in parts)


@pytest.mark.parametrize(
    ("names", "text"),
    [(False, "more than 2,000,000 pieces"), (True, "more than 400,000 names")],
    ids=["pieces", "names"],
)
def test_a_small_tape_that_declares_millions_of_things_is_refused_before_any_is_made(names, text):
    data = bomb(3_000_000, names=names)
    assert len(data) < 30_000
    tracemalloc.start()
    begun = process_time()
    with pytest.raises(TapeError, match=text):
        Tape(BytesIO(data), "t", TapeLimits(max_names=400_000, max_pieces=2_000_000)).check_answers()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert process_time() - begun < 1
    assert peak < 100 << 20


def test_an_answer_that_is_not_there_as_a_whole_shows_when_it_is_checked_or_asked_for():
    with Tape(BytesIO(made_up([row()], answer_sizes=(5,))), "t") as tape:
        (calls,) = tape.calls.values()
        with pytest.raises(TapeError):
            tape.check_answers()
        with pytest.raises(TapeError):
            tape.reply(calls[0])
    with Tape(BytesIO(made_up([row()])), "t") as whole:
        whole.check_answers()
