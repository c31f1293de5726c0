"""The one build of the files that browsers fetch: `make run` and collectstatic carry it out where the sources changed.

From `static/` it makes, in another folder: scripts joined into chunks (``modules.py``), style sheets with what they
import by `@import` within them, and everything else as it is; each under a name with a hash of its content, which
browsers keep for ever, and with a compressed copy for gzip and for brotli. A change of a module changes the names of
all chunks that import its chunk, since those names stand in their texts. `names.json` maps sources to names, and
modules to the chunks that have them.

The sources are also there under their own names: the editor fetches its worker so, and readers read them.
"""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import posixpath
import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import brotli

from dashboard.common.assets import modules
from dashboard.common.assets.modules import chunk_text, is_module, plan_chunks, read_module

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = "names.json"
LOCK = "lock"
FRAME = "common/app.js"
JOINED = {"vendor/htmx.js": ("vendor/htmx/htmx.min.js", "vendor/idiomorph/idiomorph-ext.min.js")}
"""Scripts of others that every page has, in one file."""
ALONE = ("common/bare.js",)
"""Entries of pages without the frame: their chunks have all that they reach."""
_NAMED = re.compile(r"static '([^']+\.js)'")
_CSS_IMPORT = re.compile(r'^@import "([^"]+)";\n?', re.MULTILINE)
_CSS_URL = re.compile(r"url\((?![\"']?(?:data:|#|/))[\"']?([^\"')]+)[\"']?\)")
_TEXTS = (".css", ".js", ".svg", ".json")
_MOST_BROTLI = 100_000
"""Bytes up to which the slowest setting of brotli is taken: it packs half a megabyte a second."""


def build(source: Path, templates: Path, target: Path) -> bool:
    """Make the files where the sources are not those of the last build; return whether it did.

    The templates name the scripts that pages start. Processes that build at once wait for each other. Raises
    UnknownForm for a script that cannot be joined, OSError.
    """
    target.mkdir(parents=True, exist_ok=True)
    with (target / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        files = {path.relative_to(source).as_posix(): path for path in source.rglob("*") if path.is_file()}
        entries = sorted(set(_entries(templates)))
        mark = _mark_of_sources(files, entries)
        if _mark_of_build(target) == mark:
            return False
        done = _Build({name: path.read_bytes() for name, path in files.items()}, entries, target)
        names = done.run()
        _write(target / NAMES, json.dumps({"mark": mark, "names": names, "chunks": done.chunks}).encode())
        _remove_others(target, {*files, *names.values(), NAMES, LOCK})
    return True


def read_chunks(target: Path) -> dict[str, str]:
    """Return the name of the built file that has each module, by the module's name. Raises OSError as below."""
    there = json.loads((target / NAMES).read_text())
    return {module: there["names"][chunk] for module, chunk in there["chunks"].items()}


def read_names(target: Path) -> dict[str, str]:
    """Return the name of each file's content by the name in the sources. Raises OSError where nothing was built."""
    names: dict[str, str] = json.loads((target / NAMES).read_text())["names"]
    return names


def _entries(templates: Path) -> Iterator[str]:
    for path in templates.rglob("*.html"):
        yield from _NAMED.findall(path.read_text())


def _mark_of_sources(files: dict[str, Path], entries: list[str]) -> str:
    """Return a hash of what the files come out of: the sources by size and time, the entries, and this code."""
    code = [Path(__file__), Path(modules.__file__)]
    state = [(path.as_posix(), (stat := path.stat()).st_size, stat.st_mtime_ns) for path in [*files.values(), *code]]
    return blake2b(json.dumps([sorted(state), entries]).encode(), digest_size=16).hexdigest()


def _mark_of_build(target: Path) -> str | None:
    try:
        return str(json.loads((target / NAMES).read_text())["mark"])
    except (OSError, ValueError, KeyError):
        return None


class _Build:
    """One build: the content of every source by its name, and the names that were given so far."""

    def __init__(self, contents: dict[str, bytes], entries: list[str], target: Path) -> None:
        joined = {name: b"\n".join(contents[one] for one in parts) for name, parts in JOINED.items()}
        self.contents = contents | joined
        self.target = target
        self.names: dict[str, str] = {}
        self.chunks: dict[str, str] = {}
        texts = {name: contents[name].decode() for name in contents if name.endswith(".js")}
        self.modules = {
            name: read_module(name, text)
            for name, text in texts.items()
            if not name.startswith("vendor/") and is_module(text)
        }
        self.entries = [name for name in entries if name in self.modules]

    def run(self) -> dict[str, str]:
        """Write all files; return their names."""
        with ThreadPoolExecutor() as pool:  # packing leaves the interpreter's lock
            written = [pool.submit(_write, self.target / name, content) for name, content in self.contents.items()]
            for name in self.contents:
                if name not in self.modules and not name.endswith(".css"):
                    written.append(pool.submit(self._put, name, self._named(name, self.contents[name])))
            for name in self.contents:
                if name.endswith(".css"):
                    written.append(pool.submit(self._put, name, self._named(name, self._style(name).encode())))
            for name, text in self._chunks():
                written.append(pool.submit(self._put, name, self._named(name, text.encode())))
            for one in written:
                one.result()
        return self.names

    def _named(self, name: str, content: bytes) -> bytes:
        stem, ending = posixpath.splitext(name)
        self.names[name] = f"{stem}.{blake2b(content, digest_size=6).hexdigest()}{ending}"
        return content

    def _put(self, name: str, content: bytes) -> None:
        path = self.target / self.names[name]
        if path.exists():
            return
        if path.suffix in _TEXTS:
            quality = 11 if len(content) <= _MOST_BROTLI else 9
            _write(path.with_name(f"{path.name}.br"), brotli.compress(content, quality=quality))
            _write(path.with_name(f"{path.name}.gz"), gzip.compress(content, mtime=0))
        _write(path, content)

    def _style(self, name: str, above: tuple[str, ...] = ()) -> str:
        """Return a style sheet with those that it imports in their places, and the names of the files that it uses."""
        folder = posixpath.dirname(name)
        top = posixpath.dirname((above or (name,))[0])

        def imported(match: re.Match[str]) -> str:
            other = posixpath.normpath(posixpath.join(folder, match[1]))
            if other in (name, *above) or other not in self.contents:
                raise ValueError(f"{name} imports {match[1]}, which is a circle or not there")
            return self._style(other, (*above, name))

        def used(match: re.Match[str]) -> str:
            other = posixpath.normpath(posixpath.join(folder, match[1]))
            return f'url("{self._address(top, other)}")' if other in self.names else match[0]

        return _CSS_IMPORT.sub(imported, _CSS_URL.sub(used, self.contents[name].decode()))

    def _chunks(self) -> Iterator[tuple[str, str]]:
        """Yield name and text of each chunk, after those that it imports were named."""
        alone = [name for name in self.entries if name in ALONE]
        plans = [plan_chunks(self.modules, [name], name) for name in alone]
        plans.append(plan_chunks(self.modules, [name for name in self.entries if name not in alone], FRAME))
        for plan in plans:
            chunk_of = {name: chunk.name for chunk in plan for name in chunk.modules}
            self.chunks |= chunk_of
            for chunk in plan:
                address = partial(self._address, posixpath.dirname(chunk.name))
                yield chunk.name, chunk_text(chunk, self.modules, chunk_of, address)

    def _address(self, folder: str, name: str) -> str:
        """Return the path from a folder to the built file of a name."""
        path = posixpath.relpath(self.names[name], folder or ".")
        return path if path.startswith("../") else f"./{path}"


def _write(path: Path, content: bytes) -> None:
    """Write a file so that nobody reads half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.new")
    partial.write_bytes(content)
    os.replace(partial, path)


def _remove_others(target: Path, needed: set[str]) -> None:
    for path in target.rglob("*"):
        name = path.relative_to(target).as_posix()
        if path.is_file() and name not in needed and name.removesuffix(".br").removesuffix(".gz") not in needed:
            path.unlink()
