"""The fields of an object that groups are read from, with the first thing that is wrong with them."""

from __future__ import annotations

from typing import Any

from scheduler_core.api.unplayed import UnplayedObject
from scheduler_core.capacity.groups.model import GroupError
from scheduler_core.manifests.checking.raw_values import At, Sink
from scheduler_core.manifests.model import path_text


class ObjectFields:
    """Readers of an object's fields. Raises GroupError for an object of which none are kept."""

    def __init__(self, one: UnplayedObject) -> None:
        if not one.fields:
            raise GroupError("the input has its name alone: it was read before fields were kept, or holds too many")
        self._sink = Sink()
        self._root = At(one.fields, (), self._sink)

    def at(self, *path: str) -> At:
        """The value at a path."""
        at = self._root
        for key in path:
            at = at.get(key)
        return at

    def under(self, raw: Any, *path: str) -> At:
        """A value that the one at the path holds in a form of its own."""
        return At(raw, path, self._sink)

    def check(self) -> None:
        """Raises GroupError for the first error of what was read."""
        wrong = next((one for one in self._sink.complaints if one.severity == "error"), None)
        if wrong is not None:
            raise GroupError(f"{path_text(wrong.path)}: {wrong.message}")
