"""Opens a bundle: the gzipped tar that a collector closed, or the folder of its files while it is written.

A bundle comes from outside. It is judged before anything of it counts: entries that lead elsewhere, that are given
twice or are no part of a bundle, what inflates to more than people pack, a line that is no JSON or too long, and more
lines than the limits allow refuse it, with the file and the line. What is merely cut off (a full disk, a broken
connection) is read to its last whole line, and a gap CUT says so.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from functools import cached_property

import msgspec

from scheduler_core.manifests.bundle.folding import FoldedObjects
from scheduler_core.manifests.bundle.lines import LATEST, ChangeLines, JsonLines, TextLines
from scheduler_core.manifests.bundle.model import (
    CHANGES,
    EVENTS,
    FILES,
    FORMAT,
    KIND,
    META,
    OBJECTS,
    BundleGap,
    BundleMeta,
    Change,
    ListedObject,
)
from scheduler_core.manifests.bundle.packed import FileData, PackedFiles, begins_with_meta, unpacked_files
from scheduler_core.manifests.model import LoadError, ManifestSource, quoted


class BundleLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds on a bundle: bytes as packed, of all files inflated, of its meta and of one line, lines by file, and
    how often its packed size it may be (``max_ratio``), from ``ratio_from`` bytes on. ``max_gaps``, ``max_kinds``:
    entries of its meta."""

    max_packed: int = 256 << 20
    max_bytes: int = 512 << 20
    max_meta: int = 8 << 20
    max_line: int = 4 << 20
    max_objects: int = 200_000
    max_events: int = 1_000_000
    max_changes: int = 1_000_000
    max_gaps: int = 10_000
    max_kinds: int = 1_000
    max_entries: int = 16
    max_ratio: int = 250
    ratio_from: int = 16 << 20


class _Kind(msgspec.Struct):
    kind: str = ""
    format: int = 0


class Bundle:
    """A bundle whose lines were all looked at. ``name`` is what findings call it; ``gaps`` are those of its meta, and
    CUT where it ends early. Lines are decoded on demand, so that its bytes are in memory once."""

    def __init__(
        self, name: str, meta: BundleMeta, lines: Mapping[str, TextLines], cut: str, limits: BundleLimits
    ) -> None:
        self.name, self.meta = name, meta
        self._objects = JsonLines(lines[OBJECTS], ListedObject, limits.max_objects)
        self._events = JsonLines(lines[EVENTS], Change, limits.max_events)
        self._changes = ChangeLines(lines[CHANGES], limits.max_changes)
        cuts = [one.cut for one in (self._objects, self._events, self._changes) if one.cut]
        texts = [*cuts, *([cut] if cut and not cuts else [])]
        since = max(meta.began, self._changes.last_at)
        more = tuple(BundleGap(code="CUT", text=text, since=since) for text in texts)
        self.gaps: tuple[BundleGap, ...] = (*meta.gaps, *more)

    @property
    def is_cut(self) -> bool:
        """Whether something was begun in it and is not whole."""
        return any(gap.code == "CUT" for gap in self.gaps)

    @property
    def n_objects(self) -> int:
        """How many objects were listed."""
        return len(self._objects)

    def objects(self) -> Iterator[ListedObject]:
        """What was there when the collection began."""
        return iter(self._objects)

    def events(self) -> Iterator[Change]:
        """Changes of Event objects, in the order of the file."""
        return iter(self._events)

    @property
    def changes(self) -> ChangeLines:
        """Changes of all other objects, in their order (ChangeLines)."""
        return self._changes

    @cached_property
    def ended(self) -> float:
        """The moment of its last line, in seconds since 1970; where it was closed, that of the close."""
        last = max(self.meta.began, self._changes.last_at, self._events.last_at)
        return last if self.meta.ended is None else max(last, self.meta.ended)

    def at_end(self) -> FoldedObjects:
        """The objects as of the last change."""
        folded = FoldedObjects()
        for listed in self._objects:
            folded.put(listed)
        for change in self._changes:
            folded.apply(change)
        return folded


def is_bundle(data: bytes) -> bool:
    """Whether the bytes are a tar, gzipped or not, that begins with the meta of a bundle."""
    return begins_with_meta(data)


def is_meta(data: bytes) -> bool:
    """Whether a file, or the beginning of one, is the meta of a bundle."""
    head = data[:200].lstrip()
    return head[:1] == b"{" and f'"kind":"{KIND}"'.encode() in head.replace(b" ", b"").replace(b"\n", b"")


def open_bundle(source: ManifestSource, limits: BundleLimits | None = None) -> Bundle:
    """The bundle in an archive. Raises LoadError, whose message names the file and the line."""
    limits = limits or BundleLimits()
    try:
        if len(source.data) > limits.max_packed:
            raise LoadError(f"larger than {limits.max_packed >> 20} MiB. Collect for a shorter time")
        packed = unpacked_files(source.data, limits.max_bytes, limits.max_entries, limits.max_ratio, limits.ratio_from)
        return _opened(source.name, packed, limits)
    except LoadError as problem:
        raise LoadError(f"{source.name}{_after_name(problem)}") from None


def open_files(name: str, files: Mapping[str, bytes], limits: BundleLimits | None = None) -> Bundle:
    """The bundle in a folder: its files by their names; those that a collector has not begun yet may be absent. Raises
    LoadError as ``open_bundle``."""
    limits = limits or BundleLimits()
    data: dict[str, FileData] = {posixpath.basename(one): FileData(content) for one, content in files.items()}
    try:
        if sum(len(one.content) for one in data.values()) > limits.max_bytes:
            raise LoadError(f"larger than {limits.max_bytes >> 20} MiB")
        return _opened(name, PackedFiles(data), limits)
    except LoadError as problem:
        raise LoadError(f"{name}{_after_name(problem)}") from None


def _after_name(problem: LoadError) -> str:
    """The rest of a message that begins with the bundle's name: "/changes.jsonl:17: ..." where a file is known."""
    line = f":{problem.line}" if problem.line else ""
    return f"/{problem.field}{line}: {problem.message}" if problem.field else f": {problem.message}"


def _opened(name: str, packed: PackedFiles, limits: BundleLimits) -> Bundle:
    foreign = next((one for one in packed.files if one not in FILES), None)
    if foreign is not None:
        raise LoadError(f"{quoted(foreign)} is no file of a bundle; they are {', '.join(FILES)}")
    if META not in packed.files:
        raise LoadError(f"{META} is missing: without it nobody knows when and of what this was collected")
    meta = _meta(packed.files[META], limits)
    lines = {one: TextLines(one, packed.files.get(one, FileData(b"")), limits.max_line) for one in FILES[1:]}
    absent = [one for one in FILES[1:] if one not in packed.files]
    cut = ""
    if packed.is_cut:
        also = f"; {', '.join(absent)} {'is' if len(absent) == 1 else 'are'} missing" if absent else ""
        cut = f"the archive is cut off within {packed.last or META}: what was packed after that is missing{also}"
    elif packed.is_archive and absent:
        raise LoadError(f"{', '.join(absent)} {'is' if len(absent) == 1 else 'are'} missing. Pack all four files")
    return Bundle(name, meta, lines, cut, limits)


def _meta(file: FileData, limits: BundleLimits) -> BundleMeta:
    content = bytes(file.content[: limits.max_meta + 1])
    if len(content) > limits.max_meta:
        raise LoadError(f"larger than {limits.max_meta >> 20} MiB", field=META)
    if file.is_cut:
        raise LoadError("cut off, so that nothing of the bundle can be read", field=META)
    try:
        said = msgspec.json.decode(content, type=_Kind)
        if said.kind != KIND:
            raise LoadError(f"its kind is {quoted(said.kind)} and not {KIND}", field=META)
        if said.format != FORMAT:
            raise LoadError(f"the bundle has format {said.format}; this version reads format {FORMAT}", field=META)
        meta = msgspec.json.decode(content, type=BundleMeta)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        raise LoadError(f"this is no meta of a bundle: {problem}", field=META) from None
    _check_meta(meta, limits)
    return meta


def _check_meta(meta: BundleMeta, limits: BundleLimits) -> None:
    for what, entries, most in (
        ("gaps", meta.gaps, limits.max_gaps),
        ("kinds", meta.kinds, limits.max_kinds),
        ("versions", meta.versions, limits.max_kinds),
        ("namespaces", meta.namespaces, limits.max_gaps),
    ):
        if len(entries) > most:
            raise LoadError(f"{what}: {len(entries):,} are more than the {most:,} allowed", field=META)
    times = [meta.began, meta.ended, *(at for at, _ in meta.versions)]
    times += [at for gap in meta.gaps for at in (gap.since, gap.until)]
    if not all(0 <= at <= LATEST for at in times if at is not None):
        raise LoadError("a time lies outside of the years 1970 to 9999", field=META)
