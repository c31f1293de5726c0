"""Index pages of a revision: which objects it has, in their order, and where their contents are.

An index page is the MessagePack of [[kind, namespace, name, sha256], ...] in the order of the objects. A page ends
after an entry whose key's hash ends in eight zero bits (256 entries on average, at most 2,048), so that adding or
deleting an object changes one page and not all pages after it.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_PAGE = 2048
_decode_page = msgspec.msgpack.Decoder(list[tuple[str, str, str, bytes]]).decode


@dataclass(frozen=True)
class ObjectEntry:
    """One object of a revision: its key and the address of its manifest."""

    kind: str
    namespace: str
    name: str
    sha256: bytes

    @property
    def key(self) -> tuple[str, str, str]:
        """Return (kind, namespace, name), once per revision."""
        return self.kind, self.namespace, self.name


def pack_pages(entries: Sequence[ObjectEntry]) -> Iterator[bytes]:
    """Yield the pages that list these entries."""
    page: list[tuple[str, str, str, bytes]] = []
    for entry in entries:
        page.append((*entry.key, entry.sha256))
        is_border = zlib.crc32("\0".join(entry.key).encode()) & 0xFF == 0
        if is_border or len(page) == MAX_PAGE:
            yield msgspec.msgpack.encode(page)
            page = []
    if page:
        yield msgspec.msgpack.encode(page)


def unpack_page(page: bytes) -> list[ObjectEntry]:
    """Return the entries that a page lists."""
    return [ObjectEntry(*row) for row in _decode_page(page)]
