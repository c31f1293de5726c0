"""A bundle with the secrets of its objects masked, packed again; what is read of it stays as it is."""

from __future__ import annotations

import io
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from scheduler_core.manifests.bundle.model import CHANGES, EVENTS, META, OBJECTS, Change, ListedObject
from scheduler_core.manifests.bundle.reading import Bundle
from scheduler_core.manifests.masking.secrets import mask

_LEVEL = 6
_encode = msgspec.json.encode


def masked_bundle(bundle: Bundle) -> tuple[bytes, Counter[str]]:
    """The archive, and {kind of secret: number of masked values}; changes stand in their order. Gaps that were noticed
    on reading are among those of its meta. Raises LoadError for a line that cannot be read."""
    counts: Counter[str] = Counter()
    meta = msgspec.structs.replace(bundle.meta, gaps=bundle.gaps, ended=bundle.ended)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=_LEVEL) as archive:
        _add(archive, META, [_encode(meta)])
        _add(archive, OBJECTS, _masked(bundle.objects(), counts))
        _add(archive, EVENTS, _masked(bundle.events(), counts))
        _add(archive, CHANGES, _masked(bundle.changes, counts))
    return out.getvalue(), counts


def _masked(lines: Iterable[ListedObject | Change], counts: Counter[str]) -> Iterator[bytes]:
    for line in lines:
        value = msgspec.json.decode(line.object)
        masked = mask(value)
        if masked:
            counts.update(masked)
            line = msgspec.structs.replace(line, object=msgspec.Raw(_encode(value)))
        yield _encode(line) + b"\n"


def _add(archive: tarfile.TarFile, name: str, lines: Iterable[bytes]) -> None:
    data = b"".join(lines)
    info = tarfile.TarInfo(name)
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))
