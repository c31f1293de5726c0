"""Disks of a few MiB that fill up, which need root (Linux), and files and folders that take no writes."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_STEP_BYTES = 4096


class Disk:
    """A mounted disk, filled by one file of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._filler = path / "filler"

    @property
    def free(self) -> int:
        """Return the bytes that are free."""
        left = os.statvfs(self.path)
        return left.f_bavail * left.f_frsize

    def fill(self, but: int = 0) -> None:
        """Take all room but so many bytes."""
        with self._filler.open("ab", buffering=0) as file:
            while (free := self.free) > but:
                try:
                    file.write(bytes(min(max(free - but, 1), 1 << 20)))
                except OSError:
                    break

    def make_room(self) -> None:
        """Give back what was taken."""
        self._filler.unlink(missing_ok=True)


@contextmanager
def small_disk(path: Path, mebibytes: int) -> Iterator[Disk]:
    """Yield a disk in memory, mounted at the path, with all that is in it gone afterwards."""
    path.mkdir(parents=True, exist_ok=True)
    _mount("-t", "tmpfs", "-o", f"size={mebibytes}m,mode=700", "tmpfs", str(path))
    try:
        yield Disk(path)
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)


@contextmanager
def read_only(path: Path) -> Iterator[None]:
    """Let nobody write to a file, or to what is in a folder: by its rights, or by a mount where root has them all."""
    if os.geteuid():
        mode = path.stat().st_mode
        path.chmod(mode & ~0o222)
        try:
            yield
        finally:
            path.chmod(mode)
        return
    _mount("-o", "bind", str(path), str(path))
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(path)], check=True)
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)


def _mount(*arguments: str) -> None:
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"needs root to mount a disk: {done.stderr.strip()}")
