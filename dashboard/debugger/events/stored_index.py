"""The index of a run's events as workers store it, in pieces, so that pages need not read the events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import zstandard
from django.db import transaction

from dashboard.debugger.events.index import Indexing, Piece
from dashboard.runs.models import EventIndexPiece
from dashboard.runs.storage import recordings

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.runs.models import Run

VERSION = 1
EVENTS_PER_PIECE = 50_000
# A limit above the unpacked size of any piece.
LARGEST = 1 << 28
_LEVEL = 3


class _Packed(msgspec.Struct, array_like=True):
    columns: dict[str, bytes]
    pod_names: list[tuple[str, str]]
    node_names: list[str]
    newest: dict[str, int]
    victims: dict[str, int]
    open_cycle: int


_decode = msgspec.msgpack.Decoder(_Packed).decode


def load(run: Run, indexing: Indexing) -> None:
    """Extend an index by the stored pieces; the caller holds its lock."""
    rows = EventIndexPiece.objects.filter(run_id=run.pk, version=VERSION, first_seq__gte=len(indexing.index))
    pieces = []
    end = len(indexing.index)
    for first_seq, end_seq, data in rows.order_by("first_seq").values_list("first_seq", "end_seq", "data"):
        if first_seq != end:
            break
        pieces.append(unpacked(bytes(data)))
        end = end_seq
    indexing.take(pieces)


def prepare(run: Run, report_progress: Callable[[int], None]) -> None:
    """Store the index up to the run's head; raises RecordingError for what cannot be read."""
    run.head.refresh_from_db(fields=["seq"])
    indexing = Indexing()
    load(run, indexing)
    while (first := len(indexing.index)) < run.head.seq:
        end = min(first + EVENTS_PER_PIECE, run.head.seq)
        before = indexing.names_so_far
        recordings.read(run.pk, lambda reader, end=end: indexing.extend(reader, end, report_progress))  # type: ignore[misc]
        _store(run, first, end, indexing.piece(first, *before))


def _store(run: Run, first: int, end: int, piece: Piece) -> None:
    with transaction.atomic():
        EventIndexPiece.objects.filter(run_id=run.pk, first_seq__gte=first).delete()
        EventIndexPiece.objects.create(run_id=run.pk, first_seq=first, end_seq=end, version=VERSION, data=packed(piece))


def packed(piece: Piece) -> bytes:
    """Return a piece as bytes."""
    columns = {name: column.tobytes() for name, column in piece.columns.items()}
    state = _Packed(columns, piece.pod_names, piece.node_names, piece.newest, piece.victims, piece.open_cycle)
    return zstandard.ZstdCompressor(level=_LEVEL).compress(msgspec.msgpack.encode(state))


def unpacked(data: bytes) -> Piece:
    """Return the piece of these bytes."""
    state = _decode(zstandard.ZstdDecompressor().decompress(data, max_output_size=LARGEST))
    columns: dict[str, Any] = {
        name: np.frombuffer(column, Indexing.KINDS_OF_COLUMNS[name]) for name, column in state.columns.items()
    }
    return Piece(columns, state.pod_names, state.node_names, state.newest, state.victims, state.open_cycle)
