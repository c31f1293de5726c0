"""Families of tapes and archives that grow with a number."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

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

if TYPE_CHECKING:
    from tests.worst_inputs.texts import Family

HEADER = TapeHeader((TapedExtender("http://a.example", filter_verb="f"),), "c")
TEMPLATE = (
    "apiVersion: v1\nkind: Pod\nmetadata: {generateName: p-}\nspec: {containers: [{name: a, image: b}]}\n"
    "# podTemplatePath\n"
)
_ROW = [0 if name != "status" else 200 for name in COLUMNS]
_EMPTY = pack_texts([])
MOST_FILES, MOST_INFLATED = 15_000, 300 << 20
"""Beyond the limits of archives; larger ones take minutes to make."""


def _tape(blocks: list[tuple[BlockIndex, BlockAnswers]], n_calls: int) -> bytes:
    encode = msgspec.msgpack.encode
    parts = [sections.packed(b"H", encode(HEADER))]
    for index, answers in blocks:
        parts += [sections.packed(b"I", encode(index)), sections.packed(b"A", encode(answers))]
    return sections.prologue() + b"".join([*parts, sections.packed(b"E", encode(TapeEnd(n_calls, len(blocks))))])


def _index(n_calls: int = 1, *, is_first: bool = True, **other: Any) -> BlockIndex:
    names: dict[str, Any] = {"nodes": [b"n"], "pods": [b"d", b"p", b"u"], "node_sets": [b"\x80"], "faults": [b""]}
    fields: dict[str, Any] = {name: pack_texts(values) if is_first else _EMPTY for name, values in names.items()}
    fields |= {"uids": _EMPTY, "calls": np.array([_ROW] * n_calls, dtype="<i8").tobytes(), "n_pieces": 0}
    fields |= {"victims": _ones(n_calls, 0), "answer_sizes": np.zeros(1, dtype="<i8").tobytes()}
    return BlockIndex(**{**fields, **other})


def _ones(n: int, size: int = 1) -> Texts:
    return Texts(np.full(n, size, dtype="<u4").tobytes(), b"a" * (n * size))


def _answers(pieces: Texts = _EMPTY, counts: int = 0, steps: bytes = b"") -> BlockAnswers:
    return BlockAnswers(pieces, np.array([counts], dtype="<u4").tobytes(), steps)


def _names(n: int) -> Texts:
    return pack_texts(b"%d" % i for i in range(n))


def _calls(n: int) -> bytes:
    """Calls that differ in their victims, each with a set of nodes of its own."""
    rows = np.array([_ROW] * n, dtype="<i8")
    return _tape([(_index(n, calls=rows.tobytes(), victims=_names(n)), _answers())], n)


def _blocks(n: int) -> bytes:
    return _tape([(_index(is_first=i == 0), _answers()) for i in range(n)], n)


def _parts(n: int) -> bytes:
    """Answers that name one piece over and over, in as many blocks as that takes."""
    most = 6_000_000
    sizes = [min(most, n - at) for at in range(0, n, most)]
    blocks = []
    for i, size in enumerate(sizes):
        index = _index(is_first=not i, n_pieces=int(not i), answer_sizes=np.array([size], dtype="<i8").tobytes())
        blocks.append((index, _answers(_ones(1) if not i else _EMPTY, size, bytes(4 * size))))
    return _tape(blocks, len(sizes))


TAPES: dict[str, Family] = {
    "pieces": lambda n: _tape([(_index(n_pieces=n), _answers(_ones(n)))], 1),
    "UIDs": lambda n: _tape([(_index(uids=_names(n)), _answers())], 1),
    "calls": _calls,
    "blocks": _blocks,
    "parts": _parts,
    "bytes of answers": lambda n: _tape([(_index(n_pieces=1), _answers(_ones(1, min(8 * n, 100 << 20))))], 1),
}


def _zip(n: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(min(n, MOST_FILES)):
            archive.writestr(f"{i}.yaml", "a: 1\n")
    return out.getvalue()


def _tar(n: int) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for i in range(min(n, MOST_FILES)):
            archive.addfile(tarfile.TarInfo(f"{i}.yaml"))
    return gzip.compress(out.getvalue())


def _bomb(n: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.yaml", "a" * min(1_000 * n, MOST_INFLATED))
    return out.getvalue()


ARCHIVES: dict[str, Family] = {"files of a zip": _zip, "files of a tar": _tar, "a zip that inflates": _bomb}
