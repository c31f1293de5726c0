"""What the paths of a command line hold: files, the manifests of folders with those of their folders, and archives."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from scheduler_core.manifests import (
    ArchiveLimits,
    Limits,
    ManifestSource,
    is_archive,
    is_manifest_name,
    unpacked,
    without_others,
)
from scheduler_core.manifests.model import LoadError


class BadInput(Exception):
    """Files or options that cannot be used; the message says why."""


STANDARD_INPUT = "standard input"


def opened(path: Path) -> list[ManifestSource]:
    """The files at a path, - for standard input; those of a folder have the names of its folders. Raises BadInput,
    which names the path."""
    try:
        if path.is_dir():
            return _folder(path)
        source = ManifestSource(STANDARD_INPUT, sys.stdin.buffer.read(_most())) if str(path) == "-" else _file(path)
    except OSError as problem:
        shown = STANDARD_INPUT if str(path) == "-" else problem.filename or path
        raise BadInput(f"{shown}: cannot be read: {problem.strerror or problem}") from problem
    try:
        return unpacked(source).files if is_archive(source.data) else [source]
    except LoadError as problem:
        raise BadInput(problem.message) from problem


def _folder(path: Path) -> list[ManifestSource]:
    limits = ArchiveLimits()
    files: list[ManifestSource] = []
    left = limits.max_bytes
    for one in _names(path):
        if len(files) >= limits.max_files:
            raise BadInput(f"{path}: more than {limits.max_files:,} files. Give the folders in it one by one")
        files.append(_file(one))
        left -= len(files[-1].data)
        if left < 0:
            raise BadInput(f"{path}: more than {limits.max_bytes >> 20} MiB. Give the folders in it one by one")
    if not files:
        raise BadInput(f"{path}: no manifest is in this folder (.yaml, .yml, .json, .jsonl, .csv, .txt, or with .gz)")
    try:
        return without_others(str(path), files)[0]
    except LoadError as problem:
        raise BadInput(problem.message) from problem


def _names(path: Path) -> Iterator[Path]:
    """The manifests of a folder and of its folders, by name; what begins with a dot is passed over."""
    for one in sorted(path.iterdir()):
        if one.name.startswith("."):
            continue
        if one.is_dir() and not one.is_symlink():
            yield from _names(one)
        elif one.is_file() and is_manifest_name(one.name):
            yield one


def _file(path: Path) -> ManifestSource:
    """The content, one byte more than allowed at most, so that the loader can say that it is too large."""
    with path.open("rb") as file:
        return ManifestSource(str(path), file.read(_most()))


def _most() -> int:
    return Limits().max_bytes + 1
