"""Frames of a small cluster, and frames read back from their records."""

from __future__ import annotations

import zlib

import numpy as np

from scheduler_core.framework.contracts.normalizers import DEFAULT
from scheduler_core.framework.contracts.verdicts import Normalization
from scheduler_core.recording import Frame
from scheduler_core.recording.frames import codec
from scheduler_core.recording.frames.decoder import Unfolding, build_frame, fold_record

N = 40


def make_frame(cycle=1, template=0, **changes):
    table = [(), ("Insufficient cpu",)]
    codes = np.zeros((2, N), dtype=np.uint8)
    codes[1, 3] = 2
    decisive = np.full(N, -1, dtype=np.int16)
    decisive[3] = 1
    raw = np.arange(N, dtype=np.int64)[None, :].copy()
    raw[0, 3] = 0
    fields = {
        "cycle": cycle,
        "template": template,
        "n_rows": N,
        "filter_plugins": ("A", "B"),
        "codes": codes,
        "reasons": codes.astype(np.int32) // 2,
        "decisive": decisive,
        "overlay": (),
        "score_plugins": ("S",),
        "weights": (1,),
        "normalizations": (Normalization(DEFAULT, (N - 1,)),),
        "raw": raw,
        "reason_table": table,
    }
    return Frame(**{**fields, **changes})


def decoded(records, cycle):
    """The frame of the cycle, with the chain of records below it folded in."""
    by_cycle = {record.cycle: record for record in records}
    chain = [by_cycle[cycle]]
    while chain[-1].base_cycle >= 0:
        chain.append(by_cycle[chain[-1].base_cycle])
    into = Unfolding(chain[0].layout, "frame")
    for record in reversed(chain):
        fold_record(record.data, "frame", into)
    return build_frame(into, [(), ("Insufficient cpu",)])


def open_record(data, layout, name):
    """What the record alone makes of an empty body."""
    into = Unfolding(layout, name)
    fold_record(data, name, into)
    return into


def sealed(header: bytes, body: bytes) -> bytes:
    return codec.SEAL.pack(len(header), len(header) + len(body), zlib.crc32(header + body)) + header + body
