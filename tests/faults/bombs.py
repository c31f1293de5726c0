"""Small files and texts that declare very much: archives that inflate, aliases that multiply, nesting without end."""

from __future__ import annotations

import copy
import functools
import gzip
import io
import tarfile
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_MANY = 600 << 20
_PIECE = bytes(1 << 20)


@functools.cache
def _zeros(n_bytes: int = _MANY) -> bytes:
    """Return a gzip of so many zeros."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=6) as file:
        for _ in range(n_bytes // len(_PIECE)):
            file.write(_PIECE)
    return packed.getvalue()


def _zip(*entries: tuple[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return packed.getvalue()


def _long_entry(n_bytes: int) -> bytes:
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("long.yaml", "w", force_zip64=True) as entry,
    ):
        for _ in range(n_bytes // len(_PIECE)):
            entry.write(_PIECE)
    return packed.getvalue()


def _overlapping(entries: int) -> bytes:
    """Return a zip whose entries are all the same 16 MiB."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.yaml", bytes(16 << 20))
        for number in range(1, entries):
            again = copy.copy(archive.filelist[0])
            again.filename = f"{number}.yaml"
            archive.filelist.append(again)
    return packed.getvalue()


def _understated() -> bytes:
    """Return a zip whose directory says that an entry of 64 MiB has 10 bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.yaml", bytes(64 << 20))
        archive.filelist[0].file_size = 10
    return packed.getvalue()


def _tar(*entries: tuple[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in entries:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def _sparse_tar() -> bytes:
    """Return a tar whose header says that its one member has 8 TB."""
    member = tarfile.TarInfo("a.yaml")
    member.size = 8 << 40
    return gzip.compress(member.tobuf(tarfile.GNU_FORMAT) + bytes(1024))


def _zeros_in(n_entries: int) -> bytes:
    return _zip(*((f"{number}.yaml.gz", _zeros()) for number in range(n_entries)))


def _empty(n_entries: int) -> list[tuple[str, bytes]]:
    return [(f"{number}.yaml", b"") for number in range(n_entries)]


ARCHIVES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "gzip": ("a.yaml.gz", _zeros),
    "gzip of gzip": ("a.yaml.gz.gz", lambda: gzip.compress(_zeros())),
    "tar of a long member": ("a.tar.gz", lambda: _tar(("long.yaml", bytes(320 << 20)))),
    "tar that says 8 TB": ("a.tar.gz", _sparse_tar),
    "tar of many members": ("a.tgz", lambda: _tar(*_empty(20_000))),
    "zip of a long member": ("a.zip", lambda: _long_entry(_MANY)),
    "zip of many members": ("a.zip", lambda: _zip(*_empty(20_000))),
    "zip of zips": ("a.zip", lambda: _zip(*((f"{n}.zip", _long_entry(64 << 20)) for n in range(4)))),
    "zip of gzips": ("a.zip", lambda: _zeros_in(8)),
    "zip that overlaps": ("a.zip", lambda: _overlapping(1_000)),
    "zip that understates": ("a.zip", _understated),
}


@functools.cache
def archive(name: str) -> tuple[str, bytes]:
    """Return (file name, content) of one of ARCHIVES."""
    file_name, make = ARCHIVES[name]
    return file_name, make()


def _aliases() -> str:
    levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 10)]
    return "\n".join(["l0: &l0 [x, x, x, x, x, x, x, x, x, x]", *levels, "kind: Pod", ""])


def _merges() -> str:
    levels = (f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}], k{n}: v}}" for n in range(1, 30))
    return "\n".join(["a0: &a0 {k: v}", *levels])


_DEEP = 100_000
TEXTS: dict[str, str] = {
    "aliases of aliases": _aliases(),
    "many aliases": f"a: &a [{'x, ' * 1_000}x]\nb: [{'*a, ' * 20_000}*a]\n",
    "merges of merges": _merges(),
    "an alias within itself": "a: &a {b: *a, kind: Pod}\n",
    "deep JSON": '{"a":' * _DEEP + "1" + "}" * _DEEP,
    "deep lists": "[" * _DEEP + "]" * _DEEP,
    "deep YAML": "".join(f"{' ' * n}a:\n" for n in range(1_500)),
    "deep flow": "a: " + "{b: " * 50_000 + "}" * 50_000,
    "a long number": '{"kind": "Pod", "n": ' + "9" * 1_000_000 + "}",
    "many documents": "---\n" * 200_000,
    "many keys": "\n".join(f"k{n}: 1" for n in range(240_000)),
    "many anchors": "\n".join(f"k{n}: &a{n} 1" for n in range(100_000)),
}
