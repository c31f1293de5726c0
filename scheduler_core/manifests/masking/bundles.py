"""A bundle with the secrets of its objects masked, packed again; what is read of it stays as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from scheduler_core.manifests.bundle.model import Change, ListedObject
from scheduler_core.manifests.bundle.packing import packed
from scheduler_core.manifests.bundle.reading import Bundle
from scheduler_core.manifests.masking.secrets import mask

Line = TypeVar("Line", ListedObject, Change)


def masked_bundle(bundle: Bundle) -> tuple[bytes, Counter[str]]:
    """The archive, and {kind of secret: number of masked values}; changes stand in their order. Gaps that were noticed
    on reading are among those of its meta. Raises LoadError for a line that cannot be read."""
    counts: Counter[str] = Counter()
    meta = msgspec.structs.replace(bundle.meta, gaps=bundle.gaps, ended=bundle.ended)
    objects, events = _masked(bundle.objects(), counts), _masked(bundle.events(), counts)
    return packed(meta, objects, events, _masked(bundle.changes, counts)), counts


def _masked(lines: Iterable[Line], counts: Counter[str]) -> Iterator[Line]:
    for line in lines:
        value = msgspec.json.decode(line.object)
        masked = mask(value)
        if masked:
            counts.update(masked)
            yield msgspec.structs.replace(line, object=msgspec.Raw(msgspec.json.encode(value)))
        else:
            yield line
