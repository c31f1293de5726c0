"""Pieces of a bundle as they are sent: read as they were written, and refused with the line."""

from __future__ import annotations

import gzip

import msgspec
import pytest

from scheduler_core.manifests.bundle.model import BundleMeta
from scheduler_core.manifests.bundle.pieces import PieceHead, PieceLine, encoded, read_piece
from scheduler_core.manifests.model import LoadError

HEAD = PieceHead(collection="c", number=3, is_listed=True, meta=BundleMeta(began=1.0))
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}}


def line(file: str, **fields: object) -> PieceLine:
    return PieceLine(file, msgspec.Raw(msgspec.json.encode({"t": 2.0, "object": NODE, **fields})))  # type: ignore[arg-type]


def test_a_piece_is_read_as_it_was_written() -> None:
    data = encoded(
        HEAD,
        [
            line("objects.jsonl"),
            line("events.jsonl", type="ADDED", rv="5"),
            line("changes.jsonl", type="DELETED", rv="6"),
        ],
    )
    head, objects, events, changes = read_piece(data)
    assert head == HEAD
    assert [one.t for one in objects] == [2.0]
    assert [(one.type, one.rv) for one in (*events, *changes)] == [("ADDED", "5"), ("DELETED", "6")]


def test_a_wrong_line_and_a_cut_piece_are_refused() -> None:
    with pytest.raises(LoadError) as problem:
        read_piece(encoded(HEAD, [line("objects.jsonl"), line("changes.jsonl", type="GONE")]))
    assert problem.value.line == 3
    with pytest.raises(LoadError, match="not gzipped"):
        read_piece(b"nonsense")
    data = encoded(HEAD, [line("objects.jsonl")])
    with pytest.raises(LoadError):
        read_piece(gzip.compress(gzip.decompress(data)[:-5]))
