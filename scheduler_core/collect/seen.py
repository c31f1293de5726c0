"""Which objects there are as far as was seen, by digests of what left of them: what has not changed is not written."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

Key = tuple[str, str]
"""Namespace ("" without one) and name, as the server has them."""
_DIGEST_BYTES = 12


class SeenObject(NamedTuple):
    """The last state that was written of an object; ``version``: its resourceVersion, 0 where that is no number."""

    digest: bytes
    uid: str
    version: int


def digest(content: bytes) -> bytes:
    """A short hash of the content: equal for equal contents."""
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).digest()


def version_number(version: object) -> int:
    """The resourceVersion as a number, 0 where it is none."""
    if not isinstance(version, str) or not version.isascii() or not version.isdigit() or len(version) > 19:
        return 0
    return int(version)


class SeenObjects:
    """The objects of one kind, in all namespaces or in one. ``gone``: those that went in an earlier collection,
    which was broken off before it had listed the kind: what has their names later was not there at the beginning."""

    def __init__(self) -> None:
        self.objects: dict[Key, SeenObject] = {}
        self.gone: set[Key] = set()
        self._listed: set[Key] | None = None

    def begin_list(self) -> None:
        """A list begins: what it does not have by its end is gone."""
        self._listed = set()

    def note_listed(self, key: Key) -> None:
        """The list has the object."""
        if self._listed is not None:
            self._listed.add(key)

    def end_list(self) -> list[Key]:
        """The objects that the list did not have."""
        listed, self._listed = self._listed, None
        return [] if listed is None else [key for key in self.objects if key not in listed]
