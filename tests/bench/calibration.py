"""What tells machines apart: a fixed numpy step and a fixed CPython loop. Rates compare only after scaling by them."""

from __future__ import annotations

import time

import numpy as np


def calibration_ns() -> float:
    """Nanoseconds of a fixed numpy step at 5,000: int16 add, take and argmax."""
    a, b = np.arange(5000, dtype=np.int16), np.ones(5000, dtype=np.int16)
    index = np.arange(5000, dtype=np.int64)[::-1].copy()
    started = time.process_time()
    for _ in range(2000):
        np.add(a, b, out=b)
        b.take(index).argmax()
    return (time.process_time() - started) / 2000 * 1e9


def calibration_cpython_s() -> float:
    """Seconds of the CPython loop by which the reference's figures are scaled."""
    started = time.process_time()
    sum(i * i for i in range(20_000_000))
    return time.process_time() - started


REFERENCE_CPYTHON_S = 0.762
"""The loop on the machine that the reference's throughput was recorded on."""


def calibration() -> dict[str, float]:
    """Both, as every line of figures has them."""
    return {"calibration_ns": round(calibration_ns()), "calibration_cpython_s": round(calibration_cpython_s(), 3)}


def between(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    """The mean of two, for what ran between them."""
    return {name: round((before[name] + after[name]) / 2, 3) for name in before}
