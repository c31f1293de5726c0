"""The one exception of this package."""

from __future__ import annotations


class TapeError(ValueError):
    """A tape cannot be read, does not belong to the run, or cannot be written on.

    The text names the file, the position in it where there is one, and what is wrong.
    """
