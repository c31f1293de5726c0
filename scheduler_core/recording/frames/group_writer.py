"""Writes the changes of a frame as groups of rows, instead of the whole frame.

Idea. Few values of a frame differ from those of the last frame of its template, and the engine knows where they may: it
gives groups (rows, lines), lines being codes, reasons and raw scores of a plugin, and the decisive plugin. A record
holds these values alone, and each line in the shortest of a few forms (codec.py): one value for all rows, two values
and a bit per row, differences that follow from the values recorded before, or each value.

Invariant. Let frame[l, r] be the value of line l at row r, F[0] a key of a chain (a whole body) and G[k] the groups of
record k. A reader folds them in order, a later group of a record over an earlier one:

    F[k][l, r] = the value that G[k] has for (l, r), in its last group with l and r;  F[k - 1][l, r] where it has none
    F[k] = the engine's frame of that cycle, for all lines and rows

so a group may hold rows whose values stayed, and a short form may be wrong on a few rows (MOST_OTHERS in line_forms.h)
as long as these follow in a group of their own.

Cost. O(rows of the groups * their lines), in time and at most in bytes; neither depends on the number of nodes. Rows of
an array that stays as it is from cycle to cycle (a zone's) are written once in a chain and by their number after that.

Example. 300 rows, row numbers and raw scores of 2 bytes; a zone of 100 rows, which is a read-only array:
    raw becomes 5 on the zone            (100, STEPS, (RAW, 0, ONE)): 100 steps of 2 bytes and one value, 202 bytes
    raw becomes 6 on the zone            (100, KNOWN + 0, (RAW, 0, ONE)): the rows by number, one value, 2 bytes
    raw becomes 7 there, 9 on row 3      (100, KNOWN + 0, (RAW, 0, DIFFERENCES | BY_RECORDED)): "6 is 1 more", 5 bytes,
                                         (1, NUMBERS, (RAW, 0, PLAIN)): row 3 has 9, 4 bytes
"""

from __future__ import annotations

import numpy as np

from scheduler_core.compiled import interface, kernel
from scheduler_core.recording.frames.codec import Layout, row_dtype


def group_writer(layout: Layout) -> interface.GroupWriter | None:
    """A writer for frames of this layout; None where there is no kernel, and frames are written whole."""
    compiled = kernel()
    if compiled is None:
        return None
    rows, reasons, decisive, *raw = [
        np.dtype(dtype).itemsize
        for dtype in (row_dtype(layout), layout.reason_dtype, layout.decisive_dtype, *layout.raw_dtypes)
    ]
    return compiled.GroupWriter(layout.n_rows, len(layout.filter_plugins), rows, reasons, decisive, tuple(raw))
