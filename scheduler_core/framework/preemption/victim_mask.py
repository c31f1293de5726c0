"""Which lower pods of a node are evicted and which stay, one byte each, and the arithmetic that decides it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.preemption.victim_order import RankedRow

Int64 = NDArray[np.int64]
Mask = NDArray[np.bool_]
GOES, STAYS, VIOLATES = range(3)


class VictimMask(NamedTuple):
    """Preemption helps on a row: what becomes of its lower pods (``ranked`` from ``first`` on), a byte for each, and
    what the criteria compare (``values_of``). VIOLATES is a pod that goes though a budget does not allow it."""

    ranked: RankedRow
    first: int
    fates: bytes
    values: tuple[int, ...]


def padded(ranked: list[RankedRow], firsts: list[int]) -> Int64:
    """int64[rows, longest]: class ids of the lower pods in order of importance, -1 past the end."""
    lengths = np.array([len(r.infos) - first for r, first in zip(ranked, firsts, strict=True)], dtype=np.int64)
    classes = np.full((len(ranked), int(lengths.max(initial=0))), -1, dtype=np.int64)
    flat = b"".join([r.classes[8 * first :] for r, first in zip(ranked, firsts, strict=True)])
    classes[np.arange(classes.shape[1]) < lengths[:, None]] = np.frombuffer(flat, dtype=np.int64)
    return classes


def reprieve(used: list[int], limit: list[int], asked: list[tuple[int, ...]], flags: list[bool] | None) -> bytes:
    """The fates of pods when they are brought back one after the other, those whose flag is set first."""
    violates = flags or [False] * len(asked)
    fates = [VIOLATES if flag else GOES for flag in violates]
    order = range(len(asked))
    for j in sorted(order, key=lambda j: not violates[j]) if True in violates else order:
        trial = [u + a for u, a in zip(used, asked[j], strict=True)]
        if all(t <= most for t, most in zip(trial, limit, strict=True)):
            used, fates[j] = trial, STAYS
    return bytes(fates)


def reprieve_in_step(used: Int64, limit: Int64, asked: Int64) -> Mask:
    """bool[rows, longest]: which pods stay; past the end of a row any."""
    _, n_rows, longest = asked.shape
    room = limit - used
    scarce = (asked.sum(axis=2) > room).any(axis=1)  # the others refuse no pod
    room, steps = room[scarce], np.ascontiguousarray(asked[scarce].transpose(2, 0, 1))
    stays = np.zeros((longest, n_rows), dtype=bool)
    for j in range(longest):
        step = steps[j]
        fits = np.logical_and.reduce(step <= room, axis=0, out=stays[j])
        room -= step * fits
    return np.ascontiguousarray(stays.T)
