"""The one exception of this package."""

from __future__ import annotations


class RecordingError(ValueError):
    """A recording cannot be read or continued: damaged bytes, an unknown version, or events out of order.

    The text names the part (chunk, frame, keyframe, seq) and what is wrong with it.
    """
