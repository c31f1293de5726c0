"""The pods of a comparison in its table, in pieces of a class each, so that a page reads the few rows that it shows."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar, overload

import msgspec

from dashboard.agreement.models import AgreementRows
from scheduler_core.explain.agreement import BoundPod, PendingPod
from scheduler_core.explain.agreement.model import DIFFERING, EQUAL
from scheduler_core.explain.agreement.texts import PENDING, STANDINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from dashboard.agreement.models import AgreementResult
    from scheduler_core.explain.agreement import Agreement
    from scheduler_core.explain.agreement.model import PendingStanding, Standing

Row = TypeVar("Row", BoundPod, PendingPod)

PIECE = 100
# Those that differ come first.
BOUND = (*DIFFERING, *(name for name in STANDINGS if name not in DIFFERING))
MESSAGES = (*(name for name in PENDING if name not in EQUAL), *EQUAL)
_OF_PENDING = "pending:"
_encode = msgspec.json.encode
_decode_bound = msgspec.json.Decoder(list[BoundPod]).decode
_decode_pending = msgspec.json.Decoder(list[PendingPod]).decode


def put_rows(result: AgreementResult, agreement: Agreement) -> None:
    """Store the pods of a comparison in place of those that were there; call it inside a transaction."""
    AgreementRows.objects.filter(result=result).delete()
    parts: dict[str, list[BoundPod] | list[PendingPod]] = {
        **{name: [pod for pod in agreement.bound if pod.standing == name] for name in BOUND},
        **{_OF_PENDING + name: [pod for pod in agreement.pending if pod.standing == name] for name in MESSAGES},
    }
    pieces = (
        AgreementRows(result=result, part=part, number=number, data=zlib.compress(_encode(pods[at : at + PIECE]), 1))
        for part, pods in parts.items()
        for number, at in enumerate(range(0, len(pods), PIECE))
    )
    while batch := list(islice(pieces, 200)):
        AgreementRows.objects.bulk_create(batch)


class StoredRows(Sequence[Row], Generic[Row]):
    """Pods of some classes, one class after another; a slice reads the pieces that it lies in."""

    def __init__(
        self, result: AgreementResult, parts: Iterable[tuple[str, int]], decode: Callable[[bytes], list[Row]]
    ) -> None:
        self._result = result
        self._decode: Callable[[bytes], list[Row]] = decode
        self._parts = [(part, count) for part, count in parts if count]

    def __len__(self) -> int:
        return sum(count for _, count in self._parts)

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> list[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | list[Row]:
        if isinstance(at, slice):
            first, end, step = at.indices(len(self))
            return list(self._between(first, end))[::step]
        return next(self._between(range(len(self))[at], len(self)))

    def __iter__(self) -> Iterator[Row]:
        return self._between(0, len(self))

    def _between(self, first: int, end: int) -> Iterator[Row]:
        before = 0
        for part, count in self._parts:
            begin, stop = max(first - before, 0), min(end - before, count)
            before += count
            for number in range(begin // PIECE, -(-stop // PIECE)) if begin < stop else ():
                rows, at = self._piece(part, number), number * PIECE
                yield from rows[max(begin - at, 0) : stop - at]

    def _piece(self, part: str, number: int) -> list[Row]:
        piece = AgreementRows.objects.get(result=self._result, part=part, number=number)
        return self._decode(zlib.decompress(bytes(piece.data)))


def bound_rows(
    result: AgreementResult, counts: Mapping[Standing, int], standings: Iterable[Standing] = BOUND
) -> StoredRows[BoundPod]:
    """Return the bound pods of these classes; `counts` are those of the comparison's figures."""
    return StoredRows(result, [(name, counts.get(name, 0)) for name in standings], _decode_bound)


def pending_rows(result: AgreementResult, counts: Mapping[PendingStanding, int]) -> StoredRows[PendingPod]:
    """Return the pending pods, those whose messages differ first."""
    return StoredRows(result, [(_OF_PENDING + name, counts.get(name, 0)) for name in MESSAGES], _decode_pending)
