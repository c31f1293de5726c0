"""Writes what changed of a frame as groups of rows: see codec.py, Groups."""

from __future__ import annotations

import numpy as np

from scheduler_core.compiled import interface, kernel
from scheduler_core.recording.frames.codec import Layout, row_dtype_of


def group_writer(layout: Layout) -> interface.GroupWriter | None:
    """A writer for frames of this layout; None where there is no kernel, and frames are written whole."""
    compiled = kernel()
    if compiled is None:
        return None
    rows, reasons, decisive, *raw = [
        np.dtype(dtype).itemsize
        for dtype in (row_dtype_of(layout), layout.reason_dtype, layout.decisive_dtype, *layout.raw_dtypes)
    ]
    return compiled.GroupWriter(layout.n_rows, len(layout.filter_plugins), rows, reasons, decisive, tuple(raw))
