"""Which lines of some files run, by test."""

from __future__ import annotations

import sys
import threading
from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection
    from types import FrameType


class Lines:
    """Notes the lines of the files that this process and its threads run."""

    def __init__(self, files: Collection[str]) -> None:
        self._files = frozenset(files)
        self._noted: defaultdict[str, set[int]] = defaultdict(set)

    def begin(self) -> None:
        """Note from now on, also in threads that begin later."""
        threading.settrace(self._call)
        sys.settrace(self._call)

    def end(self) -> dict[str, set[int]]:
        """Note no more; return what was noted, which is forgotten."""
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        noted, self._noted = self._noted, defaultdict(set)
        return dict(noted)

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename in self._files:
            return self._line
        return None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        self._noted[frame.f_code.co_filename].add(frame.f_lineno)
        return self._line
