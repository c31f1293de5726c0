"""The files that a form of uploads sent, and the same as an import reads them: archives opened, under unique names."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
from django.core.exceptions import SuspiciousFileOperation
from django.core.files.base import ContentFile
from django.utils.text import get_valid_filename

from dashboard.clusters.uploads.opening import Upload, opened
from dashboard.clusters.yaml_text import text_in
from dashboard.common.problems import Problem
from scheduler_core.manifests import is_archive, is_manifest_name
from scheduler_core.manifests.bundle.model import FILES, META, PIECES, STATE
from scheduler_core.manifests.bundle.packing import archived
from scheduler_core.manifests.bundle.reading import is_bundle, is_meta

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from django.core.files.base import File
    from django.http import HttpRequest

PASTED = "pasted.yaml"
SHOWN_NAME = 200
DEPTH = 8
"""Folders above a file that its name has."""
SMALL_BYTES = 1 << 20
"""Files up to this length together, inflated, are read within a request: that takes a second at most."""
_HEAD_BYTES = 1_000
_PACKED = (".tar", ".tar.gz", ".tgz")
_GZIP, _ZIP = b"\x1f\x8b", b"PK"


@dataclass(frozen=True)
class SentFile:
    """A file as it was sent, under a name that can be shown; its content is read on demand."""

    name: str
    file: File[Any]

    @classmethod
    def of_text(cls, name: str, text: str) -> SentFile:
        """Return a text as if it had been sent as a file."""
        return cls(name, ContentFile(text.encode()))

    @property
    def size(self) -> int:
        """Return the length in bytes."""
        return self.file.size

    def pieces(self, n_bytes: int) -> Iterator[bytes]:
        """Yield the content in pieces of at most this length; an empty file has one."""
        self.file.seek(0)
        yield self.file.read(n_bytes)
        while piece := self.file.read(n_bytes):
            yield piece

    def upload(self) -> Upload:
        """Return the file with its content."""
        return Upload(self.name, next(self.pieces(max(1, self.size))))


def sent_files(request: HttpRequest) -> list[SentFile]:
    """Return the uploaded files, and the pasted text as one more.

    Of a folder come only the files that are manifests by their names, with the folders that `paths` says they are in:
    a browser's multipart names lose them.
    """
    files = [SentFile(_clean(file.name or ""), file) for file in request.FILES.getlist("files")]
    of_folder = request.FILES.getlist("folder")
    paths = _paths(request.POST.get("paths", ""), [file.name or "" for file in of_folder])
    files += [SentFile(path, file) for path, file in zip(paths, of_folder, strict=True) if is_manifest_name(path)]
    files = _with_bundles(files)
    text = text_in(request)
    return [*files, SentFile.of_text(PASTED, text)] if text.strip() else files


def _with_bundles(files: Sequence[SentFile]) -> list[SentFile]:
    """The files with the folder of each bundle as one file, as if it had been packed. What a collector that is not
    closed has beside them, the key of its pseudonyms among it, is left out."""
    folders: dict[str, dict[str, SentFile]] = {}
    for file in files:
        folder, _, name = file.name.rpartition("/")
        folders.setdefault(folder, {})[name] = file
    packed: dict[str, SentFile] = {}
    for folder, of in folders.items():
        meta = of.get(META)
        if meta is not None and of.keys() <= {*FILES, STATE, PIECES} and is_meta(next(meta.pieces(_HEAD_BYTES))):
            content = archived((name, of[name].upload().data) for name in FILES if name in of)
            name = folder.removesuffix(".partial") or "bundle"
            packed[folder] = SentFile(name if name.endswith(_PACKED) else f"{name}.tar", ContentFile(content))
    rest = [file for file in files if file.name.rpartition("/")[0] not in packed]
    return [*rest, *packed.values()]


def read_uploads(files: Iterable[SentFile]) -> list[Upload]:
    """Return the files with their content."""
    return [file.upload() for file in files]


def unpacked_files(uploads: Sequence[Upload], taken: Iterable[str] = (), *, objects_alone: bool = True) -> list[Upload]:
    """Return the files with archives opened, under unique names that are not `taken`: findings name files. Of an
    archive come the files that hold objects, or all with the endings of manifests.

    Raises Problem, TooLarge for an archive that is not taken in.
    """
    names = set(taken)
    return [up._replace(name=_free(_end(up.name), names)) for up in opened(uploads, objects_alone=objects_alone)]


def are_small(files: Sequence[SentFile]) -> bool:
    """Return whether the files, inflated, are at most `SMALL_BYTES` together."""
    left = SMALL_BYTES - sum(file.size for file in files)
    if left < 0:
        return False
    for upload in read_uploads(files):
        if is_bundle(upload.data):
            return False
        if upload.data[:2] in (_GZIP, _ZIP):
            left -= _inflated_size(upload.data, left)
            if left < 0 or (is_archive(upload.data) and _packs_packed_files(upload)):
                return False
    return True


def _inflated_size(data: bytes, most: int) -> int:
    """Return how long the content of a zip or gzip is, at most `most` + 1; 0 where it is damaged: reading says so."""
    try:
        if data[:2] == _ZIP:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                return sum(entry.file_size for entry in archive.infolist())
        return len(gzip.GzipFile(fileobj=io.BytesIO(data)).read(most + 1))
    except (OSError, EOFError, ValueError, zlib.error, zipfile.BadZipFile, NotImplementedError):
        return 0


def _packs_packed_files(upload: Upload) -> bool:
    """Return whether a small archive has entries that are compressed themselves; False where it is not taken in."""
    try:
        return any(file.data[:2] == _GZIP for file in opened([upload]))
    except Problem:
        return False


def _end(name: str) -> str:
    """Return the name, of a long one its end, which tells it from others of its folder."""
    return name if len(name) <= SHOWN_NAME else f"…{name[-SHOWN_NAME:]}"


def _paths(given: str, names: Sequence[str]) -> list[str]:
    """Return the paths of the files of a folder, in a text of JSON; the names alone where they do not belong to it."""
    try:
        paths = msgspec.json.decode(given, type=list[str])
    except msgspec.MsgspecError:
        paths = []
    if [path.rpartition("/")[2] for path in paths] != list(names):
        paths = list(names)
    return ["/".join(_clean(part) for part in path.split("/")[-DEPTH:] if part) for path in paths]


def _clean(name: str) -> str:
    try:
        return get_valid_filename(name)[:200]
    except SuspiciousFileOperation:
        return "file"


def _free(name: str, taken: set[str]) -> str:
    free = next(word for n in range(len(taken) + 1) if (word := name if n == 0 else f"{n + 1}-{name}") not in taken)
    taken.add(free)
    return free
